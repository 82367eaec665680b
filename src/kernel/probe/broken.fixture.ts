import { box } from './boxes.fixture.ts'
import { animation, flatPng, packedZeros, picture, pngWith } from './images.fixture.ts'
import { mp4 } from './mp4.fixture.ts'
import { lockedPdf, pdf } from './pdf.fixture.ts'
import type { Sample } from './sample.fixture.ts'

/** Files of a type we take that are damaged, cut off, locked, or too much. */
export async function broken(): Promise<Sample[]> {
  const [jpeg, png, gif] = await Promise.all([picture('jpeg'), picture('png'), picture('gif')])
  return [...images(jpeg, png, gif), ...bombs(png, gif), ...videos(), ...documents()]
}

function images(jpeg: Buffer, png: Buffer, gif: Buffer): Sample[] {
  return [
    ['an empty file', Buffer.alloc(0), /empty/],
    ['one byte', Buffer.from([0xff]), /not known/],
    ['the beginning of a JPEG alone', jpeg.subarray(0, 3), damagedPicture],
    ['the beginning of a PNG alone', png.subarray(0, 8), damagedPicture],
    ['the beginning of a GIF alone', gif.subarray(0, 6), damagedPicture],
    ['half a JPEG', half(jpeg), damagedPicture],
    ['half a PNG', half(png), damagedPicture],
    ['half a GIF', half(gif), damagedPicture],
    ['a JPEG with another size inside', patch(jpeg, at(jpeg, 0xffc0) + 5, [0, 0]), damagedPicture],
    ['a JPEG without its tables', cut(jpeg, at(jpeg, 0xffdb), 69), damagedPicture],
    ['a PNG with a wrong checksum in its header', patch(png, 29, [0]), damagedPicture],
    ['a PNG whose pixels are noise', patch(png, 60, Array(40).fill(0xaa)), damagedPicture],
    ['a PNG of no size', patch(png, 16, [0, 0, 0, 0]), damagedPicture],
    ['a GIF whose pixels are noise', patch(gif, gif.length - 4_000, Array(3_900).fill(0xff)), damagedPicture],
    ['a GIF without pictures', animation(20, 20, 0), damagedPicture],
  ]
}

function bombs(png: Buffer, gif: Buffer): Sample[] {
  const zeros = packedZeros(32 * 2 ** 20)
  return [
    ['a PNG of 14,000 × 14,000 in 24 KB', flatPng(14_000, 14_000), /14,000 × 14,000 pixels; at most 50 million/],
    ['a PNG of 70,000 × 900', flatPng(70_000, 900), /at most 50 million/],
    ['10,000 frames of 400 × 400', animation(400, 400, 10_000), /10000 frames.*at most 300 million/],
    ['a GIF of 65,535 × 65,535', patch(gif, 6, [0xff, 0xff, 0xff, 0xff]), /at most 50 million/],
    ['a PNG with a bomb for a colour profile', pngWith(png, 'iCCP', named(zeros)), {}],
    ['a PNG with a bomb for a comment', pngWith(png, 'zTXt', named(zeros)), {}],
    ['a PDF with a bomb for an index', indexedBy(zeros), /PDF is damaged/],
  ]
}

function videos(): Sample[] {
  const [good, last, parts] = [mp4(), mp4({ order: 'index last' }), mp4({ order: 'fragments' })]
  const beginning = good.subarray(0, 24)
  const long = Buffer.from('000000016d6f6f767fffffffffffffff', 'hex')
  return [
    ['half a video', half(good), incomplete],
    ['a video whose pictures are cut off', good.subarray(0, -10), incomplete],
    ['a video whose index is cut off', last.subarray(0, -10), incomplete],
    ['fragments of which the last is cut off', parts.subarray(0, -10), incomplete],
    ['a video without index', last.subarray(0, 24 + 208), incomplete],
    ['a video that ends after its type', beginning, incomplete],
    ['an index of eight exabytes', Buffer.concat([beginning, long]), incomplete],
    ['a box smaller than its header', Buffer.concat([beginning, Buffer.from('000000046d6f6f76', 'hex')]), incomplete],
    ['an empty index', Buffer.concat([beginning, box('moov')]), /no video/],
    ['sound alone', mp4({ video: false }), /no video/],
    ['a video of no width', mp4({ width: 0 }), /index of the video is damaged/],
    ['a video of no pictures', mp4({ frames: 0, audio: false }), /index of the video is damaged/],
    [
      'a video with noise for its tables',
      patch(good, good.indexOf('stbl') + 8, Array(60).fill(0xff)),
      /damaged|no video/,
    ],
    ['boxes in boxes in boxes', Buffer.concat([beginning, nested(20_000)]), /video/],
    ['100,001 empty boxes', Buffer.concat([beginning, ...Array<Buffer>(100_001).fill(box('free'))]), /too many pieces/],
  ]
}

function documents(): Sample[] {
  const whole = pdf(3)
  const loop = whole.toString('latin1').replace('/Kids [3 0 R', '/Kids [2 0 R')
  return [
    ['a PDF with a password', lockedPdf('secret'), /protected by a password/],
    ['a PDF protected against changes', lockedPdf(''), /protected by a password/],
    ['the beginning of a PDF', whole.subarray(0, 60), /PDF is damaged/],
    ['a PDF that is cut off', pdf(200).subarray(0, -5_000), /PDF is damaged/],
    [
      'a PDF whose list of pages is cut off',
      Buffer.from(
        pdf(90)
          .toString('latin1')
          .replace(/ 60 0 R.*\]/, ''),
        'latin1',
      ),
      /PDF is damaged/,
    ],
    ['a PDF without pages', pdf(0), /PDF is damaged/],
    ['a PDF of noise', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5_000, 0xa7)]), /PDF is damaged/],
    ['a PDF whose pages contain themselves', Buffer.from(loop, 'latin1'), { kind: 'pdf' }],
    [
      'a PDF that says it has more pages',
      Buffer.from(whole.toString('latin1').replace('/Count 3', '/Count 9'), 'latin1'),
      { pages: 3 },
    ],
    [
      'a PDF whose table of objects is gone',
      Buffer.from(whole.toString('latin1').replace('xref', 'xxxx'), 'latin1'),
      { pages: 3 },
    ],
  ]
}

/** A PDF whose table of objects is packed, and endless when unpacked. */
function indexedBy(packed: Buffer): Buffer {
  const head = `%PDF-1.5\n1 0 obj\n<< /Type /XRef /Size 9 /W [1 2 1] /Root 2 0 R /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream\nendobj\nstartxref\n9\n%%EOF\n')])
}

function nested(depth: number): Buffer {
  const all = Buffer.alloc(depth * 8)
  for (let level = 0; level < depth; level += 1) {
    all.writeUInt32BE(all.length - level * 8, level * 8)
    all.write(level === 0 ? 'moov' : 'mdia', level * 8 + 4)
  }
  return all
}

const half = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)
const at = (bytes: Buffer, marker: number) => bytes.indexOf(Buffer.from([marker >> 8, marker & 0xff]))
const cut = (bytes: Buffer, from: number, length: number) =>
  Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)])
const patch = (bytes: Buffer, offset: number, values: number[]) => {
  const copy = Buffer.from(bytes)
  copy.set(values, offset)
  return copy
}
const named = (content: Buffer) => Buffer.concat([Buffer.from('name\0\0'), content])

const damagedPicture = /picture is damaged/
const incomplete = /video is damaged or not complete/
