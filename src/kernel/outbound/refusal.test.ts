import { afterAll, beforeAll, expect, test } from 'vitest'
import { badAnswers, badUrls } from './bad-urls.fixture.ts'
import { OutboundFailure } from './failure.ts'
import { type Outbound, openOutbound } from './outbound.ts'
import { canary, receiveHttp } from './receivers.fixture.ts'
import type { ResolvedAddress } from './target.ts'

let protectedServer: Awaited<ReturnType<typeof canary>>
let outbound: Outbound
const names = new Map<string, string[]>()

beforeAll(async () => {
  protectedServer = await canary(['127.0.0.1', '127.0.0.2', '::1'])
  outbound = openOutbound({
    allow: [],
    ports: 'any',
    lookup: async (name) => (names.get(name) ?? ['1.1.1.1']).map(answer),
  })
})
afterAll(async () => {
  await outbound.close()
  expect(protectedServer.hits()).toBe(0)
  await protectedServer.stop()
})

test('IP addresses that are not public are refused in every notation', async () => {
  const urls = badUrls(protectedServer.port)
  expect(urls.length).toBeGreaterThan(800)
  for (const url of urls) {
    expect([url, await kindOf(outbound.check(url))]).toEqual([url, 'refused-address'])
    expect([url, await kindOf(outbound.send({ method: 'POST', url, body: '{}' }))]).toEqual([url, 'refused-address'])
    expect([url, await kindOf(outbound.stream({ method: 'GET', url }))]).toEqual([url, 'refused-address'])
  }
  expect(protectedServer.hits()).toBe(0)
})

test('control: an allowed call reaches the server', async () => {
  const control = await canary(['127.0.0.1', '::1'])
  const unrestricted = openOutbound({ allow: ['127.0.0.0/8'], ports: 'any' })
  const calls = ['2130706433', '[::ffff:7f00:1]', 'a.localhost.'].map((host) =>
    kindOf(unrestricted.send({ method: 'GET', url: `http://${host}:${control.port}/`, timeoutMs: 2_000 })),
  )
  expect(await Promise.all(calls)).toEqual(['timeout', 'timeout', 'timeout'])
  expect(control.hits()).toBe(3)
  await unrestricted.close()
  await control.stop()
})

test('a name is refused when a single one of its addresses is not public', async () => {
  const answers = [
    ...badAnswers(),
    '::ffff:127.0.0.1',
    '::1.1.1.1',
    '::10.0.0.1',
    'fe80::1%eth0',
    'localhost',
    '127.1',
    'nonsense',
    '',
  ]
  for (const [index, bad] of answers.entries()) {
    for (const [position, list] of [
      [bad],
      ['1.1.1.1', bad],
      [bad, '1.1.1.1'],
      ['2606:4700::1', bad, '1.1.1.1'],
    ].entries()) {
      const name = `n${index}-${position}.example`
      names.set(name, list)
      const url = `http://${name}:${protectedServer.port}/`
      expect([list, await kindOf(outbound.check(url))]).toEqual([list, 'refused-address'])
      expect([list, await kindOf(outbound.send({ method: 'GET', url }))]).toEqual([list, 'refused-address'])
    }
  }
})

test('a name whose address changes between check and call reaches no server', async () => {
  let lookups = 0
  const rebinding = openOutbound({
    allow: [],
    ports: 'any',
    lookup: async () => [answer(lookups++ % 2 === 0 ? '1.1.1.1' : '127.0.0.1')],
  })
  for (let round = 0; round < 200; round += 1) {
    const url = `http://rebinding.example:${protectedServer.port}/`
    await rebinding.check(url)
    expect(await kindOf(rebinding.send({ method: 'GET', url }))).toBe('refused-address')
  }
  expect(lookups).toBe(400)
  await rebinding.close()
  expect(protectedServer.hits()).toBe(0)
})

test('redirect targets are checked like the first URL', async () => {
  let location = ''
  const server = await receiveHttp((_request, response) => response.writeHead(302, { location }).end())
  const own = [`127.0.0.1:${protectedServer.port}`]
  const guarded = openOutbound({
    allow: ['127.0.0.1/32'],
    own: () => own,
    ports: 'any',
    lookup: async () => [answer('127.0.0.2')],
  })
  // These resolve to the redirecting server itself, which is allowed here.
  const relative = ['', ' ', '/path', '//127.0.0.1/']
  const targets = badUrls(protectedServer.port).filter(
    (url, index) => !relative.includes(url) && (index % 5 === 0 || /127|local/.test(url)),
  )
  for (const url of [
    ...targets,
    `http://name.example:${protectedServer.port}/`,
    `//127.0.0.2:${protectedServer.port}/`,
  ]) {
    location = url.replace(/[^ -~]/gu, encodeURIComponent)
    const call = guarded.send({ method: 'GET', url: server.url, redirects: 3 })
    expect([url, await kindOf(call)]).toEqual([url, 'refused-address'])
  }
  await guarded.close()
  await server.stop()
  expect(protectedServer.hits()).toBe(0)
})

test('the service itself and unusual ports are refused', async () => {
  const open = (own: string[]) =>
    openOutbound({ allow: ['127.0.0.0/8', '0.0.0.0/8', '::/0'], own: () => own, ports: 'any' })
  for (const own of [
    `127.0.0.1:${protectedServer.port}`,
    `localhost:${protectedServer.port}`,
    `0.0.0.0:${protectedServer.port}`,
    `[::]:${protectedServer.port}`,
  ]) {
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', 'localhost', '0.0.0.0', '[::]']) {
      expect(await kindOf(open([own]).check(`http://${host}:${protectedServer.port}/`))).toBe('refused-address')
    }
  }
  await expect(open(['3000']).check('http://1.1.1.1/')).rejects.toThrow('is not an address')
  const usual = openOutbound({ allow: [] })
  for (const port of [22, 25, 5432, 6379, 3000]) {
    expect(await kindOf(usual.check(`http://1.1.1.1:${port}/`))).toBe('refused-address')
  }
  for (const port of [80, 443, 8080, 8443]) await usual.check(`http://1.1.1.1:${port}/`)
})

const answer = (address: string): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 })

async function kindOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'done'
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    expect(error.message).toMatch(/^\S.*\.$/)
    return error.kind
  }
}
