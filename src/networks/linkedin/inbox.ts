import type { Activity, Page } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import { messageActivity, noticeActivity } from './activities.ts'
import { type Calls, ifAllowed, list } from './calls.ts'
import { at, encoded, listOf, numberAt, textAt, textsAt, urnOf } from './fields.ts'
import { mailbox, messagesAllowed } from './messages.ts'
import { socialMetadata } from './numbers.ts'
import { isNoAdministrator } from './permissions.ts'
import { cursorOf, fetchComments, named, readCursor } from './reading.ts'

/** Comments, mentions and messages in the order of time: each page of notifications with the messages that lie between them. */
export async function fetchInbox(calls: Calls, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const place = readCursor(cursor)
  if (at(place, 'posts') !== undefined) return commentsOf(calls, actor, textsAt(place, 'posts'))
  const before = numberAt(place, 'before') ?? Number.POSITIVE_INFINITY
  const [notices, messages] = await Promise.all([
    noticesOf(calls, actor, numberAt(place, 'start')),
    messagesAllowed(calls.app) ? ifAllowed(mailbox(calls, actor), 'input') : undefined,
  ])
  if (!notices) return recentComments(calls, actor, messages ?? [])
  const items = notices.items
  const until = notices.next === undefined ? Number.NEGATIVE_INFINITY : (items.at(-1)?.at.getTime() ?? before)
  const between = (messages ?? [])
    .map((message) => messageActivity(actor, message))
    .filter(({ at }) => at.getTime() < before && at.getTime() >= until)
  const sorted = [...items, ...between].sort((one, other) => other.at.getTime() - one.at.getTime())
  const next = notices.next === undefined ? undefined : cursorOf({ start: notices.next, before: until })
  return { items: await named(calls, actor, sorted), cursor: next }
}

/** Only pages are told what happens to their posts; nothing where LinkedIn does not tell this member. */
async function noticesOf(
  calls: Calls,
  actor: Actor,
  start: number | undefined,
): Promise<{ items: Activity[]; next?: number | undefined } | undefined> {
  if (actor.kind !== 'page') return { items: [] }
  if (isNoAdministrator(actor)) return undefined
  const path =
    `/rest/organizationalEntityNotifications?q=criteria&organizationalEntity=${encoded(urnOf(actor))}` +
    `&actions=${listOf(['COMMENT', 'ADMIN_COMMENT', 'COMMENT_DELETE', 'SHARE_MENTION'])}`
  const page = await ifAllowed(list(calls, actor, path, { start, count: 25 }), 'input')
  if (!page) return undefined
  return {
    items: page.elements.map((notice) => noticeActivity(calls.app, notice)).filter((item) => item !== undefined),
    next: page.next,
  }
}

/** In place of notifications: what stands under the newest posts, some posts to a page. Mentions elsewhere are not seen. */
async function recentComments(calls: Calls, actor: Actor, messages: readonly Json[]): Promise<Page<Activity>> {
  const path = `/rest/posts?q=author&author=${encoded(urnOf(actor))}&sortBy=CREATED`
  const { elements } = await list(calls, actor, path, { count: recentPosts })
  const posts = elements.flatMap((post) => textAt(post, 'id') ?? [])
  const counted = posts.length ? await socialMetadata(calls, actor, posts) : new Map<string, Json>()
  const commented = posts.filter((post) => numberAt(counted.get(post), 'commentSummary', 'count') !== 0)
  const { items, cursor } = await commentsOf(calls, actor, commented)
  const said = messages.map((message) => messageActivity(actor, message))
  return { items: [...items, ...said].sort(newestFirst), cursor }
}

async function commentsOf(calls: Calls, actor: Actor, posts: readonly string[]): Promise<Page<Activity>> {
  const items: Activity[] = []
  const shown = posts.slice(0, postsPerPage)
  const left = posts.slice(postsPerPage)
  for (const postId of shown) {
    for (let cursor: string | undefined, pages = 0; pages < pagesPerPost; pages++) {
      const page: Page<Activity> | undefined = await ifAllowed(fetchComments(calls, actor, postId, cursor))
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

// Every question counts against the member's quota of the day.
const recentPosts = 10
const postsPerPage = 5
const pagesPerPost = 3
