import { type HostileFile, manners } from '#areas/media/download/hostile-files.fixture.ts'
import { mp4 } from '#kernel/media-inspector/fixtures/mp4.fixture.ts'
import { randomness } from '../tests/support/randomness.ts'

const MiB = 2 ** 20

/** Everything that is wrong with the files of a run; those that never end have a run of their own. */
const usedManners = manners.filter((manner) => manner !== 'endless')

const dishonest = usedManners.filter((manner) => manner !== 'honest')

/** A slow drip is given up after a minute: that is for tests of patience, not for a run with three hundred files. */
const faults = ['error', 'reset', 'short', 'long', 'wrong-range', 'whole'] as const

const chunkMiB = 10
/** Chunks that are full, for small runs: a quarter of the files have more than one. */
const leanChunks = [0, 0, 0, 1]

/** Videos of one to three chunks with all manners, every second one honest; of lean ones every fourth, and they have little in their last chunk. */
export function videoFiles(seed: number, count: number, lean = false): HostileFile[] {
  const chance = randomness(seed)
  return Array.from({ length: count }, (_, index) => {
    const manner = (lean ? leanManner(index) : usualManner(index)) ?? 'honest'
    const size = MiB + Math.floor(lean ? leanBytes(chance) : chance() * 24 * MiB)
    return { size, manner, faults, validators: 'etag' as const, opening: opening(size) }
  })
}

const usualManner = (index: number) => (index % 2 === 0 ? 'honest' : usedManners[(index >> 1) % usedManners.length])

/** Sixteen files have every manner. */
const leanManner = (index: number) =>
  index % 4 === 0 ? 'honest' : dishonest[(index - 1 - (index >> 2)) % dishonest.length]

const leanBytes = (chance: () => number) => {
  const full = leanChunks[Math.floor(chance() * leanChunks.length)] ?? 0
  return (full * chunkMiB + chance()) * MiB
}

/** A real video, followed by a box that readers pass over and that fills the file up. */
export function opening(size: number): Buffer {
  const video = mp4()
  const rest = Buffer.alloc(8)
  rest.writeUInt32BE(size - video.length, 0)
  rest.write('free', 4, 'latin1')
  return Buffer.concat([video, rest])
}
