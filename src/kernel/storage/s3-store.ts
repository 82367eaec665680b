import { between } from '../text-parts.ts'
import { refuseRange } from './durable-files.ts'
import { type CallS3, element, errorCode, type S3Options, s3Calls } from './s3-client.ts'
import type { S3Settings } from './storage-url.ts'
import { refuseKey, type Store, StoredFileMissing, wrongLength } from './store.ts'

/** Size of one read: a slow reader holds no connection, and a broken read costs little. */
const windowBytes = 2 * 2 ** 20

/** Stores files in a bucket of an S3-compatible store. The endpoint is set by the operator. */
export function openS3Store(settings: S3Settings, options: S3Options = {}): Store {
  const call = s3Calls(settings, options)
  return {
    async put(key, source, bytes, type) {
      refuseKey(key)
      await upload(call, { key, bytes, type }, source, options.partBytes)
    },
    async *read(key, from = 0, to = Number.POSITIVE_INFINITY) {
      refuseKey(key)
      refuseRange(from, to)
      if (from === to && (await sizeOf(call, key)) === undefined) throw new StoredFileMissing(key)
      yield* readWindows(call, key, from, to)
    },
    async size(key) {
      refuseKey(key)
      return sizeOf(call, key)
    },
    list: () => list(call, settings.prefix),
    async remove(key) {
      refuseKey(key)
      await call({ method: 'DELETE', key, expected: [200, 204, 404] })
    },
    sweep: (before) => sweep(call, settings.prefix, before),
  }
}

async function sizeOf(call: CallS3, key: string): Promise<number | undefined> {
  const { status, headers } = await call({ method: 'HEAD', key, expected: [200, 404] })
  return status === 200 ? Number(headers['content-length']) : undefined
}

async function* readWindows(call: CallS3, key: string, from: number, to: number): AsyncGenerator<Buffer> {
  let end = to
  let version: Record<string, string> = {}
  for (let at = from; at < end; ) {
    const range = `bytes=${at}-${Math.min(at + windowBytes, end) - 1}`
    const headers = { range, ...version }
    const answer = await call({
      method: 'GET',
      key,
      headers,
      maximumBytes: windowBytes,
      expected: [206, 404, 412, 416],
    })
    if (answer.status === 404) throw new StoredFileMissing(key)
    if (answer.status === 412) throw new Error(`The file ${key} was replaced while it was being read; read it again.`)
    // The range is beyond the end of the file, or the file is empty.
    if (answer.status === 416) return
    const size = sizeIn(answer.headers['content-range'], at, answer.body.length)
    end = Math.min(end, size)
    // Two versions of a file must not be mixed.
    if (answer.headers.etag) version = { 'if-match': answer.headers.etag }
    yield answer.body
    at += answer.body.length
  }
}

/** The size of the whole file; throws unless the requested bytes arrived. */
function sizeIn(contentRange: string | undefined, at: number, length: number): number {
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange ?? '') ?? []
  if (Number(first) === at && Number(last) === at + length - 1 && length > 0) return Number(size)
  throw new Error(`The store of files was asked for bytes from ${at} on but sent others; it may not speak S3.`)
}

/** A thousand per page, as the store lists them. */
async function* list(call: CallS3, prefix: string): AsyncGenerator<string> {
  for (let more: Record<string, string> | undefined = {}; more; ) {
    const query = { 'list-type': '2', prefix: `${prefix}/`, ...more }
    const { body } = await call({ method: 'GET', query, maximumBytes: 4 * 2 ** 20, expected: [200] })
    const xml = body.toString()
    for (const [, key = ''] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) yield key.slice(prefix.length + 1)
    const next = element(xml, 'NextContinuationToken')
    more = element(xml, 'IsTruncated') === 'true' && next ? { 'continuation-token': next } : undefined
  }
}

