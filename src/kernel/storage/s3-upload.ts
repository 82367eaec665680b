import type { CallS3 } from './s3-calls.ts'
import { element, errorCode } from './s3-refusal.ts'
import { wrongLength } from './store.ts'

const usualPart = 8 * 2 ** 20
const mostParts = 10_000

interface Place {
  key: string
  type: string
  bytes: number
}

/** Brings a file to the store: a small one in one call, a larger one in parts, of which one at a time is in memory. */
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
    // If this fails too, the housekeeping finds the parts.
    await abort(call, key, uploadId).catch(() => {})
    throw error
  }
}

/** Takes back the parts of an upload; one that is gone counts as taken back. */
export async function abort(call: CallS3, key: string, uploadId: string): Promise<void> {
  await call({ method: 'DELETE', key, query: { uploadId }, expected: [200, 204, 404] })
}

/** The bytes in parts of the same size, all in the same memory: each must be done with before the next is asked for. */
async function* partsOf(source: AsyncIterable<Uint8Array>, { key, bytes }: Place, partBytes: number) {
  const buffer = Buffer.allocUnsafe(Math.min(bytes, partBytes))
  let [filled, total] = [0, 0]
  for await (const chunk of source) {
    total += chunk.length
    if (total > bytes) throw wrongLength(key, bytes)
    for (let taken = 0; taken < chunk.length; ) {
      // A full part leaves only when more comes: the last one waits until the length is known to be right.
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
  // The upload is gone when an earlier attempt succeeded and only its answer was lost.
  const { status, headers } = await call({ method: 'HEAD', key, expected: [200, 404] })
  if (status === 200 && Number(headers['content-length']) === bytes) return
  throw new Error(`The store of files lost the parts of ${key} (${errorCode(answer)}); it has to be stored again.`)
}
