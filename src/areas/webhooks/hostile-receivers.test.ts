import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmitter } from '../../../tests/support/emitter.ts'
import { startRawReceiver, startReceiver } from '../../../tests/support/external-servers.ts'
import { demoAccount, startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.1', CHORUS_ROLES: 'api,worker' } })
})
afterAll(() => service.stop())

const subscribe = async (event: string, name: string, url: string): Promise<string> =>
  (await service.admin('POST /webhook', { body: { event, name, url } })).json.Webhook.Id

test('a receiver that responds endlessly, slowly, in loops or with garbage costs little memory and storage', async () => {
  const endless = await startRawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5368709120\r\n\r\n')
    const chunk = Buffer.alloc(65_536, 'x')
    const pour = () => {
      while (!socket.destroyed && socket.write(chunk));
      socket.once('drain', pour)
    }
    pour()
  })
  const garbage = await startRawReceiver((socket) => socket.end('\x00\x01 this is not HTTP \xff\r\n\r\n'))
  const loop = await startReceiver((response) => response.writeHead(307, { location: '/again' }).end())
  const zero = await startReceiver((response) => response.writeHead(500).end('a\0b'))
  const emitter = openEmitter(service.databaseUrl, demoAccount)
  const codes: Record<string, number> = {}
  const webhooks = {
    endless: await subscribe('newCampaign', 'Endless', endless.url),
    garbage: await subscribe('newCampaign', 'Garbage', garbage.url),
    loop: await subscribe('newCampaign', 'Loop', loop.url),
    zero: await subscribe('newCampaign', 'Zero', zero.url),
  }
  const before = process.memoryUsage().rss
  await emitter.emit('newCampaign', [{ Id: '002' }])
  for (const [name, id] of Object.entries(webhooks)) {
    const log = async () => (await service.admin(`GET /webhook-log/${id}`)).json
    await expect.poll(async () => (await log()).Total).toBeGreaterThanOrEqual(1)
    codes[name] = (await log()).Items.at(-1).ResponseCode
  }
  // A response with a 2xx status is a success, however long its body is.
  expect(codes).toEqual({ endless: 200, garbage: 0, loop: 307, zero: 500 })
  expect(loop.calls.map(({ path }) => path)).not.toContain('/again')
  expect(endless.sent()).toBeLessThan(32 * 1024 * 1024)
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  await emitter.close()
  for (const receiver of [endless, garbage, loop, zero]) await receiver.stop()
})

test('receivers that hang do not delay others, which receive everything before the first call times out', async () => {
  const healthy = await startReceiver()
  const hung = await startReceiver(() => {})
  const emitter = openEmitter(service.databaseUrl, demoAccount)
  // More hanging receivers than there are slots for new webhooks.
  for (let index = 0; index < 40; index++) await subscribe('postSent', 'Hung', `${hung.url}/${index}`)
  for (let index = 0; index < 8; index++) await subscribe('postSent', 'Healthy', `${healthy.url}/${index}`)
  // The first event fills every slot; few events, so that a busy machine delivers them before a call times out.
  const events = 2
  for (let number = 0; number < events; number++) {
    await emitter.emit('postSent', [{ Number: number }])
    await expect.poll(() => healthy.calls.length, { interval: 20 }).toBe((number + 1) * 8)
  }
  // Each hanging receiver has been called once, and none of these calls has ended.
  expect(hung.calls.length).toBeLessThanOrEqual(40)
  expect(new Set(hung.calls.map(({ path }) => path)).size).toBe(hung.calls.length)
  await emitter.close()
  await hung.stop()
  await healthy.stop()
})
