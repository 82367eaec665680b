import { createHash } from 'node:crypto'
import { randomness } from '../../../../tests/support/randomness.ts'

/** Faults of a single response. */
export type Fault = 'error' | 'reset' | 'short' | 'long' | 'wrong-range' | 'whole' | 'drip'

/** Permanent faults of a file. */
export const manners = [
  'honest',
  'changing',
  'restless',
  'head-small',
  'head-large',
  'head-empty',
  'no-head',
  'no-ranges',
  'unmeasured',
  'gzip',
  'redirect',
  'redirect-loop',
  'endless',
  'missing',
] as const

export interface HostileFile {
  size: number
  manner: (typeof manners)[number]
  /** All by default, at the server's failure rate by default. */
  faults?: readonly Fault[]
  failures?: number
  validators?: 'etag' | 'weak' | 'date' | 'none'
  /** First bytes, for content type detection. */
  opening?: Uint8Array
}

/** Files of all kinds and sizes, deterministic for a seed. */
export function mixedFiles(seed: number, count: number, largest: number): HostileFile[] {
  const chance = randomness(seed)
  return Array.from({ length: count }, (_, index) => {
    const manner = manners[index % manners.length] ?? 'honest'
    const size = 1 + Math.floor(largest * chance() ** 2)
    // Without validators a change can't be detected.
    const steady = manner !== 'changing' && manner !== 'restless'
    const validators = (['etag', 'date', 'weak', 'none'] as const)[Math.floor(chance() * 4)] ?? 'etag'
    return { size, manner, validators: steady ? validators : 'etag' }
  })
}

export interface Contents {
  bytes(n: number, version: number, first: number, end: number): Generator<Buffer>
  sha256(n: number, version: number): string
}

/** Bytes of every file and version, generated from the seed. */
export function contentsOf(seed: number, files: readonly HostileFile[]): Contents {
  const noise = noiseOf(seed)
  const known = new Map<string, string>()
  function* bytes(n: number, version: number, first: number, end: number): Generator<Buffer> {
    const opening = files[n]?.opening ?? new Uint8Array()
    if (first < opening.length) yield Buffer.from(opening.subarray(first, end))
    for (let at = Math.max(first, opening.length); at < end; ) {
      const position = (at + n * 7_919 + version * 104_729) % noise.length
      const piece = noise.subarray(position, Math.min(position + pieceBytes, position + end - at))
      at += piece.length
      yield piece
    }
  }
  return {
    bytes,
    sha256(n, version) {
      const key = `${n}/${version}`
      const hash = createHash('sha256')
      if (!known.has(key)) for (const piece of bytes(n, version, 0, files[n]?.size ?? 0)) hash.update(piece)
      const digest = known.get(key) ?? hash.digest('hex')
      known.set(key, digest)
      return digest
    },
  }
}

const noises = new Map<number, Buffer>()

// A prime length: no two chunks of a file are equal.
function noiseOf(seed: number): Buffer {
  const known = noises.get(seed)
  if (known) return known
  const chance = randomness(seed)
  const noise = Buffer.alloc(1_048_573)
  for (let at = 0; at < noise.length; at++) noise[at] = chance() * 256
  noises.set(seed, noise)
  return noise
}

const pieceBytes = 65_536
