import { composed } from '../content/text-check.ts'
import type { Json } from '../http/json.ts'
import type { NetworkResponse } from '../http/network-http.ts'

/** Fields of X's responses that are used. X says tweets or posts, depending on the request; both are supported. */
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
  /** Full text of posts longer than 280 characters. */
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

/** The `data` of a response with a single object. */
export const dataOf = <Data>(response: NetworkResponse): Partial<Data> =>
  (objectIn(response.body).data ?? {}) as Partial<Data>

export const listingOf = <Item>(response: NetworkResponse): Listing<Item> => objectIn(response.body) as Listing<Item>

export const objectIn = (value: Json | undefined): { [key: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}

/** Responses are untyped; the raw object is stored with the activity. */
export const asJson = (value: object): Json => value as Json

/** Text as displayed: X replaces URLs with its own, and appends one for attached media. */
export function readableText({
  id,
  text,
  entities,
  note_tweet,
}: Pick<XPost, 'id' | 'text' | 'entities' | 'note_tweet'>) {
  const whole = note_tweet?.text === undefined ? { text, entities } : note_tweet
  return unescaped(expanded(whole.text ?? '', whole.entities ?? entities, id)).trim()
}

/** Equal for texts that X displays identically. */
export const comparable = (text: string) =>
  composed(text)
    .replace(/https?:\/\//gi, '')
    .replace(/\/(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** X prefixes a reply with the usernames of the people replied to. */
export const comparableReply = (text: string) => comparable(text).replace(/^(?:@\w+ )+/, '')

function expanded(text: string, entities: Entities | undefined, id: string): string {
  return (entities?.urls ?? []).reduce((sum, { url, expanded_url, media_key }) => {
    if (!url) return sum
    // X appends the URL of attached media to the end of the text.
    const attached = media_key || expanded_url?.includes(`/status/${id}/`)
    return sum.replaceAll(url, attached ? '' : (expanded_url ?? url))
  }, text)
}

const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
