import type { Input, InputAudioTrack, InputVideoTrack } from 'mediabunny'
import { checkBoxes } from './boxes.ts'
import { type ProbeSource, UnusableFile, type VideoProbe } from './probe.ts'

/** Reads what the index of an MP4 tells; the pictures themselves are not touched. */
export async function probeVideo(source: ProbeSource): Promise<VideoProbe> {
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

async function describe(input: Input): Promise<VideoProbe> {
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
  // One picture has no rate, and more than a thousand a second is a slip of the index.
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
