import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deep } from '../../../../tests/support/depth.ts'
import { type Emitter, openEmitter } from '../../../../tests/support/emitter.ts'
import { type ReceivedCall, startReceiver, type WebhookReceiver } from '../../../../tests/support/outside/receiver.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

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

/** What published clients do: the hex digest of the raw body, keyed with the secret's text, compared without its case. */
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
  // On a busy machine one may come twice, under the same id.
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

/** One change each: of the body, of every header that is signed or signs. */
function mutations(call: ReceivedCall, index: number): ReceivedCall[] {
  const { headers, body } = call
  // Of all deliveries together, each of the first three hundred places once.
  const places = Array.from({ length: 300 / deliveries }, (_, round) => index + round * deliveries)
  const changed = places.map((number) => {
    const place = number % body.length
    return { ...call, body: body.slice(0, place) + (body[place] === 'a' ? 'b' : 'a') + body.slice(place + 1) }
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
