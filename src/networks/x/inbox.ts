import type { Activity, Page } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { badInput, NetworkError } from '../connector/fault.ts'
import { messageActivity, postActivity } from './activities.ts'
import { listingOf, type XMessage } from './answers.ts'
import type { XCalls } from './calls.ts'
import { messageQuery } from './comments.ts'
import { readPosts } from './reading.ts'

/** X is paid by what it returns: the first page of messages shows only whether there is anything new. */
const mentionSize = 10
const moreMentions = 100
const glanceSize = 1
const messageSize = 20

/** Where reading of one source goes on: the page, how much of it was given out, and when what follows happened. */
interface Place {
  token?: string | undefined
  given: number
  next?: number | undefined
}
const sourceNames = ['mentions', 'messages'] as const
type SourceName = (typeof sourceNames)[number]
type Cursor = { [source in SourceName]?: Place | undefined }
/** The newest id of each source that was seen. */
type Marker = { [source in SourceName]?: string | undefined }
type Source = (calls: XCalls, actor: Actor, token?: string, since?: string) => Promise<Page<Activity>>

/** Who answers us names us as well, so mentions hold the comments, too. */
const sources: { [source in SourceName]: Source } = {
  async mentions(calls, actor, token, since) {
    const where = { path: `/users/${actor.remoteId}/mentions`, query: { since_id: since } }
    const {
      data = [],
      includes,
      meta,
    } = await readPosts(calls, actor, where, token === undefined ? mentionSize : moreMentions, token)
    const items = data.map((post) => postActivity(calls, actor.remoteId, post, includes, 'mention'))
    return { items, cursor: meta?.next_token, marker: data[0]?.id }
  },
  /** Messages cannot be asked for by what came later: the newest one shows whether something did. */
  async messages(calls, actor, token, since) {
    const size = token === undefined && since !== undefined ? glanceSize : messageSize
    const query = { ...messageQuery, max_results: size, pagination_token: token }
    const answer = await calls.as(actor, { method: 'GET', path: '/dm_events', query })
    const { data = [], includes, meta } = listingOf<XMessage>(answer)
    const fresh = since === undefined ? data : data.filter(({ id }) => isLater(id, since))
    const items = fresh.map((event) => messageActivity(actor.remoteId, event, includes))
    return { items, cursor: fresh.length < data.length ? undefined : meta?.next_token, marker: data[0]?.id }
  },
}

/** Newest first over all sources: what is older than something another page may still hold waits for that page. */
export async function fetchInbox(
  calls: XCalls,
  actor: Actor,
  cursor?: string,
  marker?: string,
): Promise<Page<Activity>> {
  const places = cursor === undefined ? everything : placesIn<Cursor>(cursor)
  const since = marker === undefined ? {} : placesIn<Marker>(marker)
  const after: Cursor = {}
  const items: Activity[] = []
  let horizon = Number.NEGATIVE_INFINITY
  const read: { name: SourceName; place: Place; page: Page<Activity> }[] = []
  const refused: NetworkError[] = []
  for (const [name, place] of byTime(places)) {
    if ((place.next ?? Number.POSITIVE_INFINITY) < horizon) {
      after[name] = place
      continue
    }
    const page = await sources[name](calls, actor, place.token, since[name]).catch((error) =>
      refused.push(ofMessages(name, error)),
    )
    if (typeof page === 'number') continue
    if (page.cursor !== undefined) horizon = Math.max(horizon, page.items.at(-1)?.at.getTime() ?? horizon)
    read.push({ name, place, page })
  }
  // Messages that have to wait at the beginning do not keep mentions from being read: their marker stays where it was.
  if (refused[0] && (read.length === 0 || cursor !== undefined)) throw refused[0]
  for (const { name, place, page } of read) {
    const due = page.items.slice(place.given).filter(({ at }) => at.getTime() >= horizon)
    items.push(...due)
    const given = place.given + due.length
    const waits = page.items[given]
    if (waits) after[name] = { token: place.token, given, next: waits.at.getTime() }
    else if (page.cursor !== undefined) after[name] = { token: page.cursor, given: 0 }
  }
  items.sort((one, other) => other.at.getTime() - one.at.getTime())
  const newest = Object.fromEntries(read.map(({ name, page }) => [name, page.marker ?? since[name]]))
  return {
    items,
    cursor: Object.keys(after).length > 0 ? written(after) : undefined,
    marker: written({ ...since, ...newest }),
  }
}

const everything: Cursor = { mentions: { given: 0 }, messages: { given: 0 } }

/** Messages have by far the narrowest limit; anything but being told to wait for them ends the whole reading. */
function ofMessages(name: SourceName, error: unknown): NetworkError {
  const isWaiting =
    error instanceof NetworkError && error.fault.kind === 'throttled' && error.fault.scope === 'endpoint'
  if (name === 'messages' && isWaiting) return error
  throw error
}

/** Those whose next item is not known come first: they decide how far back a page may go. */
const byTime = (places: Cursor) =>
  sourceNames
    .flatMap((name) => (places[name] ? [[name, places[name]] as const] : []))
    .sort(([, one], [, other]) => (other.next ?? Number.MAX_SAFE_INTEGER) - (one.next ?? Number.MAX_SAFE_INTEGER))

/** Ids are numbers too large for numbers: the longer one is the larger. */
const isLater = (one: string, other: string) => (one.length === other.length ? one > other : one.length > other.length)

const written = (places: Cursor | Marker) => Buffer.from(JSON.stringify(places)).toString('base64url')

function placesIn<Places>(text: string): Places {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw badInput('Twitter', 'The place to read on from is not one that was given out.', 'cursor')
  }
}
