import type { FileRule } from '../manifest.ts'
import { limits } from '../manifests.ts'
import type { Media, Network } from '../state/rows.ts'

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
  if (rule.sides && width && height && isTooLong(rule.sides, width, height)) return 'size' satisfies BrokenRule
  const aspect = width && height ? width / height : undefined
  // Networks round the ratio; a hundredth is what they forgive.
  if (rule.aspect && aspect && (aspect < rule.aspect[0] - 0.01 || aspect > rule.aspect[1] + 0.01)) {
    return 'aspect' satisfies BrokenRule
  }
  return undefined
}

/** Whichever way the picture is turned. */
const isTooLong = ([long, short]: [number, number], width: number, height: number) =>
  Math.max(width, height) > long || Math.min(width, height) > short

function ruleFor(network: Network, mime: string): FileRule | undefined {
  const { image, gif: animation, video, document } = limits[network]
  if (mime === 'image/gif' && animation) return animation
  if (mime.startsWith('image/')) return image
  return mime.startsWith('video/') ? video : document
}
