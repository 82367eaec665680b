import type { Audience } from '../connector/draft.ts'
import { manifestOf, type Network } from '../manifests.ts'
import type { Content, ContentMedia, ContentRules, Problem } from './content.ts'
import { featuresOf, gateOf } from './gates.ts'
import type { Capabilities, Limits } from './limits.ts'
import { mediaProblems, type VideoFacts, videoProblems } from './media-check.ts'
import { about, saidProblems, wordProblems } from './text-check.ts'

export type { Content, ContentMedia } from './content.ts'

/**
 * Every rule the content breaks, each a sentence with the rule and the number; empty when it can be published as it is. The
 * limits are those of every profile unless told: who knows the profile asks its connector.
 */
export const contentProblems = (network: Network, content: Content, limits?: Limits): string[] =>
  sentencesOf(judgePost(network, content, limits))

/** The same for an answer. */
export const commentProblems = (network: Network, text: string, limits?: Limits): string[] =>
  sentencesOf(judgeComment(network, { text, media: [] }, limits))

/** The one network under whose posts a first comment can stand. */
export const firstCommentNetwork = 'LinkedIn'

export const noFirstComment = `firstComment goes under posts on ${firstCommentNetwork} only; none of the profiles is there.`

/** What is said where a profile has no audiences to choose. */
export const noAudiences = 'Targeting presets exist for LinkedIn company pages only; this profile is not one.'

/** The same for a first comment: as long as the contract allows; what the network makes of it shows when it is sent. */
export const firstCommentProblems = (text: string): string[] =>
  commentProblems(firstCommentNetwork, text, {
    ...manifestOf(firstCommentNetwork).limits,
    comment: { max: 3_000, unit: 'utf16' },
  })

/** The same for a direct message. */
export const messageProblems = (network: Network, text: string, limits?: Limits): string[] =>
  sentencesOf(judgeMessage(network, { text, media: [] }, limits))

/** What is wrong with an audience, in a sentence; nothing when it can be used. */
export const audienceProblem = (network: Network, audience: Audience): string | undefined =>
  manifestOf(network).audienceProblem?.(audience)?.sentence

/** What a network asks of a video and this one does not have. */
export function videoProblemsOn(network: Network, facts: VideoFacts): string[] {
  const { rule } = manifestOf(network).limits.videos
  return rule ? videoProblems(rule, facts) : []
}

/** Every rule a post breaks, with the part of it that does. */
export function judgePost(
  network: Network,
  content: Content,
  limits: Limits = manifestOf(network).limits,
  capabilities: Capabilities = manifestOf(network).capabilities,
): Problem[] {
  const rules = manifestOf(network)
  const { name } = rules
  return [
    ...wordProblems(rules, limits, content),
    ...emptyProblems(name, limits, content),
    ...linkProblems(name, capabilities, content),
    ...mediaProblems({ network: name, what: 'post', limits }, content.media),
    ...audienceProblems(rules, capabilities, content),
    ...reshareProblems(name, capabilities, content),
    ...gateProblems(capabilities, content),
  ]
}

/** What the profile is known not to be allowed. */
const gateProblems = (capabilities: Capabilities, content: Content): Problem[] =>
  featuresOf(content).flatMap((feature) => {
    const gate = gateOf(capabilities[feature])
    return gate ? [{ sentence: gate.gated, isGate: true }] : []
  })

/** What is said to somebody: its words, and the files that go with it. */
interface Said {
  text: string
  media: readonly ContentMedia[]
}

export function judgeComment(
  network: Network,
  { text, media }: Said,
  limits: Limits = manifestOf(network).limits,
): Problem[] {
  const { name, commentText, refusedInComment, commentMedia } = manifestOf(network)
  return [
    ...(text.trim() || media.length > 0 ? [] : about('text', ['The comment is empty; it needs a text.'])),
    ...saidProblems(name, 'comment', commentText?.(text) ?? text, limits.comment, refusedInComment),
    ...(commentMedia ? mediaProblems({ network: name, what: 'comment', limits: commentMedia }, media) : []),
  ]
}

export function judgeMessage(
  network: Network,
  { text, media }: Said,
  limits: Limits = manifestOf(network).limits,
): Problem[] {
  const { name, capabilities, messageMedia, messageNeedsText } = manifestOf(network)
  if (capabilities.directMessage === 'no') return [noMessages(name)]
  const isEmpty = !text.trim() && (messageNeedsText || media.length === 0)
  return [
    ...(isEmpty ? about('text', ['The message is empty; it needs a text.']) : []),
    ...saidProblems(name, 'message', text, limits.message),
    ...(messageMedia ? mediaProblems({ network: name, what: 'message', limits: messageMedia }, media) : []),
  ]
}

/** What keeps a network from letting somebody be answered who wrote so long ago; nothing where it does let them. */
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
