import type { Content, ContentRules, Problem, RefusedSigns } from './content.ts'
import type { Limits, TextRule } from './limits.ts'
import { textLength } from './text-length.ts'

/** What is wrong with the words of a post, its title included. */
export function wordProblems(rules: ContentRules, limits: Limits, content: Content): Problem[] {
  const { name, refusedInPost, needsTitle } = rules
  const text = rules.postText?.(content) ?? content.text
  const title = rules.title?.(content) ?? ''
  const inText = [
    ...lengthProblems(name, 'text', text, { ...limits.text, max: rules.postMax?.(content) ?? limits.text.max }),
    ...countProblems(name, 'hashtags', text, hashtag, limits.hashtags),
    ...countProblems(name, 'mentions', text, mention, limits.mentions),
    ...signProblems(name, 'text', text, refusedInPost),
  ]
  const inTitle = [
    ...(needsTitle && !title ? [`A post on ${name} needs a title, or a text whose first line can be one.`] : []),
    ...lengthProblems(name, 'title', title, limits.title),
    ...signProblems(name, 'title', title, refusedInPost),
  ]
  return [...about('text', inText), ...about('title', inTitle)]
}

/** What is wrong with the words of a comment or a message. */
export function saidProblems(
  name: string,
  what: 'comment' | 'message',
  text: string,
  rule: TextRule | undefined,
  refused?: RefusedSigns,
): Problem[] {
  return about('text', [...lengthProblems(name, what, text, rule), ...signProblems(name, what, text, refused)])
}

export const about = (field: string, sentences: readonly string[]): Problem[] =>
  sentences.map((sentence) => ({ field, sentence }))

function lengthProblems(name: string, what: string, text: string, rule: TextRule | undefined): string[] {
  if (!rule) return []
  const length = textLength(text, rule.unit)
  const unit = rule.unit === 'utf8' ? 'bytes' : 'characters'
  return length > rule.max ? [`The ${what} counts ${length} ${unit} on ${name}; ${rule.max} is the most.`] : []
}

const signProblems = (name: string, where: string, text: string, refused: RefusedSigns | undefined): string[] =>
  refused?.pattern.test(text) ? [`${name} takes no ${refused.what} in the ${where}.`] : []

function countProblems(name: string, what: string, text: string, pattern: RegExp, max: number | undefined): string[] {
  if (max === undefined) return []
  const count = text.match(pattern)?.length ?? 0
  return count > max ? [`The text has ${count} ${what}; ${name} takes ${max} at most.`] : []
}

const hashtag = /#[\p{L}\p{N}_]+/gu
const mention = /@[\w.]+/g
