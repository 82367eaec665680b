import { afterAll, beforeAll, expect, test } from 'vitest'
import { deep } from '../../../../tests/support/randomness.ts'
import { quickClicks, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { clicking } from './click.fixture.ts'

let service: TestService
let clicks: ReturnType<typeof clicking>
beforeAll(async () => {
  service = await startTestService({ pollingIntervals: quickClicks, environment: { CHORUS_ROLES: 'api,worker' } })
  clicks = clicking(service.databaseUrl)
  // Paging through the demo's thousands would take long.
  await clicks.query('truncate conversions, clicks')
  await clicks.query(`delete from counters where name = 'clicks'`)
})
afterAll(() => service.stop())

const list = async (query: string, as = service.reader) => {
  const { status, json } = await as('GET /click', { query })
  expect(status, JSON.stringify(json)).toBe(200)
  return json as {
    Items: { Id: string; Created: string; CampaignName: string; CredentialName: string }[]
    Total: number
  }
}
const ids = async (query: string, as = service.reader) => (await list(query, as)).Items.map(({ Id }) => Id)

/** All pages in sequence. */
const everything = async (query: string) => {
  const all: Awaited<ReturnType<typeof list>>['Items'] = []
  for (let page = 0; ; page++) {
    const { Items, Total } = await list(`_count=25&_page=${page}&${query}`)
    all.push(...Items)
    if (Items.length < 25) expect(all.length).toBe(Total)
    if (Items.length < 25) return all
  }
}

const start = new Date('2026-10-01T12:00:00.000Z')
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000)

const newCampaign = async (name: string): Promise<string> =>
  (await service.admin('POST /campaign', { body: { name } })).json.Campaign.Id

test('a click has every field of the contract', async () => {
  const link = await clicks.link()
  const [id] = await clicks.store({
    link: link.id,
    at: start,
    visitor: 'visitor-1',
    address: '8.8.8.8',
    userAgent: 'Firefox',
  })
  await clicks.counted()
  const [about] = await clicks.query<Record<string, string>>(
    `select c.name as campaign, k.display_name as credential, m.message, m.link_url, m.link_title, m.image_url, g.remote_url, g.network
    from postlogs g join campaigns c on c.account_id = g.account_id and c.id = g.campaign_id
    join credentials k on k.account_id = g.account_id and k.id = g.credential_id
    join messages m on m.account_id = g.account_id and m.id = g.message_id where g.id = $1`,
    [link.postlog],
  )
  const { json } = await service.reader('GET /click', { query: 'visitorId=visitor-1' })
  expect(json).toEqual({
    Result: true,
    Total: 1,
    Items: [
      {
        Id: id,
        Created: '2026-10-01 12:00:00',
        CampaignId: link.campaign,
        MessageId: link.message,
        PostId: link.post,
        PostlogId: link.postlog,
        LeadId: '',
        ConversionTagId: null,
        CredentialId: link.credential,
        CampaignName: about?.campaign,
        CredentialName: about?.credential,
        Message: about?.message,
        LinkUrl: about?.link_url,
        LinkTitle: about?.link_title,
        ImageUrl: about?.image_url,
        Picture: about?.image_url ? 1 : 0,
        RemoteUrl: about?.remote_url,
        ConvertedDate: '0000-00-00 00:00:00',
        Network: about?.network,
        UserAgent: 'Firefox',
        GeoCountry: 'United States',
        GeoCity: 'Mountain View',
        GeoOrganization: 'Google LLC',
        GeoLongitude: -122.085,
        GeoLatitude: 37.422,
      },
    ],
  })
  expect(about?.message).not.toBe('')
})

test('only human clicks are listed, newest first, by page and filter', async () => {
  const [one, other] = [await newCampaign('Filters one'), await newCampaign('Filters other')]
  const [link, second] = [await clicks.link({ campaignId: one }), await clicks.link({ campaignId: other })]
  const made = await clicks.store(
    ...Array.from({ length: 30 }, (_, index) => ({ link: link.id, at: at(index), visitor: `person-${index % 2}` })),
    { link: second.id, at: at(100), visitor: 'person-0' },
    { link: link.id, at: at(5), class: 'bot' },
    // Less than 30 seconds after another.
    { link: link.id, at: new Date(at(6).getTime() + 5_000), visitor: 'person-0' },
  )
  await clicks.counted()
  const ofLink = made.slice(0, 30)
  const filtered = await list(`campaignId=${one}`)
  expect([filtered.Items.length, filtered.Total]).toEqual([25, 30])
  expect(filtered.Items.map(({ Id }) => Id)).toEqual([...ofLink].reverse().slice(0, 25))
  expect(await ids(`campaignId=${one}&_page=1`)).toEqual([...ofLink].reverse().slice(25))
  expect(await ids(`campaignId=${one}&_count=50&_order=created,1`)).toEqual(ofLink)
  expect(await ids(`visitorId=person-0&_count=50&_order=created,1`)).toEqual([
    ...ofLink.filter((_, index) => index % 2 === 0),
    made[30],
  ])
  expect(await ids(`visitorId=person-0&campaignId=${other}`)).toEqual([made[30]])
  expect(await ids(`messageId=${link.message}&campaignId=${one}&_count=50&_order=created,1`)).toEqual(ofLink)
  const { json: leads } = await service.reader('GET /click', { query: 'leadId=0ldnobody000001' })
  expect([leads.Items, leads.Total]).toEqual([[], 0])
  expect((await list(`convertsOnly=1&campaignId=${one}`)).Total).toBe(0)
  expect((await list(`convertsOnly=0&campaignId=${one}`)).Total).toBe(30)
})

