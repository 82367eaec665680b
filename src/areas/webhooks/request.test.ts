import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsList } from '#main/settings/settings.ts'
import { type Emitter, openEmitter } from '../../../tests/support/emitter.ts'
import { type ReceivedCall, startReceiver, type WebhookReceiver } from '../../../tests/support/external-servers.ts'
import { deep } from '../../../tests/support/randomness.ts'
import { demoAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { type FailedCall, readRetryAfter, retryDelay } from './request.ts'

let service: TestService
let receiver: WebhookReceiver
let emitter: Emitter
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.1', CHORUS_ROLES: 'api,worker' } })
  receiver = await startReceiver()
  emitter = openEmitter(service.databaseUrl, demoAccount)
})
afterAll(async () => {
  await emitter.close()
  await receiver.stop()
  await service.stop()
})

const deliveries = deep(50, 150)

/** The verification existing clients use: the hex digest of the raw body, keyed with the secret's text, compared case-insensitively. */
function verifyHex(secret: string, { headers, body }: ReceivedCall, header: string): boolean {
  const expected = Buffer.from(createHmac('sha1', secret).update(body).digest('hex'))
  const given = Buffer.from(String(headers[header]).toLowerCase())
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function verifyStandard(secret: string, { headers, body }: ReceivedCall): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

test(`both kinds of receivers verify ${deliveries} deliveries and refuse whatever was changed`, async () => {
  const { json } = await service.admin('POST /webhook', {
    body: { event: 'newCampaign', name: 'Signed', url: `${receiver.url}/hook` },
  })
  const { Id, Secret } = json.Webhook
  const elements = Array.from({ length: deliveries }, (_, number) => ({
    Id: `002${number}`,
    Name: `Größe "${number}" 🎉 \\ ${'x'.repeat(2 * number)}`,
  }))
  await emitter.emit('newCampaign', elements, true)
  // On a busy machine a delivery may arrive twice, under the same id.
  await expect.poll(() => new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(deliveries)
  const seen = new Set<string>()
  for (const [index, call] of receiver.calls.entries()) {
    const { headers, body, path } = call
    expect([path, headers['content-type'], headers['x-oktopost-webhook']]).toEqual(['/hook', 'application/json', Id])
    expect(headers['user-agent']).toMatch(/^Chorus-Webhooks\/\d+\.\d+\.\d+$/)
    expect(headers['x-oktopost-payload']).toMatch(/^0WB\w{12}$/)
    expect(headers['webhook-id']).toBe(headers['x-oktopost-payload'])
    const { event, timestamp, webhookId, data, ...rest } = JSON.parse(body)
    expect([event, webhookId, rest]).toEqual(['newCampaign', Id, {}])
    expect(Number.isInteger(timestamp)).toBe(true)
    expect(elements[Number(data[0].Id.slice(3))]).toEqual(data[0])
    seen.add(data[0].Id)
    for (const header of ['x-oktopost-signature', 'x-oktopost-secret'])
      expect(verifyHex(Secret, call, header)).toBe(true)
    expect(verifyStandard(Secret, call)).toBe(true)
    for (const wrong of mutations(call, index)) {
      const standard = verifyStandard(Secret, wrong)
      const hex = verifyHex(Secret, wrong, 'x-oktopost-signature')
      if (wrong.body !== body) expect([standard, hex]).toEqual([false, false])
      else expect(standard && hex).toBe(false)
    }
    expect(verifyHex(`${Secret}x`, call, 'x-oktopost-signature')).toBe(false)
  }
  expect(seen.size).toBe(deliveries)
})

/** One change each: of the body, and of every header that is signed or holds a signature. */
function mutations(call: ReceivedCall, index: number): ReceivedCall[] {
  const { headers, body } = call
  // Together, the deliveries cover each of the first three hundred positions once.
  const positions = Array.from({ length: 300 / deliveries }, (_, round) => index + round * deliveries)
  const changed = positions.map((number) => {
    const position = number % body.length
    return { ...call, body: body.slice(0, position) + (body[position] === 'a' ? 'b' : 'a') + body.slice(position + 1) }
  })
  const with_ = (more: Record<string, string>) => ({ ...call, headers: { ...headers, ...more } })
  return [
    ...changed,
    { ...call, body: `${body} ` },
    { ...call, body: body.slice(0, -1) },
    with_({ 'webhook-id': `${headers['webhook-id']}x` }),
    with_({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) }),
    with_({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 3600) }),
    with_({ 'webhook-signature': swapFirst(String(headers['webhook-signature'])) }),
    with_({ 'x-oktopost-signature': swapLast(String(headers['x-oktopost-signature'])) }),
  ]
}

const swapFirst = (text: string) => text.replace(/^v1,(.)/, (_, letter) => `v1,${letter === 'A' ? 'B' : 'A'}`)
const swapLast = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')

const second = 1000
const hour = 3600 * second
const { standard, read } = settingsList.CHORUS_WEBHOOK_RETRY_DELAYS
const waits = read(standard)
const failedCall = (more: Partial<FailedCall> = {}): FailedCall => ({
  status: 500,
  timedOut: false,
  retryAfter: undefined,
  ...more,
})
const [earliest, middle, latest] = [() => 0, () => 0.5, () => 1]

test('ten attempts are spread over a little more than three days', () => {
  const steps = Array.from({ length: 9 }, (_, index) => retryDelay(index + 1, failedCall(), waits, middle) as number)
  expect(steps.map((step) => step / second)).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
  expect(steps.reduce((sum, step) => sum + step, 0)).toBe(75 * hour + 35 * 60 * second + 5 * second)
  expect(retryDelay(10, failedCall(), waits)).toBeUndefined()
})

test('every delay has a jitter of 20 %', () => {
  for (const [index, wait] of waits.entries()) {
    expect(retryDelay(index + 1, failedCall(), waits, earliest)).toBeCloseTo(wait * 0.8)
    expect(retryDelay(index + 1, failedCall(), waits, latest)).toBeCloseTo(wait * 1.2)
  }
})

test('an overloaded receiver is not called for at least a minute', () => {
  for (const status of [429, 502, 504]) expect(retryDelay(1, failedCall({ status }), waits, middle)).toBe(60 * second)
  expect(retryDelay(1, failedCall({ status: 0, timedOut: true }), waits, middle)).toBe(60 * second)
  expect(retryDelay(1, failedCall({ status: 503 }), waits, middle)).toBe(5 * second)
  expect(retryDelay(2, failedCall({ status: 429 }), waits, middle)).toBe(300 * second)
})

test('Retry-After is honoured up to twice the delay', () => {
  const delayFor = (retryAfter: number) => retryDelay(2, failedCall({ retryAfter }), waits, middle)
  expect(delayFor(10 * second)).toBe(300 * second)
  expect(delayFor(400 * second)).toBe(400 * second)
  expect(delayFor(24 * hour)).toBe(600 * second)
})

test('Retry-After is read as seconds or as a date; anything else is ignored', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  expect(readRetryAfter('120', now)).toBe(120 * second)
  expect(readRetryAfter('Sun, 01 Mar 2026 12:05:00 GMT', now)).toBe(300 * second)
  for (const nonsense of [undefined, '', 'soon', '-5', 'Sun, 01 Mar 2026 11:00:00 GMT', '1e9', '99999999999'])
    expect(readRetryAfter(nonsense, now)).toBeUndefined()
})
