import type { Media, Network } from './rows.ts'

interface FileRule {
  mimes: string[]
  maxBytes: number
  minBytes?: number
  minSeconds?: number
  maxSeconds?: number
  /** Width divided by height. */
  aspect?: [number, number]
}

interface NetworkLimits {
  text: number
  title?: number
  comment: number
  message?: number
  images: number
  image?: FileRule
  gif?: FileRule
  video: FileRule
  document?: FileRule
}

const MB = 1_000_000
const GB = 1000 * MB
const jpeg = 'image/jpeg'
const png = 'image/png'
const gif = 'image/gif'
const webp = 'image/webp'
const mp4 = 'video/mp4'
const mov = 'video/quicktime'
const webm = 'video/webm'

/** The networks' limits, typed from their documentation and from nothing the connectors use. */
export const limits: Record<Network, NetworkLimits> = {
  Facebook: {
    text: 63_206,
    comment: 8000,
    message: 2000,
    images: 18,
    image: { mimes: [jpeg, png, gif], maxBytes: 10 * MB },
    video: { mimes: [mp4, mov], maxBytes: 10 * GB, maxSeconds: 14_400 },
  },
  Instagram: {
    text: 2200,
    comment: 2200,
    message: 1000,
    images: 10,
    image: { mimes: [jpeg], maxBytes: 8 * 1024 * 1024, aspect: [0.8, 1.91] },
    video: { mimes: [mp4, mov], maxBytes: 300 * MB, minSeconds: 3, maxSeconds: 900 },
  },
  LinkedIn: {
    text: 3000,
    comment: 1250,
    message: 8000,
    images: 20,
    image: { mimes: [jpeg, png, gif], maxBytes: 5 * MB },
    video: {
      mimes: [mp4],
      minBytes: 75_000,
      maxBytes: 500 * MB,
      minSeconds: 3,
      maxSeconds: 1800,
      aspect: [0.417, 2.4],
    },
    document: { mimes: ['application/pdf'], maxBytes: 100 * MB },
  },
  Twitter: {
    text: 280,
    comment: 280,
    message: 10_000,
    images: 4,
    image: { mimes: [jpeg, png, webp], maxBytes: 5 * MB },
    gif: { mimes: [gif], maxBytes: 15 * MB },
    video: { mimes: [mp4, mov], maxBytes: 512 * MB, minSeconds: 0.5, maxSeconds: 140, aspect: [0.333, 3] },
  },
  YouTube: {
    text: 5000,
    title: 100,
    comment: 10_000,
    images: 0,
    video: { mimes: [mp4, mov, webm], maxBytes: 256 * 1024 ** 3, maxSeconds: 43_200 },
  },
  TikTok: {
    text: 2200,
    title: 90,
    comment: 150,
    message: 6000,
    images: 35,
    image: { mimes: [jpeg, webp], maxBytes: 20 * MB },
    video: { mimes: [mp4, mov, webm], maxBytes: 4 * GB, minSeconds: 3, maxSeconds: 600 },
  },
}

type BrokenRule = 'kind' | 'size' | 'length' | 'aspect'

/** The first rule this file breaks; what a file does not say of itself breaks none. */
export function brokenRule(network: Network, media: Pick<Media, 'mime' | 'bytes' | 'width' | 'height' | 'seconds'>) {
  const rule = ruleFor(network, media.mime)
  if (!rule?.mimes.includes(media.mime)) return 'kind' satisfies BrokenRule
  if (media.bytes > rule.maxBytes || media.bytes < (rule.minBytes ?? 0)) return 'size' satisfies BrokenRule
  const { seconds, width, height } = media
  if (seconds !== undefined && (seconds < (rule.minSeconds ?? 0) || seconds > (rule.maxSeconds ?? seconds))) {
    return 'length' satisfies BrokenRule
  }
  const aspect = width && height ? width / height : undefined
  // Networks round the ratio; a hundredth is what they forgive.
  if (rule.aspect && aspect && (aspect < rule.aspect[0] - 0.01 || aspect > rule.aspect[1] + 0.01)) {
    return 'aspect' satisfies BrokenRule
  }
  return undefined
}

function ruleFor(network: Network, mime: string): FileRule | undefined {
  const { image, gif: animation, video, document } = limits[network]
  if (mime === gif && animation) return animation
  if (mime.startsWith('image/')) return image
  return mime.startsWith('video/') ? video : document
}
