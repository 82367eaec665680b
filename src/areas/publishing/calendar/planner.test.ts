import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { posting, profiles } from '../post/post.fixture.ts'

let service: TestService
let make: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService()
  make = posting(service)
})
afterAll(() => service.stop())

const at = (moment: string) => Date.parse(moment) / 1000
const window = { from: at('2034-03-01T05:00:00Z'), until: at('2034-04-01T04:00:00Z') }
const show = (body: object = window, as = service.reader) => as('POST /app/api/calendar', { body })

test('posts are returned in compact form with the names of related rows, for an exact time range', async () => {
  const message = { network: 'LinkedIn', message: `${'Long words. '.repeat(20)}`, media: '026demo00000001' }
  const post = await make.post({ messageId: await make.message(message), startDateTime: at('2034-03-01T05:00:00Z') })
  await make.post({ startDateTime: at('2034-03-01T04:59:59Z') })
  await make.post({ startDateTime: at('2034-04-01T04:00:00Z') })
  const { json } = await show()
  expect(json).toMatchObject({
    Posts: [
      {
        Id: post.Id,
        CampaignId: '002demo00000001',
        Network: 'LinkedIn',
        CredentialIds: [profiles.linkedInPage],
        At: at('2034-03-01T05:00:00Z'),
        Status: 'pending',
        Text: 'Long words. '.repeat(20).slice(0, 90),
        Media: 1,
      },
    ],
    Campaigns: { '002demo00000001': { Id: '002demo00000001', Status: 'active' } },
    Credentials: { [profiles.linkedInPage]: { Network: 'LinkedIn', IsValid: 1 } },
    CustomEvents: [],
    IsAll: 1,
  })
})

test('failed, unconfirmed and late posts are marked', async () => {
  const [failed, partly, unconfirmed, late] = await Promise.all(
    [1, 2, 3, 4].map((day) => make.post({ startDateTime: at(`2035-01-0${day}T10:00:00Z`) })),
  )
  const end = (post: { Id: string }, status: string, isUnconfirmed: boolean) =>
    ownerQuery(
      service.databaseUrl,
      `with ended as (update posts set status = $2 where id = $1 returning *)
      insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, is_unconfirmed)
      select account_id, '007' || right($1, 12), now(), now(), id, campaign_id, message_id, credential_ids[1], network, 'failed', $3 from ended`,
      [post.Id, status, isUnconfirmed],
    )
  await end(failed, 'error', false)
  await end(partly, 'incomplete', false)
  await end(unconfirmed, 'error', true)
  await make.setState(late.Id, 'late')
  const { json } = await show({ from: at('2035-01-01T00:00:00Z'), until: at('2035-02-01T00:00:00Z') })
  expect(json.Posts.map(({ Trouble }: { Trouble: string }) => Trouble)).toEqual([
    'failed',
    'failed',
    'unconfirmed',
    'late',
  ])
})

test('the contract’s filters apply, and text is found anywhere in the message', async () => {
  const window = { from: at('2036-01-01T00:00:00Z'), until: at('2036-02-01T00:00:00Z') }
  const startDateTime = at('2036-01-05T10:00:00Z')
  const far = await make.message({ message: `${'x'.repeat(200)} Needle 100%_` })
  const posts = {
    far: await make.post({ messageId: far, startDateTime }),
    draft: await make.post({ startDateTime: startDateTime + 1, status: 'draft' }),
  }
  const found = async (more: object) =>
    (await show({ ...window, ...more })).json.Posts.map(({ Id }: { Id: string }) => Id)
  expect(await found({})).toEqual([posts.far.Id, posts.draft.Id])
  expect(await found({ filters: { statuses: ['draft'] } })).toEqual([posts.draft.Id])
  expect(await found({ find: 'needle 100%_' })).toEqual([posts.far.Id])
  expect(await found({ find: 'needle 100__' })).toEqual([])
  expect(await found({ find: 'needle', filters: { statuses: ['draft'] } })).toEqual([])
})

