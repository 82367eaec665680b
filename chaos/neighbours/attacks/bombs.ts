import type { Attacker } from '../attacker.ts'
import type { BombFile } from '../bomb-files.ts'

/** Files that are much work, fetched by the service or sent by a browser, all the ways there are. */
export function bombs(attacker: Attacker) {
  const { call, sources, endlessly } = attacker
  const { files } = sources
  return endlessly(24, (turn) => {
    const number = turn % files.length
    const file = files[number] as BombFile
    const way = Math.floor(turn / files.length) % 3
    if (way === 0) return direct(attacker, file)
    const source = sources.bomb(number)
    if (way === 1) return call('POST /upload', { body: { source, name: file.name, mimeType: file.mime } })
    return call('POST /media', { body: { resource: source }, headers: { 'idempotency-key': `bomb-${turn}` } })
  })
}

async function direct({ call }: Attacker, { name, mime, bytes }: BombFile) {
  const { status, text } = await call('POST /app/api/media', { body: { name, size: bytes.length, mimeType: mime } })
  if (status !== 200) return
  const { Upload } = JSON.parse(text)
  await call(`PUT /app/api/media/${Upload.Id}`, { query: 'offset=0', body: bytes, type: 'application/octet-stream' })
}
