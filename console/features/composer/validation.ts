import {
  type ContentMedia,
  checkPost,
  firstCommentNetwork,
  firstCommentProblems,
} from '#networks/content/content-check.ts'
import { textLength } from '#networks/content/text-check.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import type { Params } from '@/api/call.ts'
import {
  type Attached,
  type Composition,
  type Intent,
  isImage,
  mediaOn,
  type Profile,
  textOn,
  timesOf,
} from './composition.ts'

/** Result of the server's validation rules, with its messages. */
export interface ValidationResult {
  network: Network
  problems: readonly string[]
  /** Length as counted by the network, and the limit. */
  length: number
  max: number
}

export function validate(composition: Composition, network: Network): ValidationResult {
  const { content, rules, length, max } = measure(composition, network)
  const problems = checkPost(network, content, rules.limits).map(({ sentence }) => sentence)
  const ofComment =
    network === firstCommentNetwork && composition.comment.trim() ? firstCommentProblems(composition.comment) : []
  return { network, problems: [...problems, ...ofComment], length, max }
}

/** Index from which the text exceeds the limit. */
export function overflowStart(composition: Composition, network: Network): number {
  const text = textOn(composition, network)
  const { content, rules, length, max } = measure(composition, network)
  if (length <= max) return text.length
  const lengthUpTo = (end: number) => {
    const shortened = { ...content, text: text.slice(0, end) }
    return textLength(rules.postText?.(shortened) ?? shortened.text, rules.limits.text.unit)
  }
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (lengthUpTo(middle) <= max) low = middle
    else high = middle - 1
  }
  return low
}

function measure(composition: Composition, network: Network) {
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

/** A file as the validation rules expect it. */
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

/** No card if media is attached or the network does not support cards. */
export const cardOn = (composition: Composition, network: Network) =>
  manifestOf(network).capabilities.link !== 'no' && mediaOn(composition, network).length === 0 ? composition.card : null

export function requestBody(
  draftId: string,
  composition: Composition,
  networks: readonly Network[],
  profiles: readonly Profile[],
  { isDraft = false, workflowId }: Intent,
): Params<'POST /compose'> {
  const { campaignId, tags } = composition
  return {
    campaignId,
    draftId,
    ...timesOf(composition, isDraft),
    ...(tags.length > 0 && { tagIds: tags.map((tag) => tag.id) }),
    ...(workflowId && { workflowId }),
    parts: networks.map((network) => partOf(composition, network, profiles)),
  }
}

type Part = Params<'POST /compose'>['parts'][number]

/** The part of one network. */
function partOf(composition: Composition, network: Network, profiles: readonly Profile[]): Part {
  const { title, comment, presetId, profiles: chosen } = composition
  const media = mediaOn(composition, network)
  const card = cardOn(composition, network)
  const credentialIds = profiles.filter(({ Id, Network }) => Network === network && chosen.includes(Id))
  return {
    network,
    message: textOn(composition, network),
    credentialIds: credentialIds.map(({ Id }) => Id),
    ...(media.length > 0 && { media: media.map(({ Id }) => Id) }),
    ...(title && manifestOf(network).limits.title && { title }),
    ...(card && { linkUrl: card.url, linkTitle: card.title, description: card.description, imageUrl: card.imageUrl }),
    ...(network === firstCommentNetwork && comment.trim() && { firstComment: { text: comment } }),
    ...(network === firstCommentNetwork && presetId && { targetingPresetId: presetId }),
  }
}
