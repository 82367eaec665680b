import { fetch } from 'undici'
import type { ApiRequest } from '../http/request.ts'
import { type FileRule, limits } from '../manifests.ts'
import type { Media, Network, Upload } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { keyOf } from '../state/storage.ts'

interface NewMedia {
  network: Network
  id: string
  profile: string
  bytes: Buffer
  alt?: string
  title?: string
}

/** Stores media; it is usable after the network's processing delay. */
export function storeMedia(state: SandboxState, { bytes, ...media }: NewMedia): Media {
  const detected = detectMedia(bytes)
  const readyAt = state.clock.now() + state.processing.delayMs(media.network, detected.mime)
  const failed = state.processing.failure(media.network)
  return state.media.put({
    ...media,
    ...detected,
    bytes: bytes.length,
    sha256: state.files.save(bytes),
    readyAt,
    ...(failed === undefined ? {} : { failed: failed }),
  })
}

export function mediaOf(state: SandboxState, network: Network, id: string): Media | undefined {
  return state.media.get(keyOf(network, id))
}

export function isReady(request: ApiRequest, media: Media): boolean {
  return !request.notReady && media.readyAt <= request.state.clock.now()
}

/** Downloads for real, so that a broken or slow URL fails as it does on the network. */
export async function download(url: string): Promise<Buffer | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined
  } catch {
    return undefined
  }
}

export function assembleParts(upload: Upload): Buffer {
  return Buffer.concat([...upload.parts].sort(([left], [right]) => left - right).map(([, part]) => part))
}

export function receivedBytes(upload: Upload): number {
  let total = 0
  for (const part of upload.parts.values()) total += part.length
  return total
}

type MediaRule = 'kind' | 'size' | 'length' | 'aspect'

/** The first rule that a file violates; unknown properties violate none. */
export function violatedRule(network: Network, media: Pick<Media, 'mime' | 'bytes' | 'width' | 'height' | 'seconds'>) {
  const rule = ruleFor(network, media.mime)
  if (!rule?.mimes.includes(media.mime)) return 'kind' satisfies MediaRule
  if (media.bytes > rule.maxBytes || media.bytes < (rule.minBytes ?? 0)) return 'size' satisfies MediaRule
  const { seconds, width, height } = media
  if (seconds !== undefined && (seconds < (rule.minSeconds ?? 0) || seconds > (rule.maxSeconds ?? seconds))) {
    return 'length' satisfies MediaRule
  }
  if (rule.sides && width && height && exceedsSides(rule.sides, width, height)) return 'size' satisfies MediaRule
  const aspect = width && height ? width / height : undefined
  // Networks round the ratio, so 0.01 is tolerated.
  if (rule.aspect && aspect && (aspect < rule.aspect[0] - 0.01 || aspect > rule.aspect[1] + 0.01)) {
    return 'aspect' satisfies MediaRule
  }
  return undefined
}

/** Independent of orientation. */
const exceedsSides = ([long, short]: [number, number], width: number, height: number) =>
  Math.max(width, height) > long || Math.min(width, height) > short

function ruleFor(network: Network, mime: string): FileRule | undefined {
  const { image, gif: animation, video, document } = limits[network]
  if (mime === 'image/gif' && animation) return animation
  if (mime.startsWith('image/')) return image
  return mime.startsWith('video/') ? video : document
}

export interface DetectedMedia {
  mime: string
  width?: number
  height?: number
  seconds?: number
}

/** Media type from the bytes, not from the declared type; dimensions only where the header states them. */
export function detectMedia(bytes: Buffer): DetectedMedia {
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to)
  if (bytes.length > 3 && bytes.readUInt16BE(0) === 0xffd8) return { mime: 'image/jpeg', ...jpegSize(bytes) }
  if (ascii(1, 4) === 'PNG') return { mime: 'image/png', ...pngSize(bytes) }
  if (ascii(0, 4) === 'GIF8') return { mime: 'image/gif', ...gifSize(bytes) }
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return { mime: 'image/webp' }
  if (ascii(0, 5) === '%PDF-') return { mime: 'application/pdf' }
  if (ascii(4, 8) === 'ftyp') {
    const mime = ascii(8, 10) === 'qt' ? 'video/quicktime' : 'video/mp4'
    return { mime, ...movieDuration(bytes), ...movieSize(bytes) }
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

/** From the movie header (mvhd); a file without one has no known duration. */
function movieDuration(bytes: Buffer) {
  const at = bytes.indexOf('mvhd', 0, 'latin1')
  if (at < 0 || at + 36 > bytes.length) return {}
  const long = bytes[at + 4] === 1
  const scale = bytes.readUInt32BE(at + (long ? 24 : 16))
  const duration = long ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20)
  return scale > 0 ? { seconds: duration / scale } : {}
}

/** The video track is the one with dimensions; audio tracks have none. */
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
