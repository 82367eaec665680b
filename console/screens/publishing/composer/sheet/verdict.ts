import {
  type ContentMedia,
  firstCommentNetwork,
  firstCommentProblems,
  judgePost,
} from '#networks/content/content-check.ts'
import { textLength } from '#networks/content/text-length.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { type Attached, type Composition, isImage, mediaOn, textOn } from '../composition.ts'
import { cardOn } from '../parts.ts'

/** What the service's own rules say of a version, in its own sentences. */
export interface Verdict {
  network: Network
  problems: readonly string[]
  /** How long the text is for the network, and how long it may be. */
  length: number
  max: number
}

export function judge(composition: Composition, network: Network): Verdict {
  const { content, rules, length, max } = weigh(composition, network)
  const problems = judgePost(network, content, rules.limits).map(({ sentence }) => sentence)
  const ofComment =
    network === firstCommentNetwork && composition.comment.trim() ? firstCommentProblems(composition.comment) : []
  return { network, problems: [...problems, ...ofComment], length, max }
}

/** Where the text becomes too long: what stands from there on is too much. */
export function cutAt(composition: Composition, network: Network): number {
  const text = textOn(composition, network)
  const { content, rules, length, max } = weigh(composition, network)
  if (length <= max) return text.length
  const lengthTo = (end: number) => {
    const words = { ...content, text: text.slice(0, end) }
    return textLength(rules.postText?.(words) ?? words.text, rules.limits.text.unit)
  }
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (lengthTo(middle) <= max) low = middle
    else high = middle - 1
  }
  return low
}

function weigh(composition: Composition, network: Network) {
  const rules = manifestOf(network)
  const card = cardOn(composition, network)
  const content = {
    text: textOn(composition, network),
    media: mediaOn(composition, network).map(factsOf),
    ...(composition.title && rules.limits.title && { title: composition.title }),
    ...(card && { link: { url: card.url } }),
  }
  const counted = rules.postText?.(content) ?? content.text
  const max = rules.postMax?.(content) ?? rules.limits.text.max
  return { content, rules, max, length: textLength(counted, rules.limits.text.unit) }
}

/** A file as the rules of networks know it. */
function factsOf(file: Attached): ContentMedia {
  const { Type, Name, MimeType, Size, Width, Height, DurationMs, FramesPerSecond, VideoCodec, AudioCodec } = file
  return {
    type: Type,
    name: Name,
    mime: MimeType,
    bytes: Size,
    width: Width ?? undefined,
    height: Height ?? undefined,
    seconds: DurationMs === null ? undefined : DurationMs / 1000,
    framesPerSecond: FramesPerSecond ?? undefined,
    videoCodec: VideoCodec ?? undefined,
    audioCodec: AudioCodec ?? undefined,
    pages: file.Pages ?? undefined,
    frames: file.Frames ?? undefined,
    ...(isImage(file) && file.Description && { alt: file.Description }),
  }
}