async function sweep(call: CallS3, prefix: string, before: Date): Promise<number> {
  const query = { uploads: '', prefix: `${prefix}/` }
  const { body } = await call({ method: 'GET', query, maximumBytes: 4 * 2 ** 20, expected: [200] })
  let swept = 0
  // The store lists the first thousand; the rest is found next time.
  for (const row of between(body.toString(), '<Upload>', '</Upload>')) {
    const key = element(row, 'Key')?.slice(prefix.length + 1)
    const uploadId = element(row, 'UploadId')
    if (!key || !uploadId || !(Date.parse(element(row, 'Initiated') ?? '') < before.getTime())) continue
    await abort(call, key, uploadId)
    swept += 1
  }
  return swept
}

const usualPart = 8 * 2 ** 20
const mostParts = 10_000

interface Place {
  key: string
  type: string
  bytes: number
}

/** Uploads a file: a small one in one call, a larger one in parts, of which one at a time is in memory. */
export async function upload(
  call: CallS3,
  place: Place,
  source: AsyncIterable<Uint8Array>,
  partBytes = usualPart,
): Promise<void> {
  const { key, bytes, type } = place
  const parts = partsOf(source, place, Math.max(partBytes, Math.ceil(bytes / mostParts)))
  if (bytes <= partBytes) {
    for await (const body of parts)
      await call({ method: 'PUT', key, headers: { 'content-type': type }, body, expected: [200] })
    return
  }
  const uploadId = await begin(call, place)
  try {
    const etags: string[] = []
    for await (const body of parts) etags.push(await putPart(call, key, uploadId, etags.length + 1, body))
    await complete(call, place, uploadId, etags)
  } catch (error) {
    // If this fails too, the sweep finds the parts.
    await abort(call, key, uploadId).catch(() => {})
    throw error
  }
}

/** Aborts a multipart upload; a missing one counts as aborted. */
async function abort(call: CallS3, key: string, uploadId: string): Promise<void> {
  await call({ method: 'DELETE', key, query: { uploadId }, expected: [200, 204, 404] })
}

/** Splits the bytes into parts of the same size in one shared buffer: each must be consumed before the next. */
async function* partsOf(source: AsyncIterable<Uint8Array>, { key, bytes }: Place, partBytes: number) {
  const buffer = Buffer.allocUnsafe(Math.min(bytes, partBytes))
  let [filled, total] = [0, 0]
  for await (const chunk of source) {
    total += chunk.length
    if (total > bytes) throw wrongLength(key, bytes)
    for (let taken = 0; taken < chunk.length; ) {
      // A full part is sent only when more data arrives: the last one waits until the length is verified.
      if (filled === buffer.length) {
        yield buffer
        filled = 0
      }
      const piece = chunk.subarray(taken, taken + buffer.length - filled)
      buffer.set(piece, filled)
      filled += piece.length
      taken += piece.length
    }
  }
  if (total !== bytes) throw wrongLength(key, bytes)
  yield buffer.subarray(0, filled)
}

async function begin(call: CallS3, { key, type }: Place): Promise<string> {
  const headers = { 'content-type': type }
  const { body } = await call({ method: 'POST', key, query: { uploads: '' }, headers, expected: [200] })
  const uploadId = element(body.toString(), 'UploadId')
  if (!uploadId) throw new Error('The store of files began an upload without giving its id; it may not speak S3.')
  return uploadId
}

async function putPart(call: CallS3, key: string, uploadId: string, partNumber: number, body: Uint8Array) {
  const query = { partNumber: String(partNumber), uploadId }
  const { headers } = await call({ method: 'PUT', key, query, body, expected: [200] })
  if (!headers.etag) throw new Error('The store of files took a part without giving its ETag; it may not speak S3.')
  return headers.etag
}

async function complete(call: CallS3, { key, bytes }: Place, uploadId: string, etags: string[]): Promise<void> {
  const parts = etags.map((etag, index) => {
    const escaped = etag.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped}</ETag></Part>`
  })
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
  const answer = await call({ method: 'POST', key, query: { uploadId }, body, expected: [200, 404] })
  if (answer.status === 200) return
  // The upload is gone if an earlier attempt succeeded and only its response was lost.
  const { status, headers } = await call({ method: 'HEAD', key, expected: [200, 404] })
  if (status === 200 && Number(headers['content-length']) === bytes) return
  throw new Error(`The store of files lost the parts of ${key} (${errorCode(answer)}); it has to be stored again.`)
}
