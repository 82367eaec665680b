import type { MediaRef } from '../connector/draft.ts'

/** A stretch of a file in memory; for pieces and small files only. */
export async function readBytes(media: MediaRef, from = 0, to = media.bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of media.open(from, to)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length !== to - from)
    throw new Error(`Media ${media.id} has ${bytes.length} bytes where ${to - from} were expected.`)
  return bytes
}
