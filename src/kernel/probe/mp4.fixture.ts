import { box, full, matrix, text, u16, u32, zeros } from './boxes.fixture.ts'
import { audioTrack, frameTicks, type Mp4Options, sampleBytes, scale, videoTrack } from './tracks.fixture.ts'

/** A small MP4 of real boxes around pictures of zeros. */
export function mp4(options: Mp4Options = {}): Buffer {
  const { major = 'isom', order = 'index first', frames = 50 } = options
  const beginning = box('ftyp', text(major), u32(512), text('isom'), text('mp42'))
  const pictures = box('mdat', Buffer.alloc(frames * sampleBytes))
  if (order === 'fragments') return Buffer.concat([beginning, index(options, 0), ...fragments(frames)])
  if (order === 'index last') return Buffer.concat([beginning, pictures, index(options, beginning.length + 8)])
  const length = index(options, 0).length
  return Buffer.concat([beginning, index(options, beginning.length + length + 8), pictures])
}

function index(options: Mp4Options, offset: number): Buffer {
  const { frames = 50, order, video = true, audio = true } = options
  const length = order === 'fragments' ? 0 : frames * frameTicks
  const head = full(
    'mvhd',
    0,
    u32(0, 0, scale, length, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    matrix(0),
    zeros(24),
    u32(3),
  )
  const more = order === 'fragments' ? [box('mvex', full('trex', 0, u32(1, 1, frameTicks, sampleBytes, 0)))] : []
  return box(
    'moov',
    head,
    ...(video ? [videoTrack(options, offset)] : []),
    ...(audio ? [audioTrack(options)] : []),
    ...more,
  )
}

/** Ten pictures each, then their bytes. */
function fragments(frames: number): Buffer[] {
  return Array.from({ length: frames / 10 }, (_, number) => {
    const make = (offset: number) =>
      box(
        'moof',
        full('mfhd', 0, u32(number + 1)),
        box(
          'traf',
          full('tfhd', 0x20000, u32(1)),
          full('tfdt', 0, u32(number * 10 * frameTicks)),
          full('trun', 1, u32(10, offset)),
        ),
      )
    return Buffer.concat([make(make(0).length + 8), box('mdat', zeros(10 * sampleBytes))])
  })
}
