import { composed } from '../content/text-length.ts'
import type { Json } from '../wire/json.ts'
import type { NetworkAnswer } from '../wire/network-http.ts'

/** What X answers, as far as it is read. X speaks of tweets or of posts, as it was asked; both are understood. */
export interface XUser {
  id: string
  name?: string
  username?: string
  profile_image_url?: string
  public_metrics?: { followers_count?: number }
  subscription_type?: string
}

export interface XPost {
  id: string
  text?: string
  author_id?: string
  created_at?: string
  conversation_id?: string
  in_reply_to_user_id?: string
  referenced_tweets?: Reference[]
  referenced_posts?: Reference[]
  attachments?: { media_keys?: string[] | null }
  entities?: Entities
  /** All of a text that is longer than 280. */
  note_tweet?: { text?: string; entities?: Entities }
  public_metrics?: { [name: string]: number }
  non_public_metrics?: { [name: string]: number }
}

export interface XMessage {
  id: string
  text?: string
  sender_id?: string
  dm_conversation_id?: string
  created_at?: string
  attachments?: { media_keys?: string[] | null }
  entities?: Entities
}

export interface Reference {
  type: string
  id: string
}

export interface Entities {
  urls?: { url?: string; expanded_url?: string | null; media_key?: string | null }[] | null
  mentions?: { id?: string | null }[] | null
}

export interface XMedia {
  media_key?: string
  url?: string
  preview_image_url?: string
}

export interface Listing<Item> {
  data?: Item[]
  includes?: Includes
  errors?: { type?: string; resource_id?: string; value?: string }[]
  meta?: { next_token?: string }
}

export interface Includes {
  users?: XUser[]
  media?: XMedia[]
}

export const repliedTo = ({ referenced_tweets, referenced_posts }: XPost): string | undefined =>
  (referenced_tweets ?? referenced_posts)?.find(({ type }) => type === 'replied_to')?.id

/** The `data` of an answer about one thing. */
export const dataOf = <Data>(answer: NetworkAnswer): Partial<Data> =>
  (objectIn(answer.body).data ?? {}) as Partial<Data>

export const listingOf = <Item>(answer: NetworkAnswer): Listing<Item> => objectIn(answer.body) as Listing<Item>

export const objectIn = (value: Json | undefined): { [key: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}

/** An answer may hold anything; what is kept of it beside an activity is what it was. */
export const asJson = (value: object): Json => value as Json

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
