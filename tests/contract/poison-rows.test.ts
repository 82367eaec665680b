import { afterAll, beforeAll, expect, test } from 'vitest'
import { clicking } from '#areas/links/click/click.fixture.ts'
import { insertLink, visit } from '#areas/links/redirect/links.fixture.ts'
import { testSandbox } from '../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { openEmitter } from '../support/emitter.ts'
import { startReceiver, type WebhookReceiver } from '../support/external-servers.ts'
import { profiles, until } from '../support/publishing.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../support/service.ts'

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: WebhookReceiver
let first: TestService
let service: TestService

const environment = () => ({
  CHORUS_DEMO: '1',
  CHORUS_SANDBOX_PORT: new URL(sandbox.url).port,
  CHORUS_OUTBOUND_ALLOW: '127.0.0.1',
})
const query = <Row extends object>(text: string, values: unknown[] = []) =>
  ownerQuery<Row>(first.databaseUrl, text, values)
const timeout = 30_000

beforeAll(async () => {
  sandbox = await testSandbox()
  receiver = await startReceiver()
  first = await startTestService({ environment: environment() })
  service = first
  await plant()
}, 120_000)
afterAll(async () => {
  await service.stop()
  await first.stop()
  await receiver.stop()
  await sandbox.close()
})

/** Unreadable values of each kind. */
const unreadable = 'v1:gone:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
let webhooks: { good: string; bad: string }

async function plant() {
  const { databaseUrl } = first
  await insertLink(databaseUrl, { hash: 'Zpoison1', longUrl: 'https://example.com/poison' })
  await query(`update link_hashes set long_url = 'no address at all' where hash = 'Zpoison1'`)
  await insertLink(databaseUrl, { hash: 'Zexpense', longUrl: `https://a${'.aaaaaaaa'.repeat(12)}.com/?` })
  await insertLink(databaseUrl, { hash: 'Agood001', longUrl: 'https://example.com/good' })
  const insertBatch = (clicks: string) =>
    query('insert into click_batches (account, at, size, clicks) values ($1, now(), 1, $2)', [demoAccount, clicks])
  await insertBatch('neither clicks nor JSON')
  await insertBatch('[{"link":"008"}]')
  // Readable, but the database rejects the zero character.
  const { id: link } = await clicking(databaseUrl).link()
  await insertBatch(
    `[{"link":"${link}","id":"009poison000001","at":1,"visitor":"v","address":"127.0.0.1","class":"human","reason":"","userAgent":"\\u0000"}]`,
  )
  const webhook = async (name: string) =>
    (await first.admin('POST /webhook', { body: { event: 'postSent', name, url: `${receiver.url}/${name}` } })).json
      .Webhook.Id
  webhooks = { good: await webhook('good'), bad: await webhook('bad') }
  await query('update webhooks set secret = $1 where id = $2', [unreadable, webhooks.bad])
  // The events of a whole account can't be dispatched.
  await query(
    `alter table webhook_deliveries add constraint poisoned check (account_id <> '${otherAccount}') not valid`,
  )
  await query('update credentials set secret = $1 where id = $2', [unreadable, profiles.linkedInMember])
  // At their last attempt.
  await query(`insert into jobs (id, queue, name, payload, attempts, created, due) values
    ('jobpoison000001', 'mail', 'mail.send-mail', 'null', 50, now(), now()), ('jobpoison000002', 'mail', 'mail.send-mail', '[1]', 50, now(), now()),
    ('jobpoison000003', 'housekeeping', 'nobody.knows-this', '{}', 50, now(), now())`)
}

