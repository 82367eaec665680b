export interface Sniffed {
  mime: string
  width?: number
  height?: number
  seconds?: number
}

/** What the bytes are, whatever their sender called them; measures only where the file says them plainly. */
export function sniff(bytes: Buffer): Sniffed {
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to)
  if (bytes.length > 3 && bytes.readUInt16BE(0) === 0xffd8) return { mime: 'image/jpeg', ...jpegSize(bytes) }
  if (ascii(1, 4) === 'PNG') return { mime: 'image/png', ...pngSize(bytes) }
  if (ascii(0, 4) === 'GIF8') return { mime: 'image/gif', ...gifSize(bytes) }
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return { mime: 'image/webp' }
  if (ascii(0, 5) === '%PDF-') return { mime: 'application/pdf' }
  if (ascii(4, 8) === 'ftyp') {
    const mime = ascii(8, 10) === 'qt' ? 'video/quicktime' : 'video/mp4'
    return { mime, ...movieLength(bytes), ...movieSize(bytes) }
  }
  if (bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3) return { mime: 'video/webm' }
  return { mime: 'application/octet-stream' }
}

function pngSize(bytes: Buffer) {
  return bytes.length < 24 ? {} : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer) {
  return bytes.length < 10 ? {} : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function jpegSize(bytes: Buffer) {
  let at = 2
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return {}
}

/** Reads the movie header where it stands; a file without one has no known length. */
function movieLength(bytes: Buffer) {
  const at = bytes.indexOf('mvhd', 0, 'latin1')
  if (at < 0 || at + 36 > bytes.length) return {}
  const long = bytes[at + 4] === 1
  const scale = bytes.readUInt32BE(at + (long ? 24 : 16))
  const duration = long ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20)
  return scale > 0 ? { seconds: duration / scale } : {}
}

/** The picture track is the one that has a size; sound has none. */
function movieSize(bytes: Buffer) {
  let at = bytes.indexOf('tkhd', 0, 'latin1')
  while (at >= 0) {
    const from = at + (bytes[at + 4] === 1 ? 92 : 80)
    const [width, height] = from + 8 <= bytes.length ? [bytes.readUInt16BE(from), bytes.readUInt16BE(from + 4)] : [0, 0]
    if (width && height) return { width, height }
    at = bytes.indexOf('tkhd', at + 4, 'latin1')
  }
  return {}
}
