import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type Emitter, openEmitter } from '../../../tests/support/emitter.ts'
import { startReceiver, type WebhookReceiver } from '../../../tests/support/external-servers.ts'
import { demoAccount, quickJobs, startTestService, type TestService } from '../../../tests/support/service.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'

const hour = 3_600_000
/** The scan interval: no notification is sent when the test advances the clock. */
const scanInterval = 100
// Starts today, like the demo data, so that the demo need not be created for another day.
let time = Math.ceil(Date.now() / 1000) * 1000
const clock = { now: () => new Date(time) }
let service: TestService
let emitter: Emitter
let receiver: WebhookReceiver
let status = 200
let headers: Record<string, string> = {}
let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
  service = await startTestService({
    pollingIntervals: { ...quickJobs, webhooks: scanInterval },
    clock,
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.1', CHORUS_DATA_DIR: folder.path, CHORUS_ROLES: 'api,worker' },
  })
  emitter = openEmitter(service.databaseUrl, demoAccount, clock)
  receiver = await startReceiver((response) => response.writeHead(status, headers).end('because'))
})
afterAll(async () => {
  await emitter.close()
  await receiver.stop()
  await service.stop()
  await folder.remove()
})

let webhook: string
beforeEach(async () => {
  await ownerQuery(service.databaseUrl, 'delete from webhooks')
  await ownerQuery(service.databaseUrl, 'delete from webhook_deliveries')
  await ownerQuery(service.databaseUrl, 'delete from webhook_partitions where worker is null')
  ;[status, headers] = [200, {}]
  const body = { event: 'postSent', name: 'CRM', url: `${receiver.url}/` }
  webhook = (await service.admin('POST /webhook', { body })).json.Webhook.Id
  receiver.calls.length = 0
})

const until = (read: () => unknown) => expect.poll(read, { interval: scanInterval / 2 })
const log = async () => (await service.admin(`GET /webhook-log/${webhook}`)).json
const due = async () => {
  const [row] = await ownerQuery<{ due: Date | null; attempts: number }>(
    service.databaseUrl,
    `select due, attempts from webhook_deliveries where webhook_id = '${webhook}'`,
  )
  return row
}
/** Polled from the table, which costs less than a request. */
const tries = async () => {
  const text = `select count(*)::int as count from webhook_log where webhook_id = '${webhook}'`
  return (await ownerQuery<{ count: number }>(service.databaseUrl, text))[0]?.count
}
/** One attempt has been made and recorded. */
const attempted = async (count: number) => {
  await until(tries).toBe(count)
  return due()
}
const written = (moment: number) => new Date(moment).toISOString().slice(0, 19).replace('T', ' ')
const ids = () => new Set(receiver.calls.map(({ headers }) => headers['webhook-id']))

describe('a delivery', () => {
  test('arrives, is logged with its payload, and updates the last execution date', async () => {
    await emitter.emit('postSent', [{ Id: '004' }])
    await attempted(1)
    const { Items } = await log()
    expect(Items[0]).toEqual({
      Id: expect.stringMatching(/^0WC/),
      WebhookPayloadId: receiver.calls[0]?.headers['x-oktopost-payload'],
      Created: written(time),
      ResponseCode: 200,
      ExecutionTime: expect.any(Number),
      Payload: { event: 'postSent', timestamp: time / 1000, webhookId: webhook, data: [{ Id: '004' }] },
    })
    const { json } = await service.admin(`GET /webhook/${webhook}`)
    expect(json.Webhook.LastExecutionDate).toBe(written(time))
    expect(await due()).toBeUndefined()
  })

  test('that fails is attempted ten times on schedule under the same id, then kept as failed', async () => {
    status = 500
    await emitter.emit('postSent', [{ Id: '004' }])
    const steps: number[] = []
    for (let attempt = 1; attempt < 10; attempt++) {
      const row = await attempted(attempt)
      expect(row?.attempts).toBe(attempt)
      const wait = (row?.due?.getTime() ?? 0) - time
      steps.push(wait / 1000)
      time += wait - 1
      await sleep(attempt === 1 ? 5 * scanInterval : 0)
      expect(receiver.calls).toHaveLength(attempt)
      time += 1
    }
    expect(await attempted(10)).toEqual({ due: null, attempts: 10 })
    const plan = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const [index, step] of steps.entries()) {
      expect(step).toBeGreaterThanOrEqual((plan[index] as number) * 0.8)
      expect(step).toBeLessThanOrEqual((plan[index] as number) * 1.2)
    }
    expect(ids().size).toBe(1)
    expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1)
    expect(new Set((await log()).Items.map((entry: { ResponseCode: number }) => entry.ResponseCode))).toEqual(
      new Set([500]),
    )
  })

  test('postponed while the clock was a day ahead is retried once it is set back', async () => {
    status = 500
    time += 24 * hour
    await emitter.emit('postSent', [{ Id: '004' }])
    await attempted(1)
    status = 200
    time -= 24 * hour
    expect((await attempted(2))?.due).toBeUndefined()
  })

  test('honours Retry-After and does not follow redirects', async () => {
    ;[status, headers] = [503, { 'retry-after': '8' }]
    await emitter.emit('postSent', [{}])
    expect((await attempted(1))?.due).toEqual(new Date(time + 8000))
    ;[status, headers] = [302, { location: `${receiver.url}/elsewhere` }]
    time += 8000
    await attempted(2)
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/', '/'])
  })

  test('goes to all webhooks of its event type and no others, legacy types included', async () => {
    for (const event of ['postSent', 'newLead', 'newConversation']) {
      const { status } = await service.admin('POST /webhook', {
        body: { event, name: event, url: `${receiver.url}/${event}` },
      })
      expect(status).toBe(200)
    }
    await emitter.emit('postSent', [{}])
    await emitter.emit('newConversation', [{}])
    await until(() => receiver.calls.map(({ path }) => path).sort()).toEqual(['/', '/newConversation', '/postSent'])
    expect(ids().size).toBe(3)
  })

  test('does not exist if the change was rolled back', async () => {
    const undone = emitter.emit('postSent', [{}, 1n as unknown as object], true)
    await expect(undone).rejects.toThrow()
    await emitter.emit('postSent', [{ Id: 'stands' }])
    await attempted(1)
    expect(receiver.calls.map(({ body }) => JSON.parse(body).data[0].Id)).toEqual(['stands'])
  })
})

