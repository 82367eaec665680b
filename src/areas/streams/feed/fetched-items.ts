import { createHash } from 'node:crypto'
import { cleanId, cleanMedia, cleanName, cleanText, cleanUrl } from '#areas/inbox/ingest/received.ts'
import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { inAnotherTurn } from '#kernel/event-loop/event-loop-time.ts'
import type { Activity } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { streamQuery } from '#networks/manifests.ts'

/** Maximum stored items per feed. */
export const mostItems = 200
/** Pages per fetch: new items since the last fetch, and somewhat more the first time. */
const mostPages = 3

/** A stored item: untrusted data, sanitized and bounded. */
export interface FetchedItem {
  remoteId: string
  kind: string
  at: Date
  postId: string
  personId: string
  personName: string
  personUsername: string
  personPicture: string
  text: string
  media: string[]
  url: string
}

export interface Fetched {
  /** In the network's order, newest first, without duplicates. */
  items: FetchedItem[]
  /** Whether the network has no further items. */
  isWhole: boolean
}

interface FetchOptions {
  accountId: string
  credentialId: string
  network: Network
  type: string
  keyword: string
  /** Ids of stored items: fetching stops at the first of them. */
  known: ReadonlySet<string>
}

/** Fetches pages until a known item appears. */
export async function fetchItems(
  installation: ProfileInstallation,
  options: FetchOptions,
  now: Date,
): Promise<Fetched> {
  const { accountId, credentialId, network, type, keyword, known } = options
  const query = streamQuery(network, type, keyword)
  const { activities, isWhole } = await withProfile(
    installation,
    { accountId, id: credentialId },
    async (connector, actor) => {
      const found: Activity[] = []
      let cursor: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const { items, cursor: next } = await connector.fetchStream(actor, query, cursor)
        found.push(...items)
        if (next === undefined) return { activities: found, isWhole: true }
        if (items.some((item) => known.has(idOf(item)))) break
        cursor = next
      }
      return { activities: found, isWhole: false }
    },
  )
  const items = new Map<string, FetchedItem>()
  for (const activity of activities.slice(0, mostItems)) {
    const remoteId = idOf(activity)
    if (!items.has(remoteId)) items.set(remoteId, cleaned(activity, remoteId, now))
    // Long texts take time: yields to other work.
    await new Promise<void>((resolve) => inAnotherTurn(accountId, resolve))
  }
  return { items: [...items.values()], isWhole }
}

function cleaned({ kind, at, postId, from, text, media, url }: Activity, remoteId: string, now: Date): FetchedItem {
  return {
    remoteId,
    kind,
    at: isPossible(at, now) ? at : now,
    postId: cleanId(postId) ?? '',
    personId: cleanId(from?.id) ?? '',
    personName: cleanName(from?.name),
    personUsername: cleanName(from?.username),
    personPicture: cleanUrl(from?.picture),
    text: cleanText(text),
    media: cleanMedia(media),
    url: cleanUrl(url),
  }
}

/** The network's id, or a hash of it if it can't be stored. */
const idOf = ({ remoteId }: Activity): string =>
  cleanId(remoteId) ?? `hash:${createHash('sha256').update(String(remoteId).toWellFormed()).digest('hex')}`

const earliest = Date.UTC(2000, 0, 1)
const day = 24 * 60 * 60_000

const isPossible = (at: Date, now: Date) => at.getTime() >= earliest && at.getTime() <= now.getTime() + day
