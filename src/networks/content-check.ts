import { mediaProblems } from './content-media.ts'
import type { Content } from './content-parts.ts'
import { type ContentRules, contentRules } from './content-rules.ts'
import { lengthProblems, signProblems, wordProblems } from './content-text.ts'
import type { Limits } from './limits.ts'
import type { Network } from './network.ts'

export type { Content, ContentMedia } from './content-parts.ts'

/**
 * Every rule the content breaks, each a sentence with the rule and the number; empty when it can be published as it is. The
 * limits are those of every profile unless told: who knows the profile asks its connector.
 */
export function contentProblems(network: Network, content: Content, limits = contentRules[network].limits): string[] {
  const rules = contentRules[network]
  return [
    ...wordProblems(rules, limits, content),
    ...emptyProblems(rules.name, limits, content),
    ...linkProblems(rules, content),
    ...mediaProblems(rules.name, limits, content.media),
  ]
}

/** The same for a first comment or an answer. */
export function commentProblems(network: Network, text: string, limits = contentRules[network].limits): string[] {
  const { name, commentText, refusedInComment } = contentRules[network]
  return [
    ...(text.trim() ? [] : ['The comment is empty; it needs a text.']),
    ...lengthProblems(name, 'comment', commentText?.(text) ?? text, limits.comment),
    ...signProblems(name, 'comment', text, refusedInComment),
  ]
}

/** The same for a direct message. */
export function messageProblems(network: Network, text: string, limits = contentRules[network].limits): string[] {
  const { name, capabilities } = contentRules[network]
  if (capabilities.directMessage === 'no') return [`Direct messages cannot be sent on ${name}.`]
  return [
    ...(text.trim() ? [] : ['The message is empty; it needs a text.']),
    ...lengthProblems(name, 'message', text, limits.message),
  ]
}

function emptyProblems(network: string, { needsMedia, images }: Limits, { text, link, media }: Content): string[] {
  if (media.length > 0) return []
  if (needsMedia) return [`A post on ${network} needs ${images.max > 0 ? 'an image or a video' : 'a video'}.`]
  return text.trim() || link?.url ? [] : [`The post is empty; ${network} needs a text, a link or media.`]
}

function linkProblems({ name, capabilities }: ContentRules, { link, media }: Content): string[] {
  if (!link) return []
  if (capabilities.link === 'no') return [`${name} shows no link attachments; put the address into the text instead.`]
  return media.length > 0 ? ['The post has a link attachment and media; it takes one of the two.'] : []
}
