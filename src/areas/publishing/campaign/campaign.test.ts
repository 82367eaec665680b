import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const make = async (body: object) => (await service.publisher('POST /campaign', { body })).json.Campaign

test('a campaign is created with every field of the contract and emits an event', async () => {
  const campaign = await make({ name: 'Spring', url: 'https://example.com/spring' })
  const zero = '0000-00-00 00:00:00'
  expect(campaign).toEqual({
    Id: expect.stringMatching(/^002\w{12}$/),
    Created: expect.any(String),
    Modified: expect.any(String),
    Name: 'Spring',
    Status: 'active',
    AccountId: '001demo00000001',
    CreatedBy: '00Ademo00000002',
    ModifiedBy: '00Ademo00000002',
    Url: 'https://example.com/spring',
    Color: expect.stringMatching(/^#[0-9A-F]{6}$/),
    ShortUrl: expect.stringMatching(/\/l\/\w{8}$/),
    StartDate: expect.any(String),
    EndDate: zero,
    LastConversionDate: zero,
    LastCommentFound: zero,
    SendSummary: 0,
    Clicks: 0,
    ChildClicks: 0,
    BoardClicks: 0,
    Converts: 0,
    ChildConverts: 0,
    BoardConverts: 0,
    Comments: 0,
    NewComments: 0,
    Likes: 0,
    TotalMessages: 0,
    TotalPosts: 0,
    TotalPendingPosts: 0,
    TotalDraftPosts: 0,
    SFDCCampaignId: '',
    SFDCCampaignName: '',
    SFDCCampaignOption: '',
    Utm: '',
  })
  expect((await service.reader(`GET /campaign/${campaign.Id}`)).json.Campaign).toEqual(campaign)
  const [event] = await ownerQuery<{ data: string }>(
    service.databaseUrl,
    `select data from events where type = 'newCampaign' order by id desc limit 1`,
  )
  expect(JSON.parse(event?.data ?? '')).toEqual([campaign])
  const { json } = await service.reader('GET /webhook/events/newCampaign')
  expect(Object.keys(json.Sample), 'the sample shows what is sent').toEqual(Object.keys(campaign))
})

test('a campaign with a URL has a short link to that URL', async () => {
  const campaign = await make({ name: 'Linked', url: 'https://example.com/one' })
  const change = async (as: typeof service.admin, url: string) =>
    (await as(`POST /campaign/${campaign.Id}`, { body: { url } })).json.Campaign
  const leadsTo = async ({ ShortUrl }: { ShortUrl: string }) =>
    (await service.reader(`GET /link/${ShortUrl.slice(-8)}`)).json.Link.LongUrl
  expect(await leadsTo(campaign)).toBe('https://example.com/one')
  const { json } = await service.reader('GET /link', { query: `hash=${campaign.ShortUrl.slice(-8)}` })
  expect(json.Items).toMatchObject([{ CampaignId: campaign.Id, PostId: '', ShortUrl: campaign.ShortUrl }])

  const changed = await change(service.publisher, 'https://example.com/two')
  expect([changed.ShortUrl, await leadsTo(changed)]).toEqual([campaign.ShortUrl, 'https://example.com/two'])
  const other = await change(service.contributor, 'https://example.com/three')
  expect(other.ShortUrl, 'users who cannot approve cannot change the destination of a published link').not.toBe(
    campaign.ShortUrl,
  )
  expect([await leadsTo(campaign), await leadsTo(other)]).toEqual([
    'https://example.com/two',
    'https://example.com/three',
  ])
  expect(
    (await service.publisher(`POST /campaign/${campaign.Id}`, { body: { name: 'Same' } })).json.Campaign.ShortUrl,
  ).toBe(other.ShortUrl)
  expect((await change(service.publisher, '')).ShortUrl).toBe('')
  expect((await make({ name: 'Without' })).ShortUrl).toBe('')
})

test('clicks on the short link are counted for the campaign', async () => {
  const { Id, ShortUrl } = await make({ name: 'Clicked', url: 'https://example.com/clicked' })
  const response = await fetch(ShortUrl, { redirect: 'manual', headers: { 'user-agent': browser } })
  expect([response.status, response.headers.get('location')]).toEqual([
    302,
    'https://example.com/clicked?utm_medium=social&utm_campaign=Clicked',
  ])
  const clicks = async () => (await service.reader(`GET /campaign/${Id}`)).json.Campaign.Clicks
  await expect.poll(clicks, { timeout: 20_000 }).toBe(1)
  const { json } = await service.reader('GET /click', { query: `campaignId=${Id}` })
  expect(json.Items).toMatchObject([
    { CampaignId: Id, CampaignName: 'Clicked', PostId: '', MessageId: '', Network: '' },
  ])
})

test('the URL of a campaign is http or https and does not point to the service itself', async () => {
  for (const url of ['example.com', 'ftp://example.com', 'javascript:alert(1)', 'http://', `${service.url}/l/abc`]) {
    const { status, json } = await service.publisher('POST /campaign', { body: { name: 'Bad', url } })
    expect([status, json.Errors?.API.Error], url).toEqual([400, expect.stringMatching(/^url /)])
  }
})

test('campaigns are listed with fewer fields, filtered by name and status, and sorted', async () => {
  const ids = [await make({ name: 'Zebra list' }), await make({ name: 'apple list' })].map(({ Id }) => Id)
  const list = async (query: string) => (await service.reader('GET /campaign', { query })).json
  const { Items, Total } = await list('q=LIST&_order=name')
  expect([Items.map(({ Name }: { Name: string }) => Name), Total]).toEqual([['apple list', 'Zebra list'], 2])
  expect(Object.keys(Items[0]).sort()).toEqual(
    [
      'Clicks',
      'Comments',
      'Converts',
      'Created',
      'Id',
      'Name',
      'PostsSent',
      'Status',
      'TotalDraftPosts',
      'TotalPendingPosts',
      'TotalPosts',
    ].sort(),
  )
  await service.publisher(`POST /campaign/${ids[0]}`, { body: { status: 'paused' } })
  expect((await list('q=list&status=paused')).Items.map(({ Id }: { Id: string }) => Id)).toEqual([ids[0]])
  expect((await list('q=list&withTags=1')).Items[0].Tags).toEqual([])
  for (const query of ['_count=201', '_count=0', 'status=running', '_order=colour'])
    expect((await service.reader('GET /campaign', { query })).status, query).toBe(400)
  expect((await service.reader('GET /campaign', { query: '_count=200' })).status).toBe(200)
})

test('contributors can name and tag campaigns; only publishers and admins change status and end or delete', async () => {
  const { Id } = await make({ name: 'Not theirs to end' })
  const { contributor } = service
  const change = (body: object, path = `/campaign/${Id}`) => contributor(`POST ${path}`, { body })
  expect((await change({ name: 'Renamed', status: 'active' })).json.Campaign).toMatchObject({ Name: 'Renamed' })
  const endDate = Math.floor(Date.now() / 1000)
  for (const refused of [
    await change({ status: 'paused' }),
    await change({ status: 'archived' }),
    await change({ endDate }, `/app/api/campaign/${Id}`),
    await contributor(`DELETE /campaign/${Id}`),
  ])
    expect(refused.status).toBe(403)
  expect((await change({ color: '#123456' }, `/app/api/campaign/${Id}`)).status).toBe(200)
  expect((await service.reader(`GET /campaign/${Id}`)).json.Campaign).toMatchObject({
    Status: 'active',
    EndDate: '0000-00-00 00:00:00',
    Color: '#123456',
  })
})

test('every field except the id can be changed, and other fields stay', async () => {
  const before = await make({ name: 'Before', url: 'https://example.com' })
  const tag = (await service.publisher('POST /tag', { body: { tag: `Change ${before.Id}` } })).json.Tag
  const body = { name: 'After', status: 'archived', tagIds: [tag.Id] }
  const { json } = await service.publisher(`POST /campaign/${before.Id}`, { body })
  expect(json.Campaign).toEqual({
    ...before,
    Name: 'After',
    Status: 'archived',
    Modified: expect.any(String),
    ModifiedBy: '00Ademo00000002',
  })
  await service.publisher(`POST /campaign/${before.Id}`, { body: { url: '' } })
  const after = (await service.reader(`GET /campaign/${before.Id}`, { query: 'withTags=1' })).json.Campaign
  expect([after.Url, after.Name, after.Tags]).toEqual(['', 'After', [tag.Tag]])
  const refused = await service.publisher(`POST /campaign/${before.Id}`, { body: { status: 'complete' } })
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([
    400,
    expect.stringContaining('active, paused, archived'),
  ])
  expect((await service.publisher('POST /campaign', { body: { name: 'x', tagIds: '0AFabsent000000' } })).status).toBe(
    400,
  )
})

test('a campaign of another team is not found', async () => {
  const { Id } = await make({ name: 'Secret' })
  await service.admin(`POST /team-entity/${Id}`, { body: { teamIds: '025demo00000002' } })
  expect((await service.publisher(`GET /campaign/${Id}`)).status).toBe(404)
  expect((await service.publisher('GET /campaign', { query: 'q=Secret' })).json.Total).toBe(0)
  expect(
    (await service.publisher('POST /message', { body: { network: 'X', campaignId: Id, message: 'Hi' } })).status,
  ).toBe(400)
  expect((await service.reader(`GET /campaign/${Id}`)).status).toBe(200)
  expect((await service.admin(`GET /campaign/${Id}`)).status).toBe(200)
})

test('a deleted campaign is not found', async () => {
  const { Id } = await make({ name: 'Gone' })
  expect((await service.publisher(`DELETE /campaign/${Id}`)).json).toEqual({ Result: true })
  for (const route of [`GET /campaign/${Id}`, `POST /campaign/${Id}`, `DELETE /campaign/${Id}`])
    expect((await service.publisher(route)).status).toBe(404)
})

test('the table of campaigns is filtered by name, status, tag and team, and shows color, end, tags and teams', async () => {
  const { admin, publisher } = service
  const tag = (await publisher('POST /tag', { body: { tag: 'table-tag' } })).json.Tag.Id
  const team = (await admin('POST /team', { body: { name: 'Table team' } })).json.Team.Id
  const made = async (name: string, rest: object = {}): Promise<string> =>
    (await admin('POST /campaign', { body: { name, ...rest } })).json.Campaign.Id
  const [tagged, paused] = [await made('Tabled one', { tagIds: tag }), await made('Tabled two')]
  await admin(`POST /campaign/${paused}`, { body: { status: 'paused' } })
  await admin(`POST /team-entity/${paused}`, { body: { teamIds: team } })
  const names = async (query: string, as = admin) =>
    (await as('GET /app/api/campaign', { query: `q=tabled&_order=name,1&${query}` })).json.Items.map(
      ({ Name }: { Name: string }) => Name,
    )
  expect(await names('')).toEqual(['Tabled one', 'Tabled two'])
  expect(await names('statuses=paused,archived')).toEqual(['Tabled two'])
  expect(await names(`tagIds=${tag}`)).toEqual(['Tabled one'])
  expect(await names(`teamIds=${team}`)).toEqual(['Tabled two'])
  expect(await names('', publisher), 'a campaign of a team is for that team').toEqual(['Tabled one'])

  const changeCampaign = (body: object, as = publisher) => as(`POST /app/api/campaign/${tagged}`, { body })
  expect((await changeCampaign({ color: '#be185d', endDate: '2031-05-01' })).json.Campaign).toMatchObject({
    Color: '#BE185D',
    EndDate: '2031-05-01 00:00:00',
  })
  const { json } = await admin('GET /app/api/campaign', { query: `tagIds=${tag}` })
  expect(json.Items[0]).toMatchObject({ Color: '#BE185D', Tags: ['table-tag'], Teams: [], PostsSent: 0 })
  expect((await changeCampaign({ endDate: '' })).json.Campaign).toMatchObject({
    Color: '#BE185D',
    EndDate: '0000-00-00 00:00:00',
  })
  expect((await changeCampaign({ color: 'red' })).status).toBe(400)
  expect((await changeCampaign({ color: '#000000' }, service.reader)).status).toBe(403)
  expect((await publisher(`POST /app/api/campaign/${paused}`, { body: { color: '#000000' } })).status).toBe(404)
})
