import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

const base = 'https://nw.example/l'
let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api', CHORUS_SHORT_URL: base } })
})
afterAll(() => service.stop())

let numbered = 0
let link: { id: string; hash: string }
beforeEach(async () => {
  link = await newLink()
})

/** As created by publishing. */
async function newLink(given: { campaign?: string; credential?: string; created?: string } = {}) {
  const number = String(numbered++).padStart(4, '0')
  const [id, hash] = [`008test0000${number}`, `test${number}`]
  await ownerQuery(
    service.databaseUrl,
    `with made as (insert into links (account_id, id, created, modified, hash, campaign_id, message_id, post_id, credential_id, network,
       original_url, long_url, params)
     values ($1, $2, $5, $5, $3, $4, '005demo00000001', '', $6, 'LinkedIn', 'https://example.com/a', 'https://example.com/a?b=1',
       '{"utm_source": "linkedin"}')),
     counted as (insert into counters (account_id, of_kind, of_id, name, value, last)
       select $1, 'link', $2, name, value, now() from (values ('clicks', 7), ('converts', 2)) f (name, value))
     insert into link_hashes (hash, account, link, long_url) values ($3, $1, $2, 'https://example.com/')`,
    [
      demoAccount,
      id,
      hash,
      given.campaign ?? '002demo00000001',
      given.created ?? '2026-01-02 03:04:05Z',
      given.credential ?? '003-1-2414183',
    ],
  )
  return { id, hash }
}

const changesOf = async (id: string) => (await service.reader(`GET /app/api/link/${id}/changes`)).json.Items

test('the destination of a link is public', async () => {
  const response = await fetch(`${service.url}/v2/link/${link.hash}`)
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      Result: true,
      Link: {
        Created: '2026-01-02 03:04:05',
        Hash: link.hash,
        LongUrl: 'https://example.com/a?b=1',
        FinalUrl: 'https://example.com/a?b=1&utm_source=linkedin',
        Params: { b: '1', utm_source: 'linkedin' },
        ShortUrl: `${base}/${link.hash}`,
      },
    },
  ])
  const wrong = await fetch(`${service.url}/v2/link/${link.hash}`, { headers: { authorization: 'Basic nonsense' } })
  expect(wrong.status).toBe(200)
})

test.each(['absent00', 'x', 'nonsense-with-signs', '%00', 'x'.repeat(300)])('%s is not found', async (hash) => {
  const response = await fetch(`${service.url}/v2/link/${hash}`)
  expect([response.status, await response.json()]).toEqual([
    404,
    { Result: false, Errors: { API: { Error: 'Link not found.' } } },
  ])
})

test('the list has every field of the contract, newest first', async () => {
  const { json } = await service.reader('GET /link', { query: `hash=${link.hash}` })
  expect(json).toEqual({
    Result: true,
    Total: 1,
    Items: [
      {
        Id: link.id,
        Created: '2026-01-02 03:04:05',
        Modified: '2026-01-02 03:04:05',
        AccountId: demoAccount,
        CampaignId: '002demo00000001',
        MessageId: '005demo00000001',
        PostId: '',
        PostlogId: '',
        Hash: link.hash,
        LongUrl: 'https://example.com/a?b=1',
        ShortUrl: `${base}/${link.hash}`,
        Clicks: 7,
        Converts: 2,
        CredentialId: '003-1-2414183',
      },
    ],
  })
  const newer = await newLink({ created: '2026-01-03 00:00:00Z' })
  const both = await service.reader('GET /link', { query: `ids=${link.id},${newer.id}` })
  expect(both.json.Items.map(({ Id }: { Id: string }) => Id)).toEqual([newer.id, link.id])
  const page = await service.reader('GET /link', { query: `ids=${link.id},${newer.id}&_count=1&_page=1` })
  expect([page.json.Total, page.json.Items.map(({ Id }: { Id: string }) => Id)]).toEqual([2, [link.id]])
})

