import type { Activity, Page } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { badInput } from '../connector/fault.ts'
import { messageActivity, postActivity } from './activities.ts'
import { listingOf, type XMessage } from './answers.ts'
import type { XCalls } from './calls.ts'
import { messageQuery } from './messages.ts'
import { readPosts } from './reading.ts'

const pageSize = 50

/** Where reading of one source goes on: the page, how much of it was given out, and when what follows happened. */
interface Place {
  token?: string | undefined
  given: number
  next?: number | undefined
}
const sourceNames = ['mentions', 'messages'] as const
type SourceName = (typeof sourceNames)[number]
type Cursor = { [source in SourceName]?: Place | undefined }
type Source = (calls: XCalls, actor: Actor, token?: string) => Promise<Page<Activity>>

/** Who answers us names us as well, so mentions hold the comments, too. */
const sources: { [source in SourceName]: Source } = {
  async mentions(calls, actor, token) {
    const where = { path: `/users/${actor.remoteId}/mentions` }
    const { data = [], includes, meta } = await readPosts(calls, actor, where, pageSize, token)
    const items = data.map((post) => postActivity(calls, actor.remoteId, post, includes, 'mention'))
    return { items, cursor: meta?.next_token }
  },
  async messages(calls, actor, token) {
    const query = { ...messageQuery, max_results: pageSize, pagination_token: token }
    const answer = await calls.as(actor, { method: 'GET', path: '/dm_events', query })
    const { data = [], includes, meta } = listingOf<XMessage>(answer)
    return { items: data.map((event) => messageActivity(actor.remoteId, event, includes)), cursor: meta?.next_token }
  },
}

/** Newest first over all sources: what is older than something another page may still hold waits for that page. */
export async function fetchInbox(calls: XCalls, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  const places = cursor === undefined ? everything : cursorIn(cursor)
  const after: Cursor = {}
  const items: Activity[] = []
  let horizon = Number.NEGATIVE_INFINITY
  const read: { name: SourceName; place: Place; page: Page<Activity> }[] = []
  for (const [name, place] of byTime(places)) {
    if ((place.next ?? Number.POSITIVE_INFINITY) < horizon) {
      after[name] = place
      continue
    }
    const page = await sources[name](calls, actor, place.token)
    if (page.cursor !== undefined) horizon = Math.max(horizon, page.items.at(-1)?.at.getTime() ?? horizon)
    read.push({ name, place, page })
  }
  for (const { name, place, page } of read) {
    const due = page.items.slice(place.given).filter(({ at }) => at.getTime() >= horizon)
    items.push(...due)
    const given = place.given + due.length
    const waiting = page.items[given]
    if (waiting) after[name] = { token: place.token, given, next: waiting.at.getTime() }
    else if (page.cursor !== undefined) after[name] = { token: page.cursor, given: 0 }
  }
  items.sort((one, other) => other.at.getTime() - one.at.getTime())
  return { items, cursor: Object.keys(after).length > 0 ? cursorOf(after) : undefined }
}

const everything: Cursor = { mentions: { given: 0 }, messages: { given: 0 } }

/** Those whose next item is not known come first: they decide how far back a page may go. */
const byTime = (places: Cursor) =>
  sourceNames
    .flatMap((name) => (places[name] ? [[name, places[name]] as const] : []))
    .sort(([, one], [, other]) => (other.next ?? Number.MAX_SAFE_INTEGER) - (one.next ?? Number.MAX_SAFE_INTEGER))

const cursorOf = (places: Cursor) => Buffer.from(JSON.stringify(places)).toString('base64url')

function cursorIn(cursor: string): Cursor {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw badInput('Twitter', 'The place to read on from is not one that was given out.', 'cursor')
  }
}
