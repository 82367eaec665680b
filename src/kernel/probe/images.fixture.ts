import { constants, crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

type Format = 'jpeg' | 'png' | 'gif'

/** A picture of noise, which no encoder makes small. */
export const picture = (format: Format, width = 64, height = 48) =>
  sharp(noise(width * height * 3), { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer()

export const transparentPng = () =>
  sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } } })
    .png()
    .toBuffer()

/** As telephones take it: lying on its side, with the place in its metadata. */
export const telephonePhoto = () =>
  sharp(noise(60 * 40 * 3), { raw: { width: 60, height: 40, channels: 3 } })
    .withExif({
      IFD0: { Copyright: 'OWNER OF THE PICTURE' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()

/** Only its rows of zeros are written, so millions of pixels are a few kilobytes. */
export function flatPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = packedZeros((Math.ceil(width / 8) + 1) * height)
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

/** So many zeros, packed: looking for anything but runs of them would only take longer. */
export const packedZeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { strategy: constants.Z_RLE })

/** An animation whose frames are one pixel each on a larger ground. */
export function animation(width: number, height: number, frames: number): Buffer {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  screen.writeUInt16LE(width, 6)
  screen.writeUInt16LE(height, 8)
  const frame = Buffer.from('21f90400050000002c0000000001000100000202440100', 'hex')
  return Buffer.concat([screen, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}

/** A JPEG with a segment of its own right behind the beginning, or wherever it is wanted. */
export function jpegWith(jpeg: Buffer, marker: number, text: string): Buffer {
  const segment = Buffer.from([0xff, marker, 0, 0])
  segment.writeUInt16BE(text.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), segment, Buffer.from(text, 'latin1'), jpeg.subarray(2)])
}

/** A PNG with a chunk of its own behind the header. */
export function pngWith(png: Buffer, type: string, content: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, 33), chunk(type, content), png.subarray(33)])
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** The same bytes every time. */
function noise(length: number): Buffer {
  let state = 1
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state >>> 24
    }),
  )
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
