import { expect, test } from 'vitest'
import { addressRule } from './addresses.ts'
import { openOutbound } from './outbound.ts'

test('fifty valid URLs are accepted', async () => {
  const lookup = async (name: string) => {
    const address = publicAddresses[name.length % publicAddresses.length] ?? ''
    return [{ address, family: address.includes(':') ? (6 as const) : (4 as const) }]
  }
  const outbound = openOutbound({ allow: [], own: () => ['127.0.0.1:443', '[::1]:80'], lookup })
  const literals = publicAddresses.map((address) =>
    address.includes(':') ? `https://[${address}]/` : `http://${address}/`,
  )
  const urls = [...names, ...literals]
  expect(urls.length).toBeGreaterThanOrEqual(50)
  // Several rounds, because some engine bugs appear only in optimized code.
  for (let round = 0; round < 100; round += 1) {
    for (const url of urls) expect([url, await outbound.check(url).catch(String)]).toEqual([url, undefined])
  }
})

test('allowed ranges permit exactly their own addresses, in IPv4, IPv6 and IPv4-mapped form', () => {
  const cases: [allow: string, inside: string[], outside: string[]][] = [
    ['10.1.0.0/16', ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '::ffff:a01:203'], ['10.0.255.255', '10.2.0.0']],
    ['192.168.1.7', ['192.168.1.7'], ['192.168.1.6', '192.168.1.8', '64:ff9b::192.168.1.7', '2002:c0a8:107::1']],
    ['::ffff:10.0.0.0/104', ['10.9.9.9', '::ffff:10.9.9.9'], ['11.0.0.0/8', '127.0.0.1', '::10.9.9.9']],
    ['fd12:3456::/32', ['fd12:3456::1', 'fd12:3456:ffff::1'], ['fd12:3457::1', 'fd00::1', '::1']],
    ['::1', ['::1'], ['127.0.0.1', '::2', '::']],
    ['0.0.0.0/0', ['127.0.0.1', '169.254.169.254'], ['0.0.0.0', '::1', 'fd00::1', '64:ff9b::7f00:1']],
    ['64:ff9b::/96', ['64:ff9b::8.8.8.8'], ['64:ff9b::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b:1::8.8.8.8']],
    ['::/0', ['fd00::1', '2002:808:808::1'], ['::', '2002:7f00:1::1', '64:ff9b::7f00:1', '127.0.0.1']],
  ]
  for (const [allow, inside, outside] of cases) {
    const permitted = addressRule([allow])
    for (const address of inside) expect([allow, address, permitted(address)]).toEqual([allow, address, true])
    for (const address of outside) expect([allow, address, permitted(address)]).toEqual([allow, address, false])
  }
  for (const wrong of [
    '10.0.0.0/33',
    '10.1',
    'fd00::/129',
    'example.com',
    '',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
  ]) {
    expect(() => addressRule([wrong])).toThrow('is not an IP address or CIDR range')
  }
})

test('a name without an address is reported as a DNS failure', async () => {
  const empty = openOutbound({ allow: [], lookup: async () => [] })
  await expect(empty.check('https://nothing.example/')).rejects.toMatchObject({ kind: 'dns' })
  const broken = openOutbound({ allow: [], lookup: () => Promise.reject(new Error('SERVFAIL')) })
  await expect(broken.send({ method: 'GET', url: 'https://x.example/' })).rejects.toMatchObject({ kind: 'dns' })
  const never = openOutbound({ allow: [], lookup: () => new Promise(() => {}), connectTimeoutMs: 50 })
  await expect(never.check('https://slow.example/')).rejects.toMatchObject({ kind: 'timeout' })
})

// Many of them are adjacent to a special range.
const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.0.3.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '203.0.114.0',
  '223.255.255.255',
  '::ffff:1.1.1.1',
  '2001:200::1',
  '2001:db7:ffff::1',
  '2001:db9::1',
  '2003::1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '2620:4f:8001::1',
]

const names = [
  'https://example.com',
  'http://example.com/',
  'https://example.com:8443/hooks',
  'http://example.com:8080/a/b?c=d#e',
  'HTTPS://EXAMPLE.COM/',
  'https://example.com./',
  'https://bücher.example/',
  'https://xn--bcher-kva.example/',
  'https://日本語.example/パス',
  'https://a.b.c.d.e.f.example/',
  'https://127.0.0.1.example/',
  'https://localhost.example/',
  'https://notlocalhost/',
  'https://my-localhost.example/',
  'https://10.example/',
  'https://0x7f.example/',
  'https://hooks.example/services/T0/B0/x',
  'https://files.example/a%20b.png',
  'https://files.example/?url=http://127.0.0.1/',
  'https://user.example/@name',
  'https://example.com/a@b',
  '  https://example.com/  ',
  'https://single-label/',
]