test('other teams and accounts see nothing; the text of a moved post stays with its message', async () => {
  const window = { from: at('2037-01-01T00:00:00Z'), until: at('2037-02-01T00:00:00Z') }
  const campaignId = await make.campaign('Closed')
  const messageId = await make.message({ campaignId, message: 'Secret words' })
  const post = await make.post({ messageId, startDateTime: at('2037-01-05T10:00:00Z') })
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  const nothing = { Result: true, Posts: [], Campaigns: {}, Credentials: {}, CustomEvents: [], IsAll: 1 }
  expect((await show(window, service.publisher)).json).toEqual(nothing)
  expect((await show(window, service.otherAdmin)).json).toEqual(nothing)
  expect((await show(window)).json.Posts).toMatchObject([{ Id: post.Id, Text: 'Secret words' }])
  await service.admin(`POST /post/${post.Id}/change-campaign`, { body: { campaignId: '002demo00000001' } })
  expect((await show(window, service.publisher)).json.Posts).toMatchObject([{ Id: post.Id, Text: '' }])
  expect((await show({ ...window, find: 'secret' }, service.publisher)).json.Posts).toEqual([])
})

test('a time range starts before its end and has at most 62 days', async () => {
  const from = at('2034-01-01T00:00:00Z')
  const day = 24 * 60 * 60
  expect((await show({ from, until: from })).status).toBe(400)
  expect((await show({ from, until: from + 62 * day })).status).toBe(200)
  expect((await show({ from, until: from + 62 * day + 1 })).status).toBe(400)
})

test('a full month takes a third of the bytes of the contract’s calendar', async () => {
  const account = '001demo00000001'
  const query = (text: string, values: unknown[] = []) => ownerQuery<{ id: string }>(service.databaseUrl, text, values)
  const [known] = await query(
    `select id from messages where account_id = '${account}' and network = 'LinkedIn' order by id limit 1`,
  )
  await query(
    `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message, message_length, words)
    select account_id, '005bulk' || lpad(n::text, 8, '0'), now(), now(), created_by, created_by, campaign_id, network, type, repeat('Words ', 30), 180, ''
    from messages, generate_series(1, 1000) n where account_id = '${account}' and id = $1`,
    [known?.id],
  )
  await query(
    `insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
    select account_id, '004' || right(id, 12), now(), now(), created_by, created_by, 'pending', 'Approved', 'API', false, campaign_id, id, network,
      timestamptz '2038-01-01 00:00Z' + right(id, 8)::int * interval '40 minutes', array[$1] from messages where account_id = '${account}' and id like '005bulk%'`,
    [profiles.linkedInPage],
  )
  const lean = await show({ from: at('2038-01-01T00:00:00Z'), until: at('2038-02-01T00:00:00Z') })
  const whole = await service.reader('POST /calendar', { body: { fromDate: '2038-01-01', toDate: '2038-01-31' } })
  expect([lean.json.Posts.length, Object.keys(whole.json.Posts).length]).toEqual([1000, 1000])
  expect(whole.text.length / lean.text.length).toBeGreaterThan(3)
})

test('large responses are compressed for browsers but not for clients of the contract', async () => {
  const body = JSON.stringify({ from: at('2038-01-01T00:00:00Z'), until: at('2038-02-01T00:00:00Z') })
  const ask = async (path: string, encoding: string, sent = body) => {
    const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}-read`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json', 'accept-encoding': encoding }
    const response = await fetch(service.url + path, { method: 'POST', headers, body: sent })
    await response.arrayBuffer()
    return response.headers.get('content-encoding')
  }
  expect(await ask('/app/api/calendar', 'br, gzip')).toBe('gzip')
  expect(await ask('/app/api/calendar', 'identity')).toBeNull()
  const small = JSON.stringify({ from: at('2044-01-01T00:00:00Z'), until: at('2044-02-01T00:00:00Z') })
  expect(await ask('/app/api/calendar', 'gzip', small)).toBeNull()
  expect(await ask('/v2/calendar', 'gzip', '{"fromDate":"2038-01-01","toDate":"2038-01-31"}')).toBeNull()
})
