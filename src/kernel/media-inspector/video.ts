import type { Input, InputAudioTrack, InputVideoTrack } from 'mediabunny'
import { type FileSource, UnusableFile, type VideoInspection } from './inspection.ts'

/** Reads the index of an MP4; the frames themselves are not read. */
export async function inspectVideo(source: FileSource): Promise<VideoInspection> {
  await checkBoxes(source)
  const { CustomSource, Input, MP4 } = await import('mediabunny')
  const pieces = new CustomSource({ getSize: () => source.bytes, read: source.read, prefetchProfile: 'fileSystem' })
  const input = new Input({ source: pieces, formats: [MP4] })
  try {
    return await describe(input)
  } catch (error) {
    if (error instanceof UnusableFile) throw error
    throw damaged(error)
  } finally {
    input.dispose()
  }
}

async function describe(input: Input): Promise<VideoInspection> {
  const video = await input.getPrimaryVideoTrack()
  if (!video) throw new UnusableFile('There is no video in the file, or its index is damaged; export it again as MP4.')
  const audio = await input.getPrimaryAudioTrack()
  const [width, height] = [await video.getDisplayWidth(), await video.getDisplayHeight()]
  const durationMs = Math.round(1_000 * (await input.computeDuration(audio ? [video, audio] : [video])))
  if (!isSize(width) || !isSize(height) || !(durationMs > 0 && durationMs <= longestMs)) throw damaged()
  return {
    kind: 'video',
    mime: 'video/mp4',
    width,
    height,
    durationMs,
    framesPerSecond: await rateOf(video),
    videoCodec: await codecOf(video),
    audioCodec: audio ? await codecOf(audio) : undefined,
    audioChannels: positive(await audio?.getNumberOfChannels()),
    audioRate: positive(await audio?.getSampleRate()),
  }
}

async function rateOf(video: InputVideoTrack): Promise<number | undefined> {
  const { packetCount, averagePacketRate } = await video.computePacketStats(sampledFrames)
  // A single frame has no rate, and more than a thousand per second is an error of the index.
  const known = packetCount > 1 && averagePacketRate > 0 && averagePacketRate <= 1_000
  return known ? Math.round(averagePacketRate * 1_000) / 1_000 : undefined
}

async function codecOf(track: InputVideoTrack | InputAudioTrack): Promise<string | undefined> {
  const codec = await track.getCodec()
  if (codec === 'avc') return 'h264'
  if (codec) return codec
  const internal = await track.getInternalCodecId()
  return typeof internal === 'string' && /^[\w .-]{1,8}$/.test(internal) ? internal.trim() : undefined
}

const damaged = (cause?: unknown) =>
  new UnusableFile('The index of the video is damaged; export the video again as MP4.', { cause })

const isSize = (pixels: number) => Number.isInteger(pixels) && pixels > 0 && pixels <= 16_384
const positive = (number: number | undefined) => (number && number > 0 ? number : undefined)

const sampledFrames = 600
const longestMs = 7 * 24 * 3_600_000

/**
 * Walks the top-level boxes of an MP4 by their headers, and refuses files that are truncated or too large to read. The index may come
 * before or after the frames.
 */
async function checkBoxes(source: FileSource): Promise<void> {
  const seen = new Set<string>()
  const headerAt = headerReader(source)
  let at = 0
  for (let count = 0; at + smallestHeader <= source.bytes; count += 1) {
    if (count === maximumBoxes) throw new UnusableFile('The video is cut into too many pieces; export it again as MP4.')
    const box = await headerAt(at)
    // Some cameras append padding; once frames and index are found its content doesn't matter.
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

/** Reads a little more than a header at a time: many boxes are small. */
function headerReader(source: FileSource): (at: number) => Promise<BoxHeader | undefined> {
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
/** Ten hours at 60 frames per second need half of it. */
const maximumIndexBytes = 64 * 2 ** 20
const maximumBoxes = 100_000
