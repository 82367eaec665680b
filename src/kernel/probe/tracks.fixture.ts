import { box, full, matrix, text, u16, u32, zeros } from './boxes.fixture.ts'

export interface Mp4Options {
  major?: string
  codec?: 'avc1' | 'hvc1' | 'abcd'
  degrees?: 0 | 90 | 180 | 270
  width?: number
  height?: number
  /** Pictures, 25 a second. */
  frames?: number
  audio?: boolean
  video?: boolean
  order?: 'index first' | 'index last' | 'fragments'
  /** A table of composition times that says it has so many entries for the same sample time. */
  bomb?: number
}

export function videoTrack(options: Mp4Options, offset: number): Buffer {
  const { codec = 'avc1', degrees = 0, width = 640, height = 360, frames = 50, order, bomb } = options
  const there = order === 'fragments' ? 0 : frames
  const shown = Buffer.concat([zeros(8), u16(0, 0, 0, 0), matrix(degrees), u32(width * 0x10000, height * 0x10000)])
  const description = box(
    codec,
    zeros(6),
    u16(1),
    zeros(16),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    zeros(32),
    u16(24, 0xffff),
    ...configuration[codec],
  )
  const times = bomb
    ? [full('stts', 0, u32(1, bomb, 1)), full('ctts', 0, u32(1, bomb, 1))]
    : [full('stts', 0, there ? u32(1, there, frameTicks) : u32(0))]
  const table = box(
    'stbl',
    full('stsd', 0, u32(1), description),
    ...times,
    full('stsc', 0, there ? u32(1, 1, there, 1) : u32(0)),
    full('stsz', 0, u32(there ? sampleBytes : 0, there)),
    full('stco', 0, there ? u32(1, offset) : u32(0)),
  )
  return track(1, there * frameTicks, shown, scale, 'vide', full('vmhd', 1, zeros(8)), table)
}

/** Two channels at 48,000 Hz, as long as the pictures. */
export function audioTrack({ frames = 50, order }: Mp4Options): Buffer {
  const length = order === 'fragments' ? 0 : (frames * frameTicks * 48_000) / scale
  const descriptor = Buffer.from(
    '038080802200020004808080144015000000000000000000000005808080021190068080800102',
    'hex',
  )
  const description = box(
    'mp4a',
    zeros(6),
    u16(1),
    zeros(8),
    u16(2, 16, 0, 0),
    u32(48_000 * 0x10000),
    full('esds', 0, descriptor),
  )
  const samples = Math.floor(length / 1_024)
  const table = box(
    'stbl',
    full('stsd', 0, u32(1), description),
    full('stts', 0, samples ? u32(1, samples, 1_024) : u32(0)),
    full('stsc', 0, samples ? u32(1, 1, samples, 1) : u32(0)),
    full('stsz', 0, u32(samples ? 1 : 0, samples)),
    full('stco', 0, samples ? u32(1, 48) : u32(0)),
  )
  const shown = Buffer.concat([zeros(8), u16(0, 0, 0x100, 0), matrix(0), u32(0, 0)])
  return track(2, (length * scale) / 48_000, shown, 48_000, 'soun', full('smhd', 0, zeros(4)), table, length)
}

function track(
  id: number,
  length: number,
  shown: Buffer,
  rate: number,
  handler: string,
  media: Buffer,
  table: Buffer,
  own = length,
) {
  const where = box('dinf', full('dref', 0, u32(1), full('url ', 1)))
  return box(
    'trak',
    full('tkhd', 3, u32(0, 0, id, 0, length), shown),
    box(
      'mdia',
      full('mdhd', 0, u32(0, 0, rate, own), u16(0x55c4, 0)),
      full('hdlr', 0, u32(0), text(handler), zeros(13)),
      box('minf', media, where, table),
    ),
  )
}

const configuration = {
  avc1: [
    box(
      'avcC',
      Buffer.from('0164001effe100186764001eacd940a02ff97011000003000100000300320f162d9601000668ebe3cb22c0', 'hex'),
    ),
  ],
  hvc1: [box('hvcC', Buffer.from('0101600000009000000000005df000fcfdf8f800000f00', 'hex'))],
  abcd: [],
}

export const scale = 12_800
export const frameTicks = 512
export const sampleBytes = 4
