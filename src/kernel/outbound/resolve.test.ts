import { createSocket, type Socket } from 'node:dgram'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveName } from './target.ts'

let nameServer: Socket
let servers: string[]
beforeAll(async () => {
  nameServer = createSocket('udp4').on('message', (query, { port }) => nameServer.send(reply(query), port, '127.0.0.1'))
  await new Promise<void>((resolve) => nameServer.bind(0, '127.0.0.1', resolve))
  servers = [`127.0.0.1:${nameServer.address().port}`]
})
afterAll(() => void nameServer.close())

test('addresses of both families are returned', async () => {
  expect(await resolveName('both.example', servers)).toEqual([
    { address: '1.2.3.4', family: 4 },
    { address: '10.0.0.1', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
})

test('a name with addresses of one family is resolved', async () => {
  expect(await resolveName('four.example', servers)).toHaveLength(2)
})

test('names unknown to the name servers are looked up in the hosts file', async () => {
  const found = await resolveName('localhost', servers)
  expect(found.length).toBeGreaterThan(0)
  expect(found.every(({ address }) => address === '::1' || address.startsWith('127.'))).toBe(true)
})

/** Responds like a name server that knows two names. */
function reply(query: Buffer): Buffer {
  const name = query.toString('latin1', 13, 17)
  const end = query.indexOf(0, 12) + 5
  const six = query.readUInt16BE(end - 4) === 28
  const known = name === 'both' || name === 'four'
  const addresses = !known
    ? []
    : six
      ? name === 'both'
        ? ['26064700000000000000000000000001']
        : []
      : ['01020304', '0a000001']
  const header = Buffer.from([0, 0, 0x81, known ? 0x80 : 0x83, 0, 1, 0, addresses.length, 0, 0, 0, 0])
  query.copy(header, 0, 0, 2)
  const records = addresses.map((hex) => {
    const length = hex.length / 2
    return Buffer.concat([
      Buffer.from([0xc0, 12, 0, six ? 28 : 1, 0, 1, 0, 0, 0, 9, 0, length]),
      Buffer.from(hex, 'hex'),
    ])
  })
  return Buffer.concat([header, query.subarray(12, end), ...records])
}
