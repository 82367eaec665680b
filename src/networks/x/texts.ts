import { composed } from '../content/text-length.ts'
import type { Entities, XPost } from './answers.ts'

/** A text as its readers see it: X stores addresses of its own, and one more for what is attached. */
export function readableText({
  id,
  text,
  entities,
  note_tweet,
}: Pick<XPost, 'id' | 'text' | 'entities' | 'note_tweet'>) {
  const whole = note_tweet?.text === undefined ? { text, entities } : note_tweet
  return unescaped(expanded(whole.text ?? '', whole.entities ?? entities, id)).trim()
}

/** Equal for texts that X shows alike. */
export const comparable = (text: string) =>
  composed(text)
    .replace(/https?:\/\//gi, '')
    .replace(/\/(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** X puts the names of those who are answered in front of an answer. */
export const comparableAnswer = (text: string) => comparable(text).replace(/^(?:@\w+ )+/, '')

function expanded(text: string, entities: Entities | undefined, id: string): string {
  return (entities?.urls ?? []).reduce((sum, { url, expanded_url, media_key }) => {
    if (!url) return sum
    // The address of what is attached stands at the end, where nobody has written it.
    const attached = media_key || expanded_url?.includes(`/status/${id}/`)
    return sum.replaceAll(url, attached ? '' : (expanded_url ?? url))
  }, text)
}

const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
