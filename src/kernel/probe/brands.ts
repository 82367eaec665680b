/** Whether a file begins as an MP4 video: not as QuickTime, an audio book or a picture, which share its boxes. */
export function isMp4(bytes: Uint8Array): boolean {
  const [major, ...compatible] = brandsOf(bytes)
  if (major === undefined || foreign.test(major)) return false
  return [major, ...compatible].some((brand) => accepted.test(brand))
}

/** The major brand of a file made of boxes, then those it says it is compatible with. */
export function brandsOf(bytes: Uint8Array): string[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.length < 16 || view.toString('latin1', 4, 8) !== 'ftyp') return []
  const end = Math.min(view.readUInt32BE(0), view.length)
  const brands = [view.toString('latin1', 8, 12)]
  // Between the two stands the version, which nobody uses.
  for (let at = 16; at + 4 <= end; at += 4) brands.push(view.toString('latin1', at, at + 4))
  return brands
}

const accepted = /^(isom|iso[2-9a-c]|mp4[12]|avc1|hvc1|M4V[ HP]|MSNV|dash|mmp4|cmf[c2])$/
const foreign = /^(qt {2}|M4[ABP] |3g..|hei.|hev.|mif1|msf1|avi[fos]|jp[2mx] |crx |f4[abp] |F4[ABP] )$/
