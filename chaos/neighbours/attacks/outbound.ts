import type { Attacker } from '../attacker.ts'
import type { BombFile } from '../sources.ts'

/** Requests that make the service call servers that never respond; every idempotency key is sent twice at once. */
export function hung({ call, sources, repeat }: Attacker) {
  return repeat(400, async (turn) => {
    const source = turn % 2 === 0 ? sources.silent() : sources.headersOnly()
    const headers = { 'idempotency-key': `hung-${turn}` }
    const request =
      turn % 4 < 2
        ? (['POST /media', { resource: source }] as const)
        : (['POST /upload', { source, name: 'film.mp4', mimeType: 'video/mp4' }] as const)
    const [route, body] = request
    await Promise.all([call(route, { body, headers }), call(route, { body, headers })])
  })
}

/** Rates in KiB per second, from nearly hung to slow. */
const ratesKib = [1, 8, 32, 128]

/** Very slow downloads, more than there are slots. */
export function drips({ call, sources, repeat }: Attacker) {
  return repeat(8, (turn) => {
    const source = sources.drip(ratesKib[turn % ratesKib.length] ?? 1)
    return call('POST /upload', { body: { source, name: `drip-${turn}.mp4`, mimeType: 'video/mp4' } })
  })
}

/** Webhook receivers that never respond, and events for all of them. */
export async function webhooks({ call, sources, repeat, random }: Attacker) {
  for (let number = 0; number < 60; number++) {
    const body = { event: 'newCampaign', name: `Hung ${number}`, url: sources.silent() }
    await call('POST /webhook', { body })
  }
  await repeat(16, (turn) => call('POST /campaign', { body: { name: `Event ${turn} ${random()}` } }))
}

/** Files that are expensive to process, downloaded by the service or uploaded directly. */
export function bombs(attacker: Attacker) {
  const { call, sources, repeat } = attacker
  const { files } = sources
  return repeat(24, (turn) => {
    const number = turn % files.length
    const file = files[number] as BombFile
    const method = Math.floor(turn / files.length) % 3
    if (method === 0) return direct(attacker, file)
    const source = sources.bomb(number)
    if (method === 1) return call('POST /upload', { body: { source, name: file.name, mimeType: file.mime } })
    return call('POST /media', { body: { resource: source }, headers: { 'idempotency-key': `bomb-${turn}` } })
  })
}

async function direct({ call }: Attacker, { name, mime, bytes }: BombFile) {
  const { status, text } = await call('POST /app/api/media', { body: { name, size: bytes.length, mimeType: mime } })
  if (status !== 200) return
  const { Upload } = JSON.parse(text)
  await call(`PUT /app/api/media/${Upload.Id}`, { query: 'offset=0', body: bytes, type: 'application/octet-stream' })
}
