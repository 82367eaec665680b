import { createHash } from 'node:crypto'
import type { Activity } from '#networks/connector/activity.ts'
import { cleanId, cleanMedia, cleanName, cleanText, cleanUrl } from './cleaning.ts'

/** What is kept of something that happened at a network until it stands in the inbox: cleaned, bounded, plain. */
export interface Heard {
  kind: Exclude<Activity['kind'], 'post' | 'revoked'>
  remoteId: string
  postId: string
  parentId: string
  threadId: string
  person: { id: string; name: string; username: string; picture: string }
  text: string
  media: string[]
  url: string
  /** ISO, as all that is kept in a row. */
  at: string
  /** When its words were changed, or seen to be others; empty for what is told as new. */
  edited: string
}

export interface HeardOf {
  dedupeKey: string
  heard?: Heard
  /** Why it cannot be taken. */
  reason?: string
}

/** Reads what a connector tells. A time that cannot be is that of its arrival. */
export function heardOf(activity: Activity, received: Date): HeardOf {
  const dedupeKey = keyOf(activity)
  const remoteId = cleanId(activity.remoteId)
  if (remoteId === undefined) return { dedupeKey, reason: 'The network named it in a way that cannot be kept.' }
  const { kind, from } = activity
  if (kind === 'post' || kind === 'revoked') return { dedupeKey, reason: 'It is nothing that stands in an inbox.' }
  const person = {
    id: cleanId(from?.id) ?? '',
    name: cleanName(from?.name),
    username: cleanName(from?.username),
    picture: cleanUrl(from?.picture),
  }
  const heard: Heard = {
    kind,
    remoteId,
    person,
    postId: cleanId(activity.postId) ?? '',
    parentId: cleanId(activity.parentCommentId) ?? '',
    threadId: cleanId(activity.threadId) ?? '',
    text: cleanText(activity.text),
    media: cleanMedia(activity.media),
    url: cleanUrl(activity.url),
    at: timeOf(activity.at, received),
    edited: activity.edited ? timeOf(activity.edited, received) : '',
  }
  return { dedupeKey, heard }
}

/** Of strangers' words some pushes tell only that they are there: the network has to be asked for them. */
export const isThin = ({ kind, from, text, media = [] }: Activity) =>
  kind === 'revoked' || (kind === 'mention' && from === undefined && !text && media.length === 0)

const longestKey = 200

function keyOf({ dedupeKey }: Activity): string {
  const key = cleanId(dedupeKey)
  return key !== undefined && key.length <= longestKey
    ? key
    : `hash:${createHash('sha256').update(dedupeKey.toWellFormed()).digest('hex')}`
}

const earliest = Date.UTC(2000, 0, 1)
const aheadMs = 5 * 60_000

/** The networks' clocks are believed within reason: nothing stands in the inbox with a time that is to come. */
function timeOf(at: Date, received: Date): string {
  const time = at.getTime()
  const isPossible = time >= earliest && time <= received.getTime() + aheadMs
  return (isPossible ? at : received).toISOString()
}
