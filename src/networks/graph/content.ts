import type { Draft, MediaRef } from '../draft.ts'
import { badInput, unsupported } from '../fault.ts'
import type { ImageRule, Limits, Range, TextRule, VideoRule } from '../limits.ts'
import type { Network } from '../network.ts'
import { textLength } from '../text-length.ts'

export const isVideo = ({ mime }: MediaRef) => mime.startsWith('video/')
const isImage = ({ mime }: MediaRef) => mime.startsWith('image/')

/** Refuses what the network would refuse, before anything is sent. */
export function refuseUnfit(network: Network, limits: Limits, draft: Draft) {
  const { text, media, link } = draft
  if (Object.values(draft.audience ?? {}).some((values) => values?.length))
    throw unsupported(network, `${network} posts cannot be shown to a part of the audience only.`)
  if (draft.reshareOf !== undefined) throw unsupported(network, `Posts cannot be shared again on ${network}.`)
  if (limits.needsMedia && !media.length) throw unsupported(network, `A post on ${network} needs a picture or a video.`)
  if (!text.trim() && !media.length && !link) throw badInput(network, 'The post is empty.', 'text')
  if (link && media.length) throw badInput(network, 'A post carries either a link or pictures and videos.', 'link')
  refuseLong(network, limits.text, text, 'post')
  refuseMany(network, text, /#[\p{L}\p{N}_]+/gu, limits.hashtags, 'hashtags')
  refuseMany(network, text, /@[\w.]+/g, limits.mentions, 'mentions')
  refuseMedia(network, limits, media)
  for (const { alt } of media)
    if (alt) refuseLong(network, { max: limits.altText ?? alt.length, unit: 'utf16' }, alt, 'description')
}

export function refuseLong(network: Network, { max, unit }: TextRule, text: string, what: string) {
  const length = textLength(text, unit)
  if (length <= max) return
  throw badInput(network, `The ${what} has ${length} characters; ${network} takes ${max} at most.`, 'text')
}

function refuseMany(network: Network, text: string, pattern: RegExp, max: number | undefined, what: string) {
  const count = text.match(pattern)?.length ?? 0
  if (max !== undefined && count > max)
    throw badInput(network, `The post has ${count} ${what}; ${network} takes ${max} at most.`, 'text')
}

function refuseMedia(network: Network, { images, videos, mixesMedia }: Limits, media: readonly MediaRef[]) {
  const other = media.find((item) => !isImage(item) && !isVideo(item))
  if (other) throw unsupported(network, `${network} takes pictures and videos only, not ${other.name ?? other.mime}.`)
  const [clips, pictures] = [media.filter(isVideo), media.filter(isImage)]
  if (clips.length && pictures.length && !mixesMedia)
    throw badInput(network, `A post on ${network} carries either pictures or one video.`, 'media')
  if (clips.length > videos.max)
    throw badInput(network, `A post on ${network} carries at most ${videos.max} videos.`, 'media')
  if (media.length > Math.max(images.max, videos.max))
    throw badInput(network, `A post on ${network} carries at most ${images.max} pictures.`, 'media')
  for (const picture of pictures) refuseFile(network, picture, pictureRule(images.rule))
  for (const clip of clips) refuseFile(network, clip, videoRule(videos.rule))
}

interface FileRule {
  mimes: readonly string[]
  bytes: Range
  aspect?: Range | undefined
  seconds?: Range | undefined
}

const pictureRule = (rule?: ImageRule): FileRule | undefined => rule && { ...rule, bytes: { max: rule.maxBytes } }
const videoRule = (rule?: VideoRule): FileRule | undefined => rule

/** What is not known of a file is no reason to refuse it. */
function refuseFile(network: Network, media: MediaRef, rule?: FileRule) {
  if (!rule) return
  const name = media.name ?? 'A file'
  const { mime, bytes, width, height, durationMs } = media
  const refuse = (why: string) => badInput(network, `${name} ${why}`, 'media')
  if (!rule.mimes.includes(mime)) throw refuse(`is of the kind ${mime}; ${network} takes ${rule.mimes.join(', ')}.`)
  if (isOutside(bytes, rule.bytes)) throw refuse(`has ${bytes} bytes, which ${network} does not take.`)
  if (width && height && isOutside(width / height, rule.aspect))
    throw refuse(`is ${width}×${height}, a shape ${network} does not take.`)
  if (durationMs !== undefined && isOutside(durationMs / 1000, rule.seconds))
    throw refuse(`is ${durationMs / 1000} s long, which ${network} does not take.`)
}

// Networks round ratios; a hundredth is forgiven.
const isOutside = (value: number, range?: Range) =>
  value < (range?.min ?? -Infinity) - 0.01 || value > (range?.max ?? Infinity) + 0.01
