import { createHash } from 'node:crypto'
import { randomness } from '../../../../tests/support/randomness.ts'

/** What goes wrong with a single answer. */
export type Fault = 'error' | 'reset' | 'short' | 'long' | 'wrong-range' | 'whole' | 'drip'

/** What is wrong with a file for good. */
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
  /** All of them unless told, as often as the server's answers fail unless told. */
  faults?: readonly Fault[]
  failures?: number
  validators?: 'etag' | 'weak' | 'date' | 'none'
  /** What the content begins with, for those who look whether it is a picture. */
  opening?: Uint8Array
}

/** Files of all manners and sizes, the same for the same seed. */
export function mixedFiles(seed: number, count: number, largest: number): HostileFile[] {
  const chance = randomness(seed)
  return Array.from({ length: count }, (_, index) => {
    const manner = manners[index % manners.length] ?? 'honest'
    const size = 1 + Math.floor(largest * chance() ** 2)
    // What has nothing to tell its versions apart cannot be noticed to change.
    const steady = manner !== 'changing' && manner !== 'restless'
    const validators = (['etag', 'date', 'weak', 'none'] as const)[Math.floor(chance() * 4)] ?? 'etag'
    return { size, manner, validators: steady ? validators : 'etag' }
  })
}

export interface Contents {
  bytes(n: number, version: number, first: number, end: number): Generator<Buffer>
  sha256(n: number, version: number): string
}

/** The bytes of every file in every version, made from the seed when they are wanted. */
export function contentsOf(seed: number, files: readonly HostileFile[]): Contents {
  const noise = noiseOf(seed)
  const known = new Map<string, string>()
  function* bytes(n: number, version: number, first: number, end: number): Generator<Buffer> {
    const opening = files[n]?.opening ?? new Uint8Array()
    if (first < opening.length) yield Buffer.from(opening.subarray(first, end))
    for (let at = Math.max(first, opening.length); at < end; ) {
      const place = (at + n * 7_919 + version * 104_729) % noise.length
      const piece = noise.subarray(place, Math.min(place + pieceBytes, place + end - at))
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

// A prime length: no two parts of a file are the same, whatever the size of parts.
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