test('links are found by profile, and too many ids are rejected', async () => {
  const [one, other] = [await newLink({ credential: '003-1-one' }), await newLink({ credential: '003-1-other' })]
  const found = async (query: string) =>
    (await service.reader('GET /link', { query })).json.Items.map(({ Id }: { Id: string }) => Id).sort()
  expect(await found('credentialIds=003-1-one')).toEqual([one.id])
  expect(await found('credentialIds=003-1-one,003-1-other')).toEqual([one.id, other.id])
  expect(await found('credentialIds=003-1-nobody')).toEqual([])
  expect(await found('hash=absent00')).toEqual([])
  const many = Array.from({ length: 101 }, (_, index) => `008test${String(index).padStart(8, '0')}`).join(',')
  const { status, json } = await service.reader('GET /link', { query: `ids=${many}` })
  expect([status, json.Errors.API.Error]).toEqual([400, 'ids must not hold more than 100 ids.'])
})

test('links of a campaign are visible to its teams', async () => {
  const campaign = (await service.admin('POST /campaign', { body: { name: 'Secret' } })).json.Campaign.Id
  const secret = await newLink({ campaign })
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: '025demo00000002' } })
  expect((await service.publisher('GET /link', { query: `ids=${secret.id}` })).json.Total).toBe(0)
  expect((await service.admin('GET /link', { query: `ids=${secret.id}` })).json.Total).toBe(1)
  const body = { longUrl: 'https://example.com/b' }
  for (const as of [service.publisher, service.otherAdmin])
    expect((await as(`POST /link/${secret.id}`, { body })).status).toBe(404)
})

test('the destination of a published link is changed by approvers only', async () => {
  const body = { longUrl: 'https://example.org/other' }
  for (const as of [service.contributor, service.reader])
    expect((await as(`POST /link/${link.id}`, { body })).status).toBe(403)
})

test('a changed destination takes effect, and the change is recorded', async () => {
  const longUrl = 'https://example.org/new?utm_source=own'
  const { status, json } = await service.publisher(`POST /link/${link.id}`, { body: { longUrl } })
  expect([status, json.Total, json.Items.length, json.Items[0].LongUrl]).toEqual([200, 1, 1, longUrl])
  expect(json.Items[0].Modified).not.toBe(json.Items[0].Created)
  const shown = (await service.reader(`GET /link/${link.hash}`)).json.Link
  expect([shown.LongUrl, shown.FinalUrl]).toEqual([longUrl, longUrl])
  await service.publisher(`POST /link/${link.id}`, { body: { longUrl } })
  expect(await changesOf(link.id)).toEqual([
    {
      Id: expect.stringMatching(/^0lc/),
      At: expect.any(String),
      UserId: '00Ademo00000002',
      What: 'destination',
      Before: 'https://example.com/a?b=1',
      After: longUrl,
    },
  ])
})

test.each([
  ['nonsense', 'names a host'],
  ['javascript:alert(1)', 'http:// or https://'],
  ['https://ada:secret@example.com', 'user name or password'],
  ['https://nw.example/l/abcdefgh', 'in circles'],
  ['https://served.example/abcdefgh', 'in circles'],
])('%s is rejected as a destination', async (longUrl, why) => {
  await ownerQuery(
    service.databaseUrl,
    `insert into short_hosts values ('served.example', '001demo00000002', '0CNserved000000') on conflict do nothing`,
  )
  const { status, json } = await service.publisher(`POST /link/${link.id}`, { body: { longUrl } })
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining(why)])
  expect(await changesOf(link.id)).toEqual([])
})

