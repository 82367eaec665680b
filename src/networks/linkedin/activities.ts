import { type Activity, type Actor, badInput, NetworkError, type Page, unsupported } from '../connector/connector.ts'
import type { StreamQuery } from '../connector/manifest.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { type Json, readJson } from '../http/json.ts'
import { ifAllowed, type LinkedInClient, type Listed, requestList } from './client.ts'
import { peopleOf } from './directory.ts'
import {
  at,
  commentParts,
  commentUrl,
  encoded,
  lastOf,
  listOf,
  numberAt,
  personIdOf,
  postUrl,
  textAt,
  textsAt,
  urnOf,
} from './fields.ts'
import { readable } from './little-text.ts'
import { messagesGate } from './manifest.ts'
import { socialMetadata } from './metrics.ts'
import { isNoAdministrator } from './permissions.ts'

function postActivity(app: NetworkApp, actor: Actor, post: Json): Activity {
  const remoteId = textAt(post, 'id') ?? ''
  return {
    dedupeKey: `post:${remoteId}`,
    kind: 'post',
    actorRemoteId: actor.remoteId,
    remoteId,
    from: { id: actor.remoteId, username: actor.username },
    postId: remoteId,
    text: readable(textAt(post, 'commentary') ?? ''),
    url: postUrl(app, remoteId),
    at: new Date(numberAt(post, 'publishedAt') ?? numberAt(post, 'createdAt') ?? 0),
    raw: post,
  }
}

export const commentUrnOf = (comment: Json) =>
  textAt(comment, 'commentUrn') ??
  textAt(comment, '$URN') ??
  `urn:li:comment:(${textAt(comment, 'object')},${textAt(comment, 'id')})`

/** The number only: LinkedIn identifies the post in a comment's URN in several ways. */
const commentKey = (urn: string) => commentParts(urn)?.number ?? urn

function commentActivity(app: NetworkApp, actor: Actor, postId: string, comment: Json): Activity {
  const remoteId = commentUrnOf(comment)
  const by = textAt(comment, 'actor') ?? ''
  const parentCommentId = textAt(comment, 'parentComment')
  return {
    dedupeKey: `comment:${commentKey(remoteId)}`,
    kind: by === urnOf(actor) ? 'echo' : parentCommentId ? 'reply' : 'comment',
    actorRemoteId: actor.remoteId,
    remoteId,
    from: { id: personIdOf(by) },
    postId,
    parentCommentId,
    text: textAt(comment, 'message', 'text') ?? '',
    url: commentUrl(app, postId, remoteId),
    at: new Date(numberAt(comment, 'created', 'time') ?? 0),
    raw: comment,
  }
}

function messageActivity(actor: Actor, message: Json): Activity {
  const remoteId = textAt(message, 'id') ?? ''
  const id = personIdOf(textAt(message, 'participant', 'urn') ?? '')
  const username = textAt(message, 'participant', 'vanityName')
  const isOutbound = textAt(message, 'direction') === 'OUTBOUND'
  const other = { id, name: textAt(message, 'participant', 'name'), username }
  return {
    dedupeKey: `message:${remoteId}`,
    kind: isOutbound ? 'echo' : 'message',
    actorRemoteId: actor.remoteId,
    remoteId,
    from: isOutbound ? { id: actor.remoteId, username: actor.username } : other,
    threadId: textAt(message, 'thread'),
    text: textAt(message, 'body') ?? '',
    at: new Date(numberAt(message, 'createdAt') ?? 0),
    raw: message,
  }
}

/** Kind of activity of each notification action; `as` names the field with the details. */
const actions: { readonly [action: string]: { kind: Activity['kind']; key: string; as: string } } = {
  COMMENT: { kind: 'comment', key: 'comment', as: 'comment' },
  COMMENT_EDIT: { kind: 'comment', key: 'edited', as: 'comment' },
  ADMIN_COMMENT: { kind: 'echo', key: 'comment', as: 'comment' },
  COMMENT_DELETE: { kind: 'removed', key: 'removed', as: 'comment' },
  SHARE_MENTION: { kind: 'mention', key: 'mention', as: 'share' },
  SHARE: { kind: 'share', key: 'share', as: 'share' },
  LIKE: { kind: 'reaction', key: 'reaction', as: 'like' },
  MESSAGE: { kind: 'message', key: 'message', as: 'message' },
}

