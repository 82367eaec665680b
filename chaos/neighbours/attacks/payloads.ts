import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Attacker } from '../attacker.ts'

const MiB = 2 ** 20
const form = 'application/x-www-form-urlencoded'
const octets = 'application/octet-stream'

interface Body {
  type: string
  bytes: Buffer
}

/** Bodies of maximum size in the formats that are most expensive to parse, and some that never end. */
export async function bodies(attacker: Attacker) {
  const { call, repeat, random } = attacker
  const all = largeBodies()
  const chunk = Buffer.alloc(8 * MiB)
  const routes = ['POST /message', 'POST /calendar', 'POST /post', 'POST /campaign', 'GET /message', 'POST /tag']
  await Promise.all([
    repeat(8, (turn) => {
      const { type, bytes } = all[turn % all.length] as Body
      return call(routes[Math.floor(random() * routes.length)] ?? '', { body: bytes, type })
    }),
    repeat(4, () => call('PUT /app/api/media/021none00000001', { query: 'offset=0', body: chunk, type: octets })),
    ...attacker.targets.users.flatMap((user) => [sendSlowly(attacker, user), sendSlowly(attacker, user)]),
  ])
}

function largeBodies(): Body[] {
  const json = (text: string) => ({ type: 'application/json', bytes: Buffer.from(text) })
  const many = (count: number, created: (index: number) => string, separator: string) =>
    Array.from({ length: count }, (_, index) => created(index)).join(separator)
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

/** A body sent one byte at a time; reconnects when cut off. */
async function sendSlowly({ targets, count }: Attacker, authorization: string) {
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

/** Creates tags as fast as allowed, and lists them. */
export function tags({ call, repeat, random }: Attacker) {
  return repeat(16, (turn) => {
    if (turn % 2 === 0) return call('POST /tag', { body: { tag: `tag ${turn} ${random()}` } })
    const query = `q=${['a', '7', 'g 1', '_', '%25'][turn % 5]}&_count=100&_page=${1 + (turn % 90)}&_order=lastUsed,1`
    return call('GET /tag', { query })
  })
}

const host = `https://a${'.aaaaaaaa'.repeat(12)}.com/?`
/** Texts of maximum length, each built against a text-processing algorithm. */
const adversarialTexts = [
  `https://example.com/${')'.repeat(10_200)}`,
  `https://example.com/${'.,!?'.repeat(5_000)}a`,
  `https://example.com/${'.)'.repeat(10_000)}`,
  host,
  `${host} `.repeat(500),
  `${'a'.repeat(62)}.`.repeat(1_000),
  'a.'.repeat(34_000),
  'a@'.repeat(34_000),
  '#'.repeat(68_000),
  '# @'.repeat(22_000),
  `${' '.repeat(68_000)}x`,
  `x${'\n \t'.repeat(22_000)}x`,
  'http://'.repeat(9_000),
  `http${'s://a'.repeat(12_000)}`,
  '👩‍👩‍'.repeat(8_000),
  '1️'.repeat(20_000),
  'é'.repeat(30_000),
  '<a '.repeat(20_000),
]

const networks = ['Twitter', 'Facebook', 'LinkedIn', 'Instagram', 'YouTube', 'TikTok']

/** Stores such texts in every text field, reads them again and posts them. */
export async function texts(attacker: Attacker) {
  const { call, targets, repeat, visit } = attacker
  const { campaignId, credentialId, link } = targets
  const writing = repeat(8, async (turn) => {
    const text = adversarialTexts[turn % adversarialTexts.length] ?? ''
    const network = networks[Math.floor(turn / adversarialTexts.length) % networks.length]
    const line = text.replace(/\s+/g, '.').slice(0, 2_000)
    const body = { campaignId, network, message: text, description: line, linkUrl: line, title: line.slice(0, 400) }
    const created = await call('POST /message', { body })
    const plain =
      created.status === 200 ? created : await call('POST /message', { body: { campaignId, network, message: text } })
    const messageId = idIn(plain)
    // In a month, so that it is in the calendar.
    const startDateTime = Math.floor(Date.now() / 1000) + 30 * 86_400
    if (messageId) await call('POST /post', { body: { messageId, credentialIds: credentialId, startDateTime } })
  })
  const relinking = repeat(2, async (turn) => {
    const longUrl = (turn % 2 === 0 ? host : (adversarialTexts[turn % adversarialTexts.length] ?? host)).slice(0, 2_000)
    await call(`POST /link/${link.id}`, { body: { longUrl } })
    await visit(link.url, { 'user-agent': 'Mozilla/5.0' })
    await sleep(100)
  })
  await Promise.all([writing, relinking])
}

function idIn({ status, text }: Answer): string | undefined {
  return status === 200 ? /"Id":"([^"]+)"/.exec(text)?.[1] : undefined
}
