import type { Audience } from '../connector/draft.ts'
import { manifestOf, type Network } from '../manifests.ts'
import type { Capabilities, Content, ContentMedia, ContentRules, Limits, Problem } from './content.ts'
import { featuresOf, gateOf } from './gates.ts'
import { mediaProblems, type VideoFacts, videoProblems } from './media-check.ts'
import { about, messageTextProblems, postTextProblems } from './text-check.ts'

export type { Content, ContentMedia } from './content.ts'

/**
 * Every violated rule as a sentence with the rule and its number; empty for publishable content. The limits default to those of
 * every profile; a connector knows those of a specific one.
 */
export const contentProblems = (network: Network, content: Content, limits?: Limits): string[] =>
  sentencesOf(checkPost(network, content, limits))

/** The same for a reply. */
export const commentProblems = (network: Network, text: string, limits?: Limits): string[] =>
  sentencesOf(checkComment(network, { text, media: [] }, limits))

/** The only network that supports first comments. */
export const firstCommentNetwork = 'LinkedIn'

export const noFirstComment = `firstComment goes under posts on ${firstCommentNetwork} only; none of the profiles is there.`

export const noAudiences = 'Targeting presets exist for LinkedIn company pages only; this profile is not one.'

/** The same for a first comment, up to the contract's length; the network's own limit is checked when it is sent. */
export const firstCommentProblems = (text: string): string[] =>
  commentProblems(firstCommentNetwork, text, {
    ...manifestOf(firstCommentNetwork).limits,
    comment: { max: 3_000, unit: 'utf16' },
  })

/** The same for a direct message. */
export const messageProblems = (network: Network, text: string, limits?: Limits): string[] =>
  sentencesOf(checkMessage(network, { text, media: [] }, limits))

/** Problem with an audience as a sentence; undefined if it is valid. */
export const audienceProblem = (network: Network, audience: Audience): string | undefined =>
  manifestOf(network).audienceProblem?.(audience)?.sentence

/** Requirements of a network that a video doesn't meet. */
export function videoProblemsOn(network: Network, facts: VideoFacts): string[] {
  const { rule } = manifestOf(network).limits.videos
  return rule ? videoProblems(rule, facts) : []
}

/** Every violated rule of a post, with the field it concerns. */
export function checkPost(
  network: Network,
  content: Content,
  limits: Limits = manifestOf(network).limits,
  capabilities: Capabilities = manifestOf(network).capabilities,
): Problem[] {
  const rules = manifestOf(network)
  const { name } = rules
  return [
    ...postTextProblems(rules, limits, content),
    ...emptyProblems(name, limits, content),
    ...linkProblems(name, capabilities, content),
    ...mediaProblems({ network: name, what: 'post', limits }, content.media),
    ...audienceProblems(rules, capabilities, content),
    ...reshareProblems(name, capabilities, content),
    ...gateProblems(capabilities, content),
  ]
}

/** Features that the profile has no permission for. */
const gateProblems = (capabilities: Capabilities, content: Content): Problem[] =>
  featuresOf(content).flatMap((feature) => {
    const gate = gateOf(capabilities[feature])
    return gate ? [{ sentence: gate.gated, isGate: true }] : []
  })

interface MessageContent {
  text: string
  media: readonly ContentMedia[]
}

export function checkComment(
  network: Network,
  { text, media }: MessageContent,
  limits: Limits = manifestOf(network).limits,
): Problem[] {
  const { name, commentText, forbiddenInComment, commentMedia } = manifestOf(network)
  return [
    ...(text.trim() || media.length > 0 ? [] : about('text', ['The comment is empty; it needs a text.'])),
    ...messageTextProblems(name, 'comment', commentText?.(text) ?? text, limits.comment, forbiddenInComment),
    ...(commentMedia ? mediaProblems({ network: name, what: 'comment', limits: commentMedia }, media) : []),
  ]
}

export function checkMessage(
  network: Network,
  { text, media }: MessageContent,
  limits: Limits = manifestOf(network).limits,
): Problem[] {
  const { name, capabilities, messageMedia, messageNeedsText } = manifestOf(network)
  if (capabilities.directMessage === 'no') return [noMessages(name)]
  const isEmpty = !text.trim() && (messageNeedsText || media.length === 0)
  return [
    ...(isEmpty ? about('text', ['The message is empty; it needs a text.']) : []),
    ...messageTextProblems(name, 'message', text, limits.message),
    ...(messageMedia ? mediaProblems({ network: name, what: 'message', limits: messageMedia }, media) : []),
  ]
}

/** Why a network no longer allows a reply to a message of that date; undefined if it does. */
export function windowProblem(network: Network, lastInboundAt: Date | undefined, now: Date): string | undefined {
  const { name, messageDays = Number.POSITIVE_INFINITY } = manifestOf(network)
  if (!lastInboundAt || now.getTime() - lastInboundAt.getTime() < messageDays * day) return undefined
  return `${name} lets people be answered within ${messageDays} days; this person has to write again first.`
}

const day = 86_400_000

export const noMessages = (network: string): Problem => ({
  sentence: `Direct messages cannot be sent on ${network}.`,
})

function emptyProblems(network: string, { needsMedia, images }: Limits, content: Content): Problem[] {
  const { text, link, media, reshareOf } = content
  if (media.length > 0) return []
  if (needsMedia)
    return [{ sentence: `A post on ${network} needs ${images.max > 0 ? 'an image or a video' : 'a video'}.` }]
  if (text.trim() || link?.url || reshareOf !== undefined) return []
  return about('text', [`The post is empty; ${network} needs a text, a link or media.`])
}

function linkProblems(network: string, { link: can }: Capabilities, { link, media }: Content): Problem[] {
  if (!link) return []
  if (can === 'no')
    return [{ sentence: `${network} shows no link attachments; put the address into the text instead.` }]
  return media.length > 0 ? about('link', ['The post has a link attachment and media; it takes one of the two.']) : []
}

function audienceProblems(rules: ContentRules, { audience: can }: Capabilities, { audience }: Content): Problem[] {
  if (!audience || !Object.values(audience).some((values) => values && values.length > 0)) return []
  if (can === 'no') return [{ sentence: `This profile on ${rules.name} cannot choose the audience of a post.` }]
  return [rules.audienceProblem?.(audience) ?? []].flat()
}

function reshareProblems(network: string, { reshare: can }: Capabilities, content: Content): Problem[] {
  const { reshareOf, link, media } = content
  if (reshareOf === undefined) return []
  if (can === 'no') return [{ sentence: `Posts cannot be shared again on ${network}.` }]
  const hasMore = link !== undefined || media.length > 0
  return hasMore ? about('media', ['A shared post carries neither a link nor media of its own.']) : []
}

const sentencesOf = (problems: readonly Problem[]) => problems.map(({ sentence }) => sentence)