/** A notification, pushed or fetched; undefined for unknown kinds. */
export function notificationActivity(app: NetworkApp, notification: Json): Activity | undefined {
  const page = textAt(notification, 'organizationalEntity')
  const remoteId = textAt(notification, 'generatedActivity')
  const action = textAt(notification, 'action') ?? ''
  const meaning = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (!meaning || page === undefined || remoteId === undefined) return undefined
  const details = at(notification, 'decoratedGeneratedActivity', meaning.as)
  const owner = textAt(details, 'owner')
  const text = textAt(details, 'text')
  const isShare = meaning.as === 'share'
  const postId = meaning.kind === 'message' ? undefined : isShare ? remoteId : textAt(notification, 'sourcePost')
  const parentCommentId = meaning.as === 'comment' ? textAt(details, 'parentComment') : undefined
  const modifiedAt = new Date(numberAt(notification, 'lastModifiedAt') ?? 0)
  const isEdit = meaning.key === 'edited'
  return {
    dedupeKey: `${meaning.key}:${commentKey(remoteId)}${isEdit ? `:${modifiedAt.getTime()}` : ''}`,
    kind: meaning.kind === 'comment' ? (owner === page ? 'echo' : parentCommentId ? 'reply' : 'comment') : meaning.kind,
    actorRemoteId: lastOf(page),
    remoteId,
    from: owner === undefined ? undefined : { id: personIdOf(owner) },
    postId,
    parentCommentId,
    threadId: textAt(details, 'thread'),
    text: text !== undefined && isShare ? readable(text) : text,
    url: postId && (meaning.as === 'comment' ? commentUrl(app, postId, remoteId) : postUrl(app, postId)),
    at: modifiedAt,
    edited: isEdit ? modifiedAt : undefined,
    raw: notification,
  }
}

/** The profile's own posts, newest first: LinkedIn's only stream. */
export async function fetchStream(
  client: LinkedInClient,
  actor: Actor,
  query: StreamQuery,
  cursor?: string,
): Promise<Page<Activity>> {
  if (query.type !== 'page') throw unsupported('LinkedIn', `LinkedIn has no stream “${query.type}”.`)
  const start = numberAt(readCursor(cursor), 'start')
  const path = `/rest/posts?q=author&author=${encoded(urnOf(actor))}&sortBy=CREATED`
  const { elements, next } = await requestList(client, actor, path, { start, count: 20 })
  const items = elements.map((post) => postActivity(client.app, actor, post))
  return { items, cursor: next === undefined ? undefined : cursorOf({ start: next }) }
}

/** Comments under the post page by page, each followed by its replies, a few threads per page. */
export async function fetchComments(
  client: LinkedInClient,
  actor: Actor,
  postId: string,
  cursor?: string,
): Promise<Page<Activity>> {
  const position = readCursor(cursor)
  const start = numberAt(position, 'start')
  const waiting = textsAt(position, 'threads')
  const { comments, threads, next } = waiting.length
    ? {
        comments: await repliesTo(client, actor, waiting.slice(0, threadsPerPage)),
        next: start,
        threads: waiting.slice(threadsPerPage),
      }
    : await commentsUnder(client, actor, postId, start)
  const items = comments.map((comment) => commentActivity(client.app, actor, postId, comment))
  const more = next !== undefined || threads.length > 0
  return {
    items: await named(client, actor, items),
    cursor: more ? cursorOf({ ...(next !== undefined && { start: next }), threads }) : undefined,
  }
}

async function commentsUnder(client: LinkedInClient, actor: Actor, postId: string, start: number | undefined) {
  const { elements: comments, next } = await requestList(client, actor, commentsPath(postId), { start, count: 20 })
  return { comments, next, threads: comments.filter(hasReplies).map(commentUrnOf) }
}

async function repliesTo(client: LinkedInClient, actor: Actor, threads: readonly string[]): Promise<Json[]> {
  const replies: Json[] = []
  for (const thread of threads) {
    for (let start: number | undefined = 0; start !== undefined; ) {
      const page: Listed = await requestList(client, actor, commentsPath(thread), { start, count: 100 })
      replies.push(...page.elements)
      start = page.next
    }
  }
  return replies
}

const commentsPath = (urn: string) => `/rest/socialActions/${encoded(urn)}/comments`

/** Adds names of people where LinkedIn returns them. */
async function named(client: LinkedInClient, actor: Actor, items: Activity[]): Promise<Activity[]> {
  const nameless = items.flatMap(({ from }) => (from && from.name === undefined ? [from.id] : []))
  const people = await peopleOf(
    client,
    actor,
    nameless.filter((id) => id !== actor.remoteId),
  )
  return items.map((item) => (item.from ? { ...item, from: { ...people.get(item.from.id), ...item.from } } : item))
}

const hasReplies = (comment: Json) =>
  (numberAt(comment, 'commentsSummary', 'totalFirstLevelComments') ??
    numberAt(comment, 'commentsSummary', 'aggregatedTotalComments') ??
    0) > 0

const cursorOf = (position: { [name: string]: Json }) => JSON.stringify(position)

function readCursor(cursor: string | undefined): Json | undefined {
  if (cursor === undefined) return undefined
  const position = readJson(cursor)
  if (position === null || typeof position !== 'object')
    throw badInput('LinkedIn', 'This page cannot be continued.', 'cursor')
  return position
}

const threadsPerPage = 5

