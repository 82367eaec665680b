const pieceBytes = 2 ** 20
// Longer than any chunk and of odd length, so that no two offsets of a file have the same content.
const pattern = Buffer.from(
  Array.from({ length: pieceBytes + 4_099 }, (_, index) => (index * 31 + (index >> 8) * 17) % 251),
)

/** The bytes at an offset of a generated file. */
export function bytesAt(from: number, to: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(to - from)
  for (let at = from; at < to; ) {
    const start = (at + seed) % pattern.length
    at += pattern.copy(bytes, at - from, start, start + to - at)
  }
  return bytes
}

/** A file of any size that is never in memory; optionally fails at an offset. */
export async function* generated(size: number, { seed = 0, failAt = Number.POSITIVE_INFINITY } = {}) {
  for (let at = 0; at < size; at += pieceBytes) {
    if (at >= failAt) throw new Error('The source broke.')
    yield bytesAt(at, Math.min(size, at + pieceBytes), seed)
  }
}

export async function* pieces(...given: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of given) yield Buffer.from(piece)
}

export async function collected(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}
