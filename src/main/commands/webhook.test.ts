import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { commandLine } from '../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type Emitter, openEmitter } from '../../../tests/support/emitter.ts'
import { startReceiver, type WebhookReceiver } from '../../../tests/support/external-servers.ts'
import { demoAccount, demoKey, startTestService, type TestService, testKeys } from '../../../tests/support/service.ts'

const { chorus } = commandLine()
let service: TestService
let receiver: WebhookReceiver
let emitter: Emitter
let broken = false
beforeAll(async () => {
  service = await startTestService({
    environment: {
      CHORUS_OUTBOUND_ALLOW: '127.0.0.1',
      CHORUS_WEBHOOK_RETRY_DELAYS: '50ms',
      CHORUS_ROLES: 'api,worker',
    },
  })
  receiver = await startReceiver((response) => response.writeHead(broken ? 500 : 204).end())
  emitter = openEmitter(service.databaseUrl, demoAccount)
})
afterAll(async () => {
  await emitter.close()
  await receiver.stop()
  await service.stop()
})

let webhook: string
let secret: string
beforeEach(async () => {
  broken = false
  await ownerQuery(service.databaseUrl, 'delete from webhooks')
  const body = { event: 'newAdvocacyTopic', name: 'CRM', url: receiver.url }
  const { json } = await service.admin('POST /webhook', { body })
  ;[webhook, secret] = [json.Webhook.Id, json.Webhook.Secret]
  receiver.calls.length = 0
})

/** The command line next to the running service. */
const run = (args: string) =>
  chorus(`webhook ${args} --account ${demoAccount}`, {
    CHORUS_DATABASE_URL: service.databaseUrl,
    CHORUS_SECRET_KEYS: testKeys,
  })
const eventually = (read: () => unknown) => expect.poll(read, { interval: 20 })
const logEntries = async () => (await service.admin(`GET /webhook-log/${webhook}`)).json.Items
const idOf = (index: number) => receiver.calls[index]?.headers['webhook-id']

test('a sample is sent to the webhook alone', async () => {
  expect(await run('list')).toContain(`${webhook}  on   newAdvocacyTopic  CRM`)
  await run(`test --id ${webhook}`)
  await eventually(() => receiver.calls.length).toBe(1)
  const { json } = await service.admin('GET /webhook/events/newAdvocacyTopic')
  expect(JSON.parse(receiver.calls[0]?.body ?? '').data).toEqual(json.Sample)
})

test('one payload is sent again under its own id', async () => {
  await emitter.emit('newAdvocacyTopic', [{ Id: 'tpc' }])
  await eventually(async () => (await logEntries()).length).toBe(1)
  const [entry] = await logEntries()
  await run(`resend --id ${entry.WebhookPayloadId}`)
  await eventually(() => receiver.calls.length).toBe(2)
  await eventually(async () => (await logEntries()).length).toBe(2)
  expect(idOf(1)).toBe(idOf(0))
  await expect(run('resend --id 0WB000000000000')).rejects.toThrow('Payload not found.')
})

test('failed deliveries since a time are resent, also events while the webhook was disabled', async () => {
  await emitter.emit('newAdvocacyTopic', [{ Id: 'arrived' }])
  await eventually(async () => (await logEntries()).length).toBe(1)
  broken = true
  await emitter.emit('newAdvocacyTopic', [{ Id: 'failed' }])
  await eventually(async () => (await logEntries()).length).toBe(3)
  await service.admin(`POST /webhook/${webhook}`, { body: { isEnabled: 0 } })
  await emitter.emit('newAdvocacyTopic', [{ Id: 'unseen' }])
  await eventually(() => ownerQuery(service.databaseUrl, 'select id from event_queue')).toEqual([])
  await expect(run(`resend-failed --id ${webhook} --since 2020-01-01`)).rejects.toThrow('switched off')
  await service.admin(`POST /webhook/${webhook}`, { body: { isEnabled: 1 } })
  broken = false
  receiver.calls.length = 0
  // Events of the previous tests belong to deleted webhooks; this webhook has not received them either.
  expect(await run(`resend-failed --id ${webhook} --since 2020-01-01`)).toMatch(/^\d+ payloads are on the way/)
  const receivedIds = () => receiver.calls.map(({ body }) => JSON.parse(body).data[0].Id)
  await eventually(() =>
    receivedIds()
      .filter((id) => ['failed', 'unseen', 'arrived'].includes(id))
      .sort(),
  ).toEqual(['failed', 'unseen'])
  await eventually(() => run(`resend-failed --id ${webhook} --since 2020-01-01`)).toBe('0 payloads are on the way.')
  await expect(run(`resend-failed --id ${webhook} --since yesterday`)).rejects.toThrow('--since must be a day')
})

test('the same operations exist under /app/api, for admins only', async () => {
  const post = async (path: string, keySuffix: string, body = '') => {
    const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}${keySuffix}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fetch(`${service.url}/app/api${path}`, { method: 'POST', headers, body })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  expect(await post(`/webhook/${webhook}/test`, '')).toEqual({ status: 200, json: { Result: true } })
  await eventually(async () => (await logEntries()).length).toBe(1)
  const [{ WebhookPayloadId }] = await logEntries()
  expect((await post(`/webhook-payload/${WebhookPayloadId}/resend`, '')).status).toBe(200)
  await eventually(() => receiver.calls.length).toBe(2)
  const since = await post(`/webhook/${webhook}/resend-failed`, '', 'since=2099-01-01 00:00:00')
  expect(since).toEqual({ status: 200, json: { Result: true, Payloads: 0 } })
  for (const invalid of ['since=2026-02-31', 'since=soon', 'since=2026-01-01T25:00:00'])
    expect((await post(`/webhook/${webhook}/resend-failed`, '', invalid)).status).toBe(400)
  expect((await post(`/webhook/${webhook}/rotate-secret`, '')).json.Secret).toMatch(/^whsec_/)
  for (const path of ['test', 'resend-failed', 'rotate-secret'])
    expect((await post(`/webhook/${webhook}/${path}`, '-publisher')).status).toBe(403)
  expect((await post('/webhook/0WA000000000000/test', '')).status).toBe(404)
  expect((await fetch(`${service.url}/app/api/webhook/${webhook}/test`)).status).toBe(405)
})

test('calls are signed with both secrets for a day after rotation', async () => {
  const output = await run(`rotate-secret --id ${webhook}`)
  const newSecret = /whsec_\S+/.exec(output)?.[0] as string
  expect(newSecret).not.toBe(secret)
  await emitter.emit('newAdvocacyTopic', [{ Id: 'both' }])
  await eventually(() => receiver.calls.length).toBe(1)
  const { body, headers } = receiver.calls[0] as { body: string; headers: Record<string, string> }
  for (const either of [secret, newSecret]) expect(new Webhook(either).verify(body, headers)).toBeTruthy()
  await ownerQuery(service.databaseUrl, `update webhooks set previous_until = now() - interval '1 second'`)
  await emitter.emit('newAdvocacyTopic', [{ Id: 'new alone' }])
  await eventually(() => receiver.calls.length).toBe(2)
  const call = receiver.calls[1] as { body: string; headers: Record<string, string> }
  expect(new Webhook(newSecret).verify(call.body, call.headers)).toBeTruthy()
  expect(() => new Webhook(secret).verify(call.body, call.headers)).toThrow()
  await expect(run('rotate-secret --id 0WA000000000000')).rejects.toThrow('Webhook not found.')
})