/** Comments, mentions and messages in chronological order: each page of notifications merged with the messages in its time range. */
export async function fetchInbox(client: LinkedInClient, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const position = readCursor(cursor)
  if (at(position, 'posts') !== undefined) return commentsOf(client, actor, textsAt(position, 'posts'))
  const before = numberAt(position, 'before') ?? Number.POSITIVE_INFINITY
  const [notifications, messages] = await Promise.all([
    notificationsOf(client, actor, numberAt(position, 'start')),
    messagesAllowed(client.app) ? ifAllowed(mailbox(client, actor), 'input') : undefined,
  ])
  if (!notifications) return recentComments(client, actor, messages ?? [])
  const items = notifications.items
  const until = notifications.next === undefined ? Number.NEGATIVE_INFINITY : (items.at(-1)?.at.getTime() ?? before)
  const between = (messages ?? [])
    .map((message) => messageActivity(actor, message))
    .filter(({ at }) => at.getTime() < before && at.getTime() >= until)
  const sorted = [...items, ...between].sort((one, other) => other.at.getTime() - one.at.getTime())
  const next = notifications.next === undefined ? undefined : cursorOf({ start: notifications.next, before: until })
  return { items: await named(client, actor, sorted), cursor: next }
}

/** Notifications exist for pages only; undefined where LinkedIn doesn't show them to this member. */
async function notificationsOf(
  client: LinkedInClient,
  actor: Actor,
  start: number | undefined,
): Promise<{ items: Activity[]; next?: number | undefined } | undefined> {
  if (actor.kind !== 'page') return { items: [] }
  if (isNoAdministrator(actor)) return undefined
  const path =
    `/rest/organizationalEntityNotifications?q=criteria&organizationalEntity=${encoded(urnOf(actor))}` +
    `&actions=${listOf(['COMMENT', 'ADMIN_COMMENT', 'COMMENT_DELETE', 'SHARE_MENTION'])}`
  const page = await ifAllowed(requestList(client, actor, path, { start, count: 25 }), 'input')
  if (!page) return undefined
  return {
    items: page.elements
      .map((notification) => notificationActivity(client.app, notification))
      .filter((item) => item !== undefined),
    next: page.next,
  }
}

/** Replaces notifications: comments under the newest posts, a few posts per page. Mentions elsewhere are missed. */
async function recentComments(
  client: LinkedInClient,
  actor: Actor,
  messages: readonly Json[],
): Promise<Page<Activity>> {
  const path = `/rest/posts?q=author&author=${encoded(urnOf(actor))}&sortBy=CREATED`
  const { elements } = await requestList(client, actor, path, { count: recentPosts })
  const posts = elements.flatMap((post) => textAt(post, 'id') ?? [])
  const counted = posts.length ? await socialMetadata(client, actor, posts) : new Map<string, Json>()
  const commented = posts.filter((post) => numberAt(counted.get(post), 'commentSummary', 'count') !== 0)
  const { items, cursor } = await commentsOf(client, actor, commented)
  const messageItems = messages.map((message) => messageActivity(actor, message))
  return { items: [...items, ...messageItems].sort(newestFirst), cursor }
}

async function commentsOf(client: LinkedInClient, actor: Actor, posts: readonly string[]): Promise<Page<Activity>> {
  const items: Activity[] = []
  const shown = posts.slice(0, postsPerPage)
  const left = posts.slice(postsPerPage)
  for (const postId of shown) {
    for (let cursor: string | undefined, pages = 0; pages < pagesPerPost; pages++) {
      const page: Page<Activity> | undefined = await ifAllowed(fetchComments(client, actor, postId, cursor))
      if (!page) throw new NetworkError('LinkedIn', { kind: 'permanent', why: 'permission' }, notForThisMember)
      items.push(...page.items)
      cursor = page.cursor
      if (cursor === undefined) break
    }
  }
  return { items: items.sort(newestFirst), cursor: left.length ? cursorOf({ posts: [...left] }) : undefined }
}

const newestFirst = (one: Activity, other: Activity) => other.at.getTime() - one.at.getTime()

const notForThisMember =
  'LinkedIn does not show the comments of this page to the member who connected it. An administrator of the page has to connect it.'

// Every request counts against the member's daily quota.
const recentPosts = 10
const postsPerPage = 5
const pagesPerPost = 3

/** LinkedIn documents page messages for approved partners only; this follows the members' Messages API. */
export const messagesAllowed = ({ options }: NetworkApp) => options.messages === 'yes'

/** The newest messages of both sides, newest first. */
export async function mailbox(client: LinkedInClient, actor: Actor, since = 0): Promise<Json[]> {
  const path = `/v2/messages?q=mailbox&owner=${encoded(urnOf(actor))}&since=${since}`
  return (await requestList(client, actor, path, { count: mailboxSize })).elements
}

export const mailboxSize = 100

export function requireMessages(app: NetworkApp) {
  if (!messagesAllowed(app)) throw unsupported('LinkedIn', messagesGate)
}