describe('a webhook', () => {
  test('that responds 410 is disabled at once, and its owner is notified', async () => {
    status = 410
    await emitter.emit('postSent', [{}])
    await until(async () => (await service.admin(`GET /webhook/${webhook}`)).json.Webhook.IsEnabled).toBe(0)
    expect(await due()).toMatchObject({ due: null })
    const mail = await mailAbout('CRM')
    expect(mail).toContain('410')
    expect(mail).toContain(`chorus webhook resend-failed --account ${demoAccount} --id ${webhook}`)
    expect(mail).toMatch(/^To: ada.marsh@example.com/m)
  })

  test('without a success for five days is disabled; one success resets the count', async () => {
    const enabled = async () => (await service.admin(`GET /webhook/${webhook}`)).json.Webhook.IsEnabled
    status = 500
    await emitter.emit('postSent', [{}])
    await attempted(1)
    time += 119 * hour
    await emitter.emit('postSent', [{}])
    await attempted(3)
    expect(await enabled()).toBe(1)
    status = 200
    await emitter.emit('postSent', [{}])
    await attempted(4)
    time += 2 * hour
    status = 500
    await emitter.emit('postSent', [{}])
    await until(tries).toBeGreaterThanOrEqual(5)
    expect(await enabled()).toBe(1)
    time += 120 * hour
    await emitter.emit('postSent', [{}])
    await until(enabled).toBe(0)
    expect(await mailAbout('five days')).toContain('No call has succeeded for five days')
    const calls = receiver.calls.length
    await emitter.emit('postSent', [{}])
    await sleep(5 * scanInterval)
    expect(receiver.calls).toHaveLength(calls)
  })

  test('that is disabled receives nothing, and after a change receives at its new URL', async () => {
    await service.admin(`POST /webhook/${webhook}`, { body: { isEnabled: 0 } })
    await emitter.emit('postSent', [{ Id: 'unseen' }])
    await until(queued).toBe(0)
    await service.admin(`POST /webhook/${webhook}`, { body: { isEnabled: 1, url: `${receiver.url}/moved` } })
    await emitter.emit('postSent', [{ Id: 'seen' }])
    await attempted(1)
    expect(receiver.calls.map(({ path, body }) => [path, JSON.parse(body).data[0].Id])).toEqual([['/moved', 'seen']])
  })
})

const queued = async () =>
  (await ownerQuery<{ count: number }>(service.databaseUrl, 'select count(*)::int as count from event_queue'))[0]?.count

async function mailAbout(words: string): Promise<string | undefined> {
  let found: string | undefined
  await until(async () => {
    const outbox = join(folder.path, 'outbox')
    const files = await readdir(outbox).catch(() => [])
    const mails = await Promise.all(files.map((file) => readFile(join(outbox, file), 'utf8')))
    found = mails.find((mail) => mail.includes(words) && mail.includes(webhook))
    return found
  }).toBeDefined()
  return found
}
