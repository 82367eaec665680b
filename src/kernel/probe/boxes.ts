import { type ProbeSource, UnusableFile } from './probe.ts'

/**
 * Walks over the outermost boxes of an MP4 by their headers, and refuses what is cut off or would be too much to read.
 * The index may stand before or behind the pictures.
 */
export async function checkBoxes(source: ProbeSource): Promise<void> {
  const seen = new Set<string>()
  const headerAt = headerReader(source)
  let at = 0
  for (let count = 0; at + smallestHeader <= source.bytes; count += 1) {
    if (count === maximumBoxes) throw new UnusableFile('The video is cut into too many pieces; export it again as MP4.')
    const box = await headerAt(at)
    // Some cameras leave padding behind; with pictures and index at hand it does not matter what it is.
    if (!box && seen.has('moov') && (seen.has('mdat') || seen.has('moof'))) return
    if (!box || (essential.has(box.type) && at + box.bytes > source.bytes)) throw cutOff()
    if (indexes.has(box.type) && box.bytes > maximumIndexBytes) {
      throw new UnusableFile(
        `The index of the video is larger than ${maximumIndexBytes / 2 ** 20} MB; export it again as MP4.`,
      )
    }
    seen.add(box.type)
    at += box.bytes
  }
  if (!seen.has('moov')) throw cutOff()
}

interface BoxHeader {
  type: string
  bytes: number
}

/** Reads a little more than a header at once: many boxes are small. */
function headerReader(source: ProbeSource): (at: number) => Promise<BoxHeader | undefined> {
  let from = 0
  let stretch = Buffer.alloc(0)
  return async (at) => {
    if (at + largestHeader > from + stretch.length) {
      from = at
      stretch = Buffer.from(await source.read(at, at + readAhead))
    }
    return readHeader(stretch.subarray(at - from), source.bytes - at)
  }
}

function readHeader(bytes: Buffer, left: number): BoxHeader | undefined {
  const type = bytes.toString('latin1', 4, 8)
  const short = bytes.readUInt32BE(0)
  if (short === 0) return { type, bytes: left }
  if (short !== 1) return short < smallestHeader ? undefined : { type, bytes: short }
  const long = bytes.length < largestHeader ? 0n : bytes.readBigUInt64BE(8)
  return long < largestHeader || long > Number.MAX_SAFE_INTEGER ? undefined : { type, bytes: Number(long) }
}

const cutOff = () => new UnusableFile('The video is damaged or not complete; upload it again or export it anew as MP4.')

const essential = new Set(['ftyp', 'moov', 'mdat', 'moof'])
const indexes = new Set(['moov', 'moof', 'mfra', 'sidx'])
const smallestHeader = 8
const largestHeader = 16
const readAhead = 4_096
/** Ten hours of 60 pictures a second need half of it. */
const maximumIndexBytes = 64 * 2 ** 20
const maximumBoxes = 100_000
