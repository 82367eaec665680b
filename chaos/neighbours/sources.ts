import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { animation, flatPng, picture, pngWith } from '#kernel/media-inspector/fixtures/images.fixture.ts'
import { pdf } from '#kernel/media-inspector/fixtures/pdf.fixture.ts'
import { close, listen } from '../receivers.ts'

const MiB = 2 ** 20
const dripBytes = 64 * MiB
/** Number of servers, and so of origins. */
const servers = 8

/** Servers that never respond, respond slowly, or serve files that are expensive to process. */
export interface Sources {
  readonly files: readonly BombFile[]
  /** Accepts the request and never responds. */
  silent(): string
  /** Sends the response headers and then nothing. */
  headersOnly(): string
  /** A video at this many KiB per second. */
  drip(kibPerSecond: number): string
  /** URL of the file with this number. */
  bomb(number: number): string
  stop(): Promise<void>
}

export async function openSources(bombs: readonly BombFile[]): Promise<Sources> {
  const all = Array.from({ length: servers }, () =>
    createServer({ requestTimeout: 0 }, (request, response) => answer(bombs, request, response)),
  )
  for (const server of all) await listen(server)
  const ports = all.map((server) => (server.address() as AddressInfo).port)
  let requested = 0
  // Every URL is unique, so that caching does not help.
  const at = (path: string) => `http://127.0.0.1:${ports[requested++ % servers]}/${path}/${requested}`
  return {
    files: bombs,
    silent: () => at('silent'),
    headersOnly: () => at('headersOnly'),
    drip: (kibPerSecond) => at(`drip/${kibPerSecond}`),
    bomb: (number) => at(`bomb/${number}`),
    stop: async () => void (await Promise.all(all.map(close))),
  }
}

function answer(bombs: readonly BombFile[], request: IncomingMessage, response: ServerResponse) {
  const [, kind, value = ''] = (request.url ?? '').split('/')
  response.on('error', () => {})
  if (kind === 'silent') return request.resume()
  if (kind === 'headersOnly') {
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
  const chunk = Buffer.alloc(kibPerSecond * 256)
  for (let left = to - from; left > 0 && !response.destroyed; left -= chunk.length) {
    response.write(left < chunk.length ? chunk.subarray(0, left) : chunk)
    await sleep(250)
  }
  return response.end()
}

export interface BombFile {
  name: string
  mime: 'image/png' | 'image/gif' | 'application/pdf'
  bytes: Buffer
}

/** Small files that are expensive to process: rejected ones, and some within every limit. */
export async function bombFiles(): Promise<BombFile[]> {
  const zeros = deflateSync(Buffer.alloc(64 * 2 ** 20))
  const small = await picture('png')
  return [
    { name: 'huge.png', mime: 'image/png', bytes: flatPng(14_000, 14_000) },
    { name: 'largest.png', mime: 'image/png', bytes: flatPng(7_000, 7_000) },
    { name: 'profile.png', mime: 'image/png', bytes: pngWith(small, 'iCCP', chunkWithName(zeros)) },
    { name: 'comment.png', mime: 'image/png', bytes: pngWith(small, 'zTXt', chunkWithName(zeros)) },
    { name: 'film.gif', mime: 'image/gif', bytes: animation(400, 400, 1_800) },
    { name: 'long-film.gif', mime: 'image/gif', bytes: animation(400, 400, 10_000) },
    { name: 'pages.pdf', mime: 'application/pdf', bytes: pdf(20_000) },
    { name: 'lost.pdf', mime: 'application/pdf', bytes: withoutTable(pdf(1, { objects: objects(150_000) })) },
    { name: 'nested.pdf', mime: 'application/pdf', bytes: pdf(1, { trailer: `/Info ${'<< /A '.repeat(50_000)}` }) },
  ]
}

const chunkWithName = (compressed: Buffer) => Buffer.concat([Buffer.from('bomb\0\0', 'latin1'), compressed])

const objects = (count: number) => Array.from({ length: count }, (_, index) => `<< /N ${index} >>`)

/** Without the xref table the reader must scan for every object. */
const withoutTable = (file: Buffer) =>
  Buffer.from(file.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1')
