import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { missing, Refusal } from '../../errors.ts'
import type { Guard } from '../auth/guard.ts'
import { addRoute } from './route.ts'

/** A file to serve. */
export interface ServedFile {
  bytes: number
  mime: string
  /** Identifies this content. */
  tag: string
  /** Whether a browser may display it; everything else is a download. */
  inline: boolean
  name: string
  /** Set if the URL expires: it must not be cached. */
  isPrivate?: true
  /** Rejects if the bytes are not the announced content; the caller then gets no complete file. */
  read(from: number, to: number): AsyncIterable<Uint8Array>
}

export interface FileRoute {
  /** Path as in endpoints: `/media/{account}/{id}/{token}/{name}`. */
  readonly path: string
  /** Undefined if there is no such file, or if the URL does not prove that it was issued to the caller. */
  readonly find: (parts: { [name: string]: string }) => Promise<ServedFile | undefined>
}

/** Serves files to every client that has their URL: with range requests and caching, and never as active content. */
export function addFiles(server: FastifyInstance, routes: readonly FileRoute[], gate: Guard) {
  for (const { path, find } of routes) {
    addRoute(server, gate, {
      method: ['GET', 'HEAD'],
      path,
      entry: { kind: 'public' },
      async run({ request, reply }) {
        const file = await find(request.params as { [name: string]: string })
        if (!file) throw missing('File')
        return sendFile(file, request, reply)
      },
    })
  }
}

async function sendFile(file: ServedFile, request: FastifyRequest, reply: FastifyReply) {
  const { bytes, tag } = file
  const about = { ...protection, ...description(file) }
  if (request.headers['if-none-match'] === `"${tag}"`) return reply.headers(about).code(304).send()
  const range = rangeOf(request, bytes, tag)
  if (range === 'impossible') {
    reply.header('content-range', `bytes */${bytes}`)
    throw new Refusal('unsatisfiable', `The file has ${bytes} bytes; the range is not in it.`)
  }
  const { from, to } = range ?? { from: 0, to: bytes }
  const body = request.method === 'HEAD' ? undefined : await begun(exactly(file.read(from, to), to - from))
  reply.headers(about)
  if (range) reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${bytes}`)
  reply.header('content-length', String(to - from))
  return reply.send(body && Readable.from(body, { objectMode: false }))
}

/** If the first read fails, the request gets a regular error response that does not describe the file. */
async function begun(source: AsyncGenerator<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const first = await source.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* source
  })()
}

/** Fewer bytes than announced raise an error, which cuts the connection; extra bytes are never sent. */
async function* exactly(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const part of source) {
    if (sent + part.length > bytes) break
    sent += part.length
    yield part
  }
  if (sent !== bytes) throw new Error(`A file gave ${sent} bytes instead of ${bytes}.`)
}

/** A single range in its usual forms; requests for several get the whole file, as the protocol allows. */
function rangeOf(
  { headers }: FastifyRequest,
  bytes: number,
  tag: string,
): { from: number; to: number } | 'impossible' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  if (first === '' && last === '') return undefined
  const condition = headers['if-range']
  if (condition !== undefined && condition !== `"${tag}"`) return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const to = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  return from >= bytes || to <= from ? 'impossible' : { from, to }
}

const description = ({ mime, tag, inline, name, isPrivate }: ServedFile) => ({
  'content-type': mime,
  'accept-ranges': 'bytes',
  etag: `"${tag}"`,
  // The content behind a URL never changes.
  'cache-control': isPrivate ? 'private, no-store' : 'public, max-age=31536000, immutable',
  'content-disposition': `${inline ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(name)}`,
})

/** However a browser interprets the bytes, they get no rights of this origin. */
const protection = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
}

const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