test('a link can be disabled and enabled', async () => {
  const off = await service.publisher(`POST /app/api/link/${link.id}/disable`, { body: { reason: 'Page gone' } })
  expect([off.status, off.json.Link.DisabledReason]).toEqual([200, 'Page gone'])
  expect(off.json.Link.Disabled).not.toMatch(/^0000/)
  expect((await service.reader(`GET /link/${link.hash}`)).status).toBe(404)
  expect((await service.reader('GET /link', { query: `ids=${link.id}` })).json.Total).toBe(1)
  expect((await service.publisher(`POST /app/api/link/${link.id}/disable`)).status).toBe(409)
  const on = await service.publisher(`POST /app/api/link/${link.id}/enable`)
  expect([on.status, on.json.Link.Disabled]).toEqual([200, '0000-00-00 00:00:00'])
  expect((await service.reader(`GET /link/${link.hash}`)).status).toBe(200)
  expect((await service.publisher(`POST /app/api/link/${link.id}/enable`)).status).toBe(409)
  expect((await changesOf(link.id)).map(({ What }: { What: string }) => What)).toEqual(['enabled', 'disabled'])
  for (const action of ['disable', 'enable'])
    expect((await service.contributor(`POST /app/api/link/${link.id}/${action}`)).status).toBe(403)
  expect((await service.otherAdmin(`POST /app/api/link/${link.id}/disable`)).status).toBe(404)
  expect((await service.otherAdmin(`GET /app/api/link/${link.id}/changes`)).status).toBe(404)
})

test('a link disabled by the operator stays disabled', async () => {
  await ownerQuery(
    service.databaseUrl,
    `with off as (update links set disabled = now() where id = $1 returning account_id)
    insert into link_changes select account_id, '0lcoperator0001', $1, now(), '', 'disabled', '', 'Phishing' from off`,
    [link.id],
  )
  const { status, json } = await service.admin(`POST /app/api/link/${link.id}/enable`)
  expect([status, json.Errors.API.Error]).toEqual([409, expect.stringContaining('by the operator')])
})

test('redirectors are notified of every change in its transaction', async () => {
  const notifications: string[] = []
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  client.on('notification', ({ payload = '' }) => notifications.push(payload))
  await client.query('listen links')
  await service.publisher(`POST /link/${link.id}`, { body: { longUrl: 'https://example.com/changed' } })
  await service.publisher(`POST /app/api/link/${link.id}/disable`)
  await service.admin('POST /app/api/link-settings', { body: { respectsDoNotTrack: 0 } })
  await expect.poll(() => notifications).toEqual([link.hash, link.hash, ''])
  await client.end()
})

test('settings of the account and of campaigns are stored', async () => {
  const nothing = { UtmSource: null, UtmMedium: null, UtmCampaign: null, UtmTerm: null, UtmContent: null }
  const campaign = (await service.publisher('POST /campaign', { body: { name: 'Settings' } })).json.Campaign.Id
  const path = `/app/api/campaign/${campaign}/link-settings`
  expect((await service.reader(`GET ${path}`)).json.LinkSettings).toEqual(nothing)
  const body = { utmSource: 'mine', utmTerm: '' }
  expect((await service.publisher(`POST ${path}`, { body })).json.LinkSettings).toEqual({
    ...nothing,
    UtmSource: 'mine',
    UtmTerm: '',
  })
  const back = await service.publisher(`POST ${path}`, { body: { inherit: ['utmTerm'], utmMedium: 'post' } })
  expect(back.json.LinkSettings).toEqual({ ...nothing, UtmSource: 'mine', UtmMedium: 'post' })
  const account = await service.admin('POST /app/api/link-settings', {
    body: { clickParameter: 'cid', utmContent: 'x' },
  })
  expect(account.json.LinkSettings).toMatchObject({ ...nothing, UtmContent: 'x', CnameId: null, ClickParameter: 'cid' })
  expect((await service.reader('GET /app/api/link-settings')).json).toEqual(account.json)
  expect((await service.otherAdmin('GET /app/api/link-settings')).json.LinkSettings).toEqual({
    ...nothing,
    CnameId: null,
    RespectsDoNotTrack: 1,
    ClickParameter: '',
    ShortUrl: expect.stringMatching(/^https?:/),
  })
  expect((await service.otherAdmin(`GET ${path}`)).status).toBe(404)
  expect((await service.publisher('POST /app/api/link-settings', { body })).status).toBe(403)
  for (const wrong of [
    { inherit: 'utmFoo' },
    { inherit: 'utmTerm', utmTerm: 'x' },
    { clickParameter: 'a b' },
    { cnameId: '0CNabsent000000' },
  ])
    expect((await service.admin('POST /app/api/link-settings', { body: wrong })).status, JSON.stringify(wrong)).toBe(
      400,
    )
})
