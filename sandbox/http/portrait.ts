import { crc32, deflateSync } from 'node:zlib'

const side = 96

/** A coloured square as a PNG, so that there is a picture to fetch; of the same profile always the same. */
export function portraitOf(id: string): Buffer {
  const hue = [...id].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 360
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, Buffer.from(colourOf(hue)))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // Eight bits of red, green and blue each.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

/** Of middle lightness, so that white letters can be read on it. */
function colourOf(hue: number): [red: number, green: number, blue: number] {
  const channel = (shift: number) => {
    const place = (shift + hue / 30) % 12
    return Math.round(255 * (0.45 - 0.27 * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
