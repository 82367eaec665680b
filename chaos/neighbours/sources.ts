import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { close, listen } from '../receivers.ts'
import type { BombFile } from './bomb-files.ts'

const MiB = 2 ** 20
const dripBytes = 64 * MiB
/** As many servers, and so origins. */
const servers = 8

/** Servers that keep whoever asks them waiting, or give what is hard to digest. */
export interface Sources {
  readonly files: readonly BombFile[]
  /** Takes the call and never answers. */
  silent(): string
  /** Answers the beginning and then nothing. */
  begun(): string
  /** A video that comes at so many KiB a second. */
  drip(kibPerSecond: number): string
  /** Where the file with this number is. */
  bomb(number: number): string
  stop(): Promise<void>
}

export async function openSources(bombs: readonly BombFile[]): Promise<Sources> {
  const all = Array.from({ length: servers }, () =>
    createServer({ requestTimeout: 0 }, (request, response) => answer(bombs, request, response)),
  )
  for (const server of all) await listen(server)
  const ports = all.map((server) => (server.address() as AddressInfo).port)
  let asked = 0
  // Every address is new, so that nothing known of one helps with the next.
  const at = (path: string) => `http://127.0.0.1:${ports[asked++ % servers]}/${path}/${asked}`
  return {
    files: bombs,
    silent: () => at('silent'),
    begun: () => at('begun'),
    drip: (kibPerSecond) => at(`drip/${kibPerSecond}`),
    bomb: (number) => at(`bomb/${number}`),
    stop: async () => void (await Promise.all(all.map(close))),
  }
}

function answer(bombs: readonly BombFile[], request: IncomingMessage, response: ServerResponse) {
  const [, kind, value = ''] = (request.url ?? '').split('/')
  response.on('error', () => {})
  if (kind === 'silent') return request.resume()
  if (kind === 'begun') {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': MiB, 'accept-ranges': 'bytes' })
    return response.flushHeaders()
  }
  if (kind === 'drip') return drip(Number(value), request, response)
  const { mime, bytes } = bombs[Number(value)] ?? { mime: 'text/plain', bytes: Buffer.alloc(0) }
  response.writeHead(200, { 'content-type': mime, 'content-length': bytes.length, etag: '"bomb"' })
  return response.end(request.method === 'HEAD' ? undefined : bytes)
}

async function drip(kibPerSecond: number, { method, headers }: IncomingMessage, response: ServerResponse) {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const [from, to] = [Number(first), last ? Number(last) + 1 : dripBytes]
  response.writeHead(headers.range ? 206 : 200, {
    'content-type': 'video/mp4',
    'content-length': to - from,
    'accept-ranges': 'bytes',
    etag: '"drip"',
    ...(headers.range && { 'content-range': `bytes ${from}-${to - 1}/${dripBytes}` }),
  })
  if (method === 'HEAD') return response.end()
  const piece = Buffer.alloc(kibPerSecond * 256)
  for (let left = to - from; left > 0 && !response.destroyed; left -= piece.length) {
    response.write(left < piece.length ? piece.subarray(0, left) : piece)
    await sleep(250)
  }
  return response.end()
}
