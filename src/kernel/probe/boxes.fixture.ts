export const box = (type: string, ...content: Buffer[]) => {
  const body = Buffer.concat(content)
  return Buffer.concat([u32(body.length + 8), text(type), body])
}

/** How a track is turned. */
export function matrix(degrees: 0 | 90 | 180 | 270): Buffer {
  const [cosine, sine] = { 0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1] }[degrees] as [number, number]
  return u32(...[cosine, sine, 0, -sine, cosine, 0].map((value) => (value * 0x10000) >>> 0), 0, 0, 0x40000000)
}

export const full = (type: string, flags: number, ...content: Buffer[]) => box(type, u32(flags), ...content)
export const text = (value: string) => Buffer.from(value, 'latin1')
export const zeros = (length: number) => Buffer.alloc(length)
export const u16 = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 0xff])))
export const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, at) => void bytes.writeUInt32BE(value >>> 0, at * 4))
  return bytes
}