test('before and after accept every date format', async () => {
  const campaign = await newCampaign('Moments')
  const link = await clicks.link({ campaignId: campaign })
  const made = await clicks.store(...[0, 1, 2, 3].map((minute) => ({ link: link.id, at: at(minute) })))
  await clicks.counted()
  for (const [after, before] of [
    ['2026-10-01T12:01:00', '2026-10-01T12:03:00'],
    ['2026-10-01 12:01:00', '2026-10-01 12:03:00Z'],
    ['2026-10-01T14:01:00%2B02:00', '1790856180'],
  ]) {
    const query = `campaignId=${campaign}&_order=created,1&after=${after}&before=${before}`
    const { Items, Total } = await list(query)
    expect([Items.map(({ Id }) => Id), Total]).toEqual([[made[1], made[2]], 2])
  }
  expect((await list(`campaignId=${campaign}&after=2026-10-02`)).Total).toBe(0)
  for (const wrong of [
    'after=yesterday',
    'before=2026-02-31T00:00:00',
    'after=1700000000000',
    '_count=10',
    '_order=clicks',
    'messageId=7',
  ])
    expect((await service.reader('GET /click', { query: wrong })).status, wrong).toBe(400)
})

test('clicks can be sorted by campaign and profile names, all of them, page by page', async () => {
  for (const name of ['zebra order', 'Aardvark order']) {
    const link = await clicks.link({ campaignId: await newCampaign(name) })
    await clicks.store(...Array.from({ length: 3 }, (_, index) => ({ link: link.id, at: at(index) })))
  }
  await clicks.counted()
  const filters = ['', '&after=2026-10-01T12:00:00', '&before=2030-01-01T00:00:00', '&visitorId=person-0']
  for (const [index, filter] of filters.entries()) {
    const byCreation = await everything(`_order=created,1${filter}`)
    for (const [order, name] of [
      ['campaignName', 'CampaignName'],
      ['credentialName', 'CredentialName'],
    ] as const) {
      // Each name in each direction, with some of the filters or with all.
      const turn = (index + (order === 'campaignName' ? 0 : 1)) % 2
      for (const direction of deep([turn], [1, 0])) {
        const all = await everything(`_order=${order},${direction}${filter}`)
        const sortedIds = (items: typeof all) => items.map(({ Id }) => Id).sort()
        expect(sortedIds(all)).toEqual(sortedIds(byCreation))
        const names = all.map((click) => click[name].toLowerCase())
        const sorted = [...names].sort()
        expect(names).toEqual(direction === 1 ? sorted : sorted.reverse())
        // Within a name in chronological order.
        for (const [index, click] of all.entries()) {
          const next = all[index + 1]
          if (next && next[name] === click[name] && order === 'campaignName')
            expect(direction === 1 ? click.Created <= next.Created : click.Created >= next.Created).toBe(true)
        }
      }
    }
  }
})

test('clicks are visible to users who see their campaign', async () => {
  const campaign = await newCampaign('Behind a team')
  const link = await clicks.link({ campaignId: campaign })
  await clicks.store({ link: link.id, visitor: 'secret' })
  await clicks.counted()
  const team = (await service.admin('POST /team', { body: { name: 'Closed' } })).json.Team.Id
  const before = (await list('')).Total
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: team } })
  for (const query of ['visitorId=secret', `campaignId=${campaign}`, 'visitorId=secret&_order=campaignName,1'])
    expect([(await list(query)).Total, (await list(query, service.admin)).Total], query).toEqual([0, 1])
  expect((await list('')).Total).toBe(before - 1)
  expect((await service.reader(`GET /app/api/link/${link.id}/clicks`)).status).toBe(404)
  expect((await service.admin(`GET /app/api/link/${link.id}/clicks`)).status).toBe(200)
  expect((await list('', service.otherAdmin)).Total).toBe(0)
})

test('a link returns its visits by class and reason, counted or not', async () => {
  const link = await clicks.link()
  await clicks.store(
    { link: link.id, at: at(0), visitor: 'one' },
    { link: link.id, at: at(10), visitor: 'one' },
    { link: link.id, at: new Date(at(10).getTime() + 1000), visitor: 'one' },
    { link: link.id, at: at(1), class: 'bot', reason: 'A known robot.' },
    { link: link.id, at: at(2), class: 'bot', reason: 'A known robot.' },
    { link: link.id, at: at(3), class: 'bot', reason: 'A known robot.' },
    { link: link.id, at: at(2), class: 'preview', reason: 'A link preview (LinkedInBot).' },
  )
  await clicks.counted()
  const { json } = await service.reader(`GET /app/api/link/${link.id}/clicks`)
  expect(json).toEqual({
    Result: true,
    Clicks: 2,
    Items: [
      { Class: 'bot', Reason: 'A known robot.', Clicks: 3 },
      { Class: 'human', Reason: '', Clicks: 2 },
      { Class: 'duplicate', Reason: 'The visitor clicked less than 30 seconds before or after.', Clicks: 1 },
      { Class: 'preview', Reason: 'A link preview (LinkedInBot).', Clicks: 1 },
    ],
    Total: 4,
  })
  for (const id of ['008absent000000', 'nonsense'])
    expect((await service.admin(`GET /app/api/link/${id}/clicks`)).status).toBe(404)
})
