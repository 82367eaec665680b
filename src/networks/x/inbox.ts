import type { Activity, Actor, Page } from '../connector/connector.ts'
import { badInput, NetworkError } from '../connector/connector.ts'
import { messageActivity, postActivity, readPosts } from './activities.ts'
import type { XClient } from './client.ts'
import { messageQuery } from './publishing.ts'
import { listingOf, type XMessage } from './responses.ts'

/** X charges per returned item: the first page of messages only shows whether there is anything new. */
const mentionSize = 10
const moreMentions = 100
const newestMessageSize = 1
const messageSize = 20

/** Position in one source: the page, the number of items returned from it, and the time of the next item. */
interface SourcePosition {
  token?: string | undefined
  given: number
  next?: number | undefined
}
const sourceNames = ['mentions', 'messages'] as const
type SourceName = (typeof sourceNames)[number]
type Cursor = { [source in SourceName]?: SourcePosition | undefined }
/** The newest id seen of each source. */
type Marker = { [source in SourceName]?: string | undefined }
type Source = (client: XClient, actor: Actor, token?: string, since?: string) => Promise<Page<Activity>>

/** Replies mention the account as well, so mentions include comments. */
const sources: { [source in SourceName]: Source } = {
  async mentions(client, actor, token, since) {
    const where = { path: `/users/${actor.remoteId}/mentions`, query: { since_id: since } }
    const {
      data = [],
      includes,
      meta,
    } = await readPosts(client, actor, where, token === undefined ? mentionSize : moreMentions, token)
    const items = data.map((post) => postActivity(client, actor.remoteId, post, includes, 'mention'))
    return { items, cursor: meta?.next_token, marker: data[0]?.id }
  },
  /** Messages can't be filtered by time: the newest one shows whether there are new ones. */
  async messages(client, actor, token, since) {
    const size = token === undefined && since !== undefined ? newestMessageSize : messageSize
    const query = { ...messageQuery, max_results: size, pagination_token: token }
    const response = await client.as(actor, { method: 'GET', path: '/dm_events', query })
    const { data = [], includes, meta } = listingOf<XMessage>(response)
    const fresh = since === undefined ? data : data.filter(({ id }) => isLater(id, since))
    const items = fresh.map((event) => messageActivity(actor.remoteId, event, includes))
    return { items, cursor: fresh.length < data.length ? undefined : meta?.next_token, marker: data[0]?.id }
  },
}

/** Newest first across all sources: items older than what another source's next page may contain wait for that page. */
export async function fetchInbox(
  client: XClient,
  actor: Actor,
  cursor?: string,
  marker?: string,
): Promise<Page<Activity>> {
  const positions = cursor === undefined ? everything : parseCursor<Cursor>(cursor)
  const since = marker === undefined ? {} : parseCursor<Marker>(marker)
  const after: Cursor = {}
  const items: Activity[] = []
  let horizon = Number.NEGATIVE_INFINITY
  const read: { name: SourceName; place: SourcePosition; page: Page<Activity> }[] = []
  const refused: NetworkError[] = []
  for (const [name, position] of byTime(positions)) {
    if ((position.next ?? Number.POSITIVE_INFINITY) < horizon) {
      after[name] = position
      continue
    }
    const page = await sources[name](client, actor, position.token, since[name]).catch((error) =>
      refused.push(ofMessages(name, error)),
    )
    if (typeof page === 'number') continue
    if (page.cursor !== undefined) horizon = Math.max(horizon, page.items.at(-1)?.at.getTime() ?? horizon)
    read.push({ name, place: position, page })
  }
  // Throttled messages on the first page don't block mentions: the messages' marker stays unchanged.
  if (refused[0] && (read.length === 0 || cursor !== undefined)) throw refused[0]
  for (const { name, place: position, page } of read) {
    const due = page.items.slice(position.given).filter(({ at }) => at.getTime() >= horizon)
    items.push(...due)
    const given = position.given + due.length
    const waits = page.items[given]
    if (waits) after[name] = { token: position.token, given, next: waits.at.getTime() }
    else if (page.cursor !== undefined) after[name] = { token: page.cursor, given: 0 }
  }
  items.sort((one, other) => other.at.getTime() - one.at.getTime())
  const newest = Object.fromEntries(read.map(({ name, page }) => [name, page.marker ?? since[name]]))
  return {
    items,
    cursor: Object.keys(after).length > 0 ? encodeCursor(after) : undefined,
    marker: encodeCursor({ ...since, ...newest }),
  }
}

const everything: Cursor = { mentions: { given: 0 }, messages: { given: 0 } }

/** Messages have by far the lowest limit; any error other than throttling fails the whole poll. */
function ofMessages(name: SourceName, error: unknown): NetworkError {
  const isWaiting =
    error instanceof NetworkError && error.fault.kind === 'throttled' && error.fault.scope === 'endpoint'
  if (name === 'messages' && isWaiting) return error
  throw error
}

/** Sources with an unknown next item come first: they decide how far back a page may go. */
const byTime = (positions: Cursor) =>
  sourceNames
    .flatMap((name) => (positions[name] ? [[name, positions[name]] as const] : []))
    .sort(([, one], [, other]) => (other.next ?? Number.MAX_SAFE_INTEGER) - (one.next ?? Number.MAX_SAFE_INTEGER))

/** Ids exceed doubles: the longer one is the larger. */
const isLater = (one: string, other: string) => (one.length === other.length ? one > other : one.length > other.length)

const encodeCursor = (positions: Cursor | Marker) => Buffer.from(JSON.stringify(positions)).toString('base64url')

function parseCursor<Places>(text: string): Places {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw badInput('Twitter', 'The place to read on from is not one that was given out.', 'cursor')
  }
}
