import type { Activity, Page } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { messageActivity, noticeActivity } from './activities.ts'
import { type Calls, list } from './calls.ts'
import { numberAt } from './fields.ts'
import { mailbox, messagesAllowed } from './messages.ts'
import { cursorOf, named, readCursor } from './reading.ts'
import { encoded, listOf, urnOf } from './urns.ts'

/** Comments, mentions and messages in the order of time: each page of notifications with the messages that lie between them. */
export async function fetchInbox(calls: Calls, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const place = readCursor(cursor)
  const before = numberAt(place, 'before') ?? Number.POSITIVE_INFINITY
  const [notices, messages] = await Promise.all([
    noticesOf(calls, actor, numberAt(place, 'start')),
    messagesAllowed(calls.app) ? mailbox(calls, actor) : [],
  ])
  const items = notices.items
  const until = notices.next === undefined ? Number.NEGATIVE_INFINITY : (items.at(-1)?.at.getTime() ?? before)
  const between = messages
    .map((message) => messageActivity(actor, message))
    .filter(({ at }) => at.getTime() < before && at.getTime() >= until)
  const sorted = [...items, ...between].sort((one, other) => other.at.getTime() - one.at.getTime())
  const next = notices.next === undefined ? undefined : cursorOf({ start: notices.next, before: until })
  return { items: await named(calls, actor, sorted), cursor: next }
}

/** Only pages are told what happens to their posts. */
async function noticesOf(
  calls: Calls,
  actor: Actor,
  start: number | undefined,
): Promise<{ items: Activity[]; next?: number | undefined }> {
  if (actor.kind !== 'page') return { items: [] }
  const path =
    `/rest/organizationalEntityNotifications?q=criteria&organizationalEntity=${encoded(urnOf(actor))}` +
    `&actions=${listOf(['COMMENT', 'ADMIN_COMMENT', 'COMMENT_DELETE', 'SHARE_MENTION'])}`
  const { elements, next } = await list(calls, actor, path, { start, count: 25 })
  return {
    items: elements.map((notice) => noticeActivity(calls.app, notice)).filter((item) => item !== undefined),
    next,
  }
}