/** Checks that all readable rows are processed. */
async function expectOthersServed() {
  const { databaseUrl } = first
  for (const hash of ['Agood001', 'Zexpense']) expect((await visit(`${service.url}/l/${hash}`)).status, hash).toBe(302)
  expect((await visit(`${service.url}/l/Zpoison1`)).status).toBe(404)

  const clicks = clicking(databaseUrl)
  const { id } = await clicks.link()
  await clicks.store({ link: id })
  await until(async () => (await clicks.clicksOf(id)) === 1, timeout)

  const [own, other] = [openEmitter(databaseUrl, demoAccount), openEmitter(databaseUrl, otherAccount)]
  const hook = await service.otherAdmin('POST /webhook', {
    body: { event: 'postSent', name: 'Other', url: `${receiver.url}/other` },
  })
  expect(hook.status).toBe(200)
  receiver.calls.length = 0
  await other.emit('postSent', [{ Id: 'never' }])
  await own.emit('postSent', [{ Id: 'beside' }])
  await until(async () => receiver.calls.some(({ path }) => path === '/good'), timeout)
  expect(receiver.calls.filter(({ path }) => path !== '/good')).toEqual([])
  await Promise.all([own.close(), other.close()])

  const text = `Beside poison ${performance.now()}`
  const message = { network: 'LinkedIn', campaignId: '002demo00000001', message: text }
  const { json } = await service.publisher('POST /message', { body: message })
  const credentialIds = `${profiles.linkedInMember},${profiles.linkedInPage}`
  const { Post } = (await service.publisher('POST /post', { body: { messageId: json.Message.Id, credentialIds } })).json
  const state = async (credential: string) => {
    const found = 'select state, error from sends where content_id = $1 and credential_id = $2'
    return (await query<{ state: string; error: string }>(found, [Post.Id, credential]))[0]
  }
  await until(async () => (await state(profiles.linkedInPage))?.state === 'sent', timeout)
  await until(async () => (await state(profiles.linkedInMember))?.error.includes('connect the profile again'), timeout)

  await query(
    `insert into jobs (id, queue, name, payload, created, due) values
    ($1, 'mail', 'mail.send-mail', '{"to":"ada@example.com","subject":"s","text":"t"}', now(), now())`,
    [`jobgood${Date.now()}`],
  )
  await until(async () => (await query(`select from jobs where id like 'jobgood%'`)).length === 0, timeout)
  const dead = `select from jobs where id like 'jobpoison%' and state = 'dead' and last_error <> ''`
  await until(async () => (await query(dead)).length === 3, timeout)
}

const skippedRows = async () => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^rows_skipped (\d+)/m.exec(text)?.[1])
}

test('unreadable rows are skipped and counted, and other rows are served', async () => {
  await expectOthersServed()
  expect(await skippedRows()).toBeGreaterThanOrEqual(6)
}, 180_000)

test('a restarted service starts with unreadable rows in every table, and serves other rows', async () => {
  service = await startTestService({ environment: environment(), databaseUrl: first.databaseUrl })
  await query('delete from webhooks where account_id = $1', [otherAccount])
  await expectOthersServed()
}, 180_000)

test('a job for all accounts continues when it fails for one, and its error names that account', async () => {
  const campaignId = (await service.otherAdmin('POST /campaign', { body: { name: 'Beside' } })).json.Campaign.Id
  const message = { network: 'LinkedIn', campaignId, message: 'Weigh me' }
  const { Id } = (await service.otherAdmin('POST /message', { body: message })).json.Message
  await query('update messages set message_length = null, words = null')
  // Work for the account that comes first fails.
  const poison = `check (account_id <> '${demoAccount}' or message_length is null)`
  await query(`alter table messages add constraint poisoned ${poison}`)
  await query(`delete from job_schedule where name = 'publishing.measure-messages'`)
  const lengthQuery = 'select message_length as length from messages where id = $1'
  await until(
    async () => (await query<{ length: number }>(lengthQuery, [Id]))[0]?.length === 'Weigh me'.length,
    timeout,
  )
  const failed = `select from jobs where name = 'publishing.measure-messages' and last_error like '%${demoAccount}%'`
  await until(async () => (await query(failed)).length === 1, timeout)
  await query('alter table messages drop constraint poisoned')
})

test('queueing a post in an unknown time zone responds 400, and the queue remains readable', async () => {
  const slots = [{ weekday: 1, time: '09:00' }]
  expect(
    (await service.admin(`PUT /app/api/credential/${profiles.linkedInPage}/queue-slots`, { body: { slots } })).status,
  ).toBe(200)
  await query(
    `update users set timezone = 'Mars/Olympus' where (account_id, id) in (
      select account_id, created_by from credentials where id = $1)`,
    [profiles.linkedInPage],
  )
  const message = { network: 'LinkedIn', campaignId: '002demo00000001', message: 'In line' }
  const { Id: messageId } = (await service.publisher('POST /message', { body: message })).json.Message
  const body = { messageId, credentialIds: profiles.linkedInPage, status: 'inqueue' }
  const { status, json } = await service.publisher('POST /post', { body })
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining('Mars/Olympus')])
  const listed = await service.publisher(`GET /app/api/credential/${profiles.linkedInPage}/queue-slots`)
  expect(listed.status).toBe(200)
})

test('an unreadable link responds 404, and the list of links is served', async () => {
  await query(`update links set long_url = 'no address at all' where hash = 'Zpoison1'`)
  expect((await service.admin('GET /link/Zpoison1')).status).toBe(404)
  expect((await service.admin('GET /link', { query: 'campaignId=002demo00000001' })).status).toBe(200)
})
