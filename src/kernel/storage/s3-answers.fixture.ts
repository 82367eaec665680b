import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../clock.ts'

export interface StoreCall {
  method: string
  bucket: string
  key: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}

interface Piece {
  path: string
  size: number
  etag: string
}

interface StoredObject {
  pieces: Piece[]
  etag: string
  type: string
}

interface Upload {
  key: string
  type: string
  initiated: string
  parts: Map<number, Piece>
}

/** Contents of the emulated store. */
export interface StoreState {
  bucket: string
  /** Minimum size of every part but the last. */
  smallestPart: number
  objects: Map<string, StoredObject>
  uploads: Map<string, Upload>
}

/** Performs a request with a valid signature. */
export async function answer(call: StoreCall, body: Piece, state: StoreState, response: ServerResponse, cut: boolean) {
  const { method, bucket, key, query, headers } = call
  const uploadId = query.get('uploadId')
  const type = headers['content-type'] ?? ''
  if (bucket !== state.bucket) return refuse(response, 404, 'NoSuchBucket')
  if (method === 'GET' && query.has('list-type')) return listObjects(state, query, response)
  if (method === 'GET' && query.has('uploads')) return list(state, query.get('prefix') ?? '', response)
  if (method === 'POST' && query.has('uploads')) {
    const id = `${randomUUID()}+/=`
    state.uploads.set(id, { key, type, initiated: systemClock.now().toISOString(), parts: new Map() })
    return response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  }
  if (uploadId !== null) return answerUpload(call, uploadId, body, state, response)
  if (method === 'PUT') {
    state.objects.set(key, { pieces: [body], etag: body.etag, type })
    return response.setHeader('etag', body.etag).end()
  }
  if (method === 'DELETE') {
    state.objects.delete(key)
    return response.writeHead(204).end()
  }
  const object = state.objects.get(key)
  if (!object) return refuse(response, 404, 'NoSuchKey', method)
  if (headers['if-match'] && headers['if-match'] !== object.etag) return refuse(response, 412, 'PreconditionFailed')
  await give(object, method, headers.range, response, cut)
}

/** An error in S3's format. */
export function refuse(response: ServerResponse, status: number, code: string, method = 'GET') {
  const text = `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>No.</Message></Error>`
  response.writeHead(status, { 'content-type': 'application/xml' }).end(method === 'HEAD' ? undefined : text)
}

async function answerUpload(call: StoreCall, id: string, body: Piece, state: StoreState, response: ServerResponse) {
  const upload = state.uploads.get(id)
  if (!upload || upload.key !== call.key) return refuse(response, 404, 'NoSuchUpload')
  if (call.method === 'PUT') {
    upload.parts.set(Number(call.query.get('partNumber')), body)
    return response.setHeader('etag', body.etag).end()
  }
  if (call.method === 'POST') {
    const named = [
      ...(await readFile(body.path, 'utf8')).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g),
    ]
    const pieces = named.flatMap(([, number, etag]) => {
      const part = upload.parts.get(Number(number))
      return part && bare(part.etag) === bare(etag) ? [part] : []
    })
    if (named.length === 0 || pieces.length !== named.length) return refuse(response, 400, 'InvalidPart')
    if (pieces.slice(0, -1).some(({ size }) => size < state.smallestPart))
      return refuse(response, 400, 'EntityTooSmall')
    state.objects.set(upload.key, { pieces, etag: `"${randomUUID()}-${pieces.length}"`, type: upload.type })
  }
  state.uploads.delete(id)
  if (call.method === 'DELETE') return response.writeHead(204).end()
  response.end('<CompleteMultipartUploadResult><ETag>&quot;e&quot;</ETag></CompleteMultipartUploadResult>')
}

const bare = (etag = '') => etag.replaceAll('&quot;', '').replaceAll('"', '')

function list(state: StoreState, prefix: string, response: ServerResponse) {
  const ours = [...state.uploads].filter(([, { key }]) => key.startsWith(prefix))
  const rows = ours.map(
    ([id, { key, initiated }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`,
  )
  response.end(`<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`)
}

/** Small pages, so that continuation is tested as well. */
const listedAtOnce = 2

function listObjects(state: StoreState, query: URLSearchParams, response: ServerResponse) {
  const after = query.get('continuation-token') ?? ''
  const keys = [...state.objects.keys()]
    .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
    .sort()
  const page = keys.slice(0, listedAtOnce)
  const rows = page.map((key) => `<Contents><Key>${key}</Key></Contents>`)
  const more = keys.length > page.length
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  response.end(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`)
}

async function give(object: StoredObject, method: string, range: string | undefined, to: ServerResponse, cut: boolean) {
  const size = object.pieces.reduce((sum, piece) => sum + piece.size, 0)
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  const from = Number(first ?? 0)
  const end = Math.min(size, last ? Number(last) + 1 : size)
  if (range && from >= size) return refuse(to, 416, 'InvalidRange')
  to.statusCode = range ? 206 : 200
  to.setHeader('etag', object.etag)
    .setHeader('content-type', object.type)
    .setHeader('content-length', end - from)
  if (range) to.setHeader('content-range', `bytes ${from}-${end - 1}/${size}`)
  if (method === 'HEAD') return to.end()
  const stop = cut ? from + Math.floor((end - from) / 2) : end
  await pipeline(stretch(object.pieces, from, stop), to, { end: false })
  if (cut) to.destroy()
  else to.end()
}

async function* stretch(pieces: Piece[], from: number, to: number) {
  let at = 0
  for (const { path, size } of pieces) {
    const [start, end] = [Math.max(from - at, 0), Math.min(to - at, size)]
    at += size
    if (start >= end) continue
    if (path !== '') yield* createReadStream(path, { start, end: end - 1 })
    else for (let left = end - start; left > 0; left -= zeros.length) yield zeros.subarray(0, left)
  }
}

const zeros = Buffer.alloc(2 ** 16)
