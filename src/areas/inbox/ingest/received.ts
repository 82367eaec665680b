import { createHash } from 'node:crypto'
import type { Activity } from '#networks/connector/connector.ts'

/** An activity as stored until it is in the inbox: sanitized and bounded. */
export interface Received {
  kind: Exclude<Activity['kind'], 'post' | 'revoked'>
  remoteId: string
  postId: string
  parentId: string
  threadId: string
  person: { id: string; name: string; username: string; picture: string }
  text: string
  media: string[]
  url: string
  /** ISO 8601, as all times stored as JSON. */
  at: string
  /** Time of an edit, or when it was noticed; empty for new content. */
  edited: string
}

interface ReceivedOf {
  dedupeKey: string
  activity?: Received
  /** Why it is rejected. */
  reason?: string
}

/** Sanitizes an activity of a connector. An impossible time is replaced with the time of receipt. */
export function receivedOf(activity: Activity, received: Date): ReceivedOf {
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
  const content: Received = {
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
  return { dedupeKey, activity: content }
}

/** Some pushes only report that there is content: it has to be fetched. */
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
const maxClockSkewMs = 5 * 60_000

/** Network clocks are trusted within limits: no entry is in the future. */
function timeOf(at: Date, received: Date): string {
  const time = at.getTime()
  const isPossible = time >= earliest && time <= received.getTime() + maxClockSkewMs
  return (isPossible ? at : received).toISOString()
}

/** Incoming text is untrusted: nothing in it is executed, hidden or unbounded. Sanitizing is linear in the stored length. */

const longestText = 10_000
const longestName = 200
const longestUrl = 2_000
const mostMedia = 10
const longestId = 300

/** Well-formed text with line breaks as the only control characters, truncated with an ellipsis. */
export const cleanText = (text: string | undefined) => cleaned(text, longestText, true)

/** Single-line text. */
export const cleanName = (name: string | undefined) => cleaned(name, longestName, false).trim()

/** URLs of images and videos; they aren't fetched here. */
export const cleanMedia = (media: readonly unknown[] | undefined): string[] =>
  (media ?? [])
    .slice(0, mostMedia)
    .map((url) => cleanUrl(url))
    .filter((url) => url !== '')

export function cleanUrl(url: unknown): string {
  if (typeof url !== 'string' || url.length > longestUrl || !URL.canParse(url)) return ''
  const { protocol, href } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= longestUrl ? href : ''
}

/** An id on a network; undefined if invalid. */
export function cleanId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || id.length > longestId || !id.isWellFormed()) return undefined
  for (let at = 0; at < id.length; at++) if (id.charCodeAt(at) <= 0x20 || isControl(id.charCodeAt(at))) return undefined
  return id
}

/** More combining marks per letter than any script has. */
const mostMarks = 8
const mostBreaks = 3

function cleaned(text: string | undefined, longest: number, keepsLines: boolean): string {
  if (typeof text !== 'string') return ''
  // Reads twice the stored length, since removed characters make room.
  const source = text.slice(0, longest * 2).toWellFormed()
  let output = ''
  let marks = 0
  let breaks = 0
  let before = 0
  for (const character of source) {
    const code = character.codePointAt(0) as number
    const isBreak = code === 0x0a || code === 0x2028 || code === 0x2029 || (code === 0x0d && keepsLines)
    const wasReturn = before === 0x0d
    const isJoinerAgain = isJoiner(code) && isJoiner(before)
    before = code
    if (isBreak && keepsLines) {
      if (code === 0x0a && wasReturn) continue
      breaks += 1
      if (breaks <= mostBreaks) output += '\n'
      continue
    }
    if (isBreak || code === 0x09) {
      output += ' '
      continue
    }
    if (isControl(code) || isHidden(code) || isJoinerAgain) continue
    marks = isMark(character, code) ? marks + 1 : 0
    if (marks > mostMarks) continue
    if (code !== 0x20) breaks = 0
    output += character
    if (output.length > longest) break
  }
  return text.length > source.length || output.length > longest ? `${cut(output, longest - 1)}…` : output
}

/** Never splits a surrogate pair. */
const cut = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

const isControl = (code: number) => code < 0x20 || (code >= 0x7f && code <= 0x9f)

const isJoiner = (code: number) => code === 0x200c || code === 0x200d

/** Characters that change the text direction, have no width, or encode invisible text. */
const isHidden = (code: number) =>
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x206f) ||
  code === 0x200b ||
  (code >= 0x2060 && code <= 0x2064) ||
  code === 0xfeff ||
  code === 0x00ad ||
  code === 0x180e ||
  (code >= 0xfff9 && code <= 0xfffb) ||
  (code >= 0xe0000 && code <= 0xe007f)

const isMark = (character: string, code: number) => code >= 0x0300 && /^\p{M}$/u.test(character)

/** Language detection of a library; its tables are loaded once, when workers start. */
type Detect = (text: string) => string

let loading: Promise<Detect> | undefined

/** Preloads the tables, so that the first activity doesn't wait for them. */
export function openLanguages(): Promise<Detect> {
  loading ??= import('tinyld').then(
    ({ detect }) =>
      (text) =>
        detect(text),
  )
  return loading
}

/** Enough to detect a language; more text takes longer without being more accurate. */
const detectedLength = 300
const minimumLetters = 3

/** The language of a text as ISO 639-1; empty if it can't be detected. */
export async function languageOf(text: string): Promise<string> {
  const sample = text
    .slice(0, detectedLength * 4)
    .replaceAll(urlsAndMentions, ' ')
    .replaceAll(nonLetters, ' ')
    .trim()
    .slice(0, detectedLength)
    .toWellFormed()
  if (sample.length < minimumLetters && !wideScript.test(sample)) return ''
  const found = (await openLanguages())(sample)
  return isCode.test(found) ? found : ''
}

/** Mentions and URLs are the same in every language. */
const urlsAndMentions = /(?:https?:\/\/|www\.|[@#])\S+/g
const nonLetters = /[^\p{L}\p{M}\s'’-]+/gu
const wideScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const isCode = /^[a-z]{2}$/
