import { sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import {
  type Network,
  type NetworkName,
  readStreamType,
  streamNetworks,
  streamsOf,
  streamTypeName,
  streamTypeOf,
} from '#networks/manifests.ts'
import { streamChanges, streamIds, streamQuotas } from '../declarations.ts'
import { holdFeeds, joinFeed, removeUnusedFeeds } from '../feed/feed.ts'
import { type StreamChanges, type StreamDraft, streamColumns } from './stream-shape.ts'

interface Search {
  streamTabId?: string | undefined
  position?: number | undefined
  page: OpenPage
}

export function search(context: Context, { streamTabId = '', position, page }: Search) {
  const matching = visible(context)
    .$if(streamTabId !== '', (rows) => rows.where('streamTabId', '=', streamTabId))
    .$if(position !== undefined, (rows) => rows.where('position', '=', position as number))
  return paginateOrAll(context.db, matching, page, { size: 500, each: (rows) => rows.map(shown) })
}

export async function create(context: Context, draft: StreamDraft) {
  const { accountId, userId, now } = context
  const { credentialId, streamTabId, keyword = '' } = draft
  const query = parseQuery(draft.network, draft.type, keyword)
  const profile = await holdNamedProfile(context, credentialId, draft.network)
  await holdNamedTab(context, streamTabId)
  const { network } = profile
  const feedId = await joinFeed(context, { credentialId, network, ...query })
  const row = {
    accountId,
    id: newId(streamIds.stream, now),
    created: now,
    modified: now,
    createdBy: userId,
    streamTabId,
    feedId,
    credentialId,
    network,
    type: query.type,
    name: titleOf(network, query, profile.displayName),
    position: draft.position ?? (await nextPosition(context, streamTabId)),
  }
  const stream = await insertWithin(context, streamQuotas.streams, () => visible(context), { into: 'streams', row })
  notifyStreamChanged(context, row)
  return shown(stream)
}

/** Query of a stream, without the profile. */
interface StreamQuery {
  type: string
  /** Empty if the type needs none, so that equal queries compare equal. */
  keyword: string
}

/** Parses a query; rejects unsupported types with the list of supported ones. */
function parseQuery(network: NetworkName, writtenType: string, keyword: string): StreamQuery {
  const streams = streamsOf(network)
  if (!streams) throw invalid(`${network} has no streams. network must be one of ${streamNetworks.join(', ')}.`)
  const type = readStreamType(streams, writtenType)
  if (type === undefined) throw invalid(`type must be one of ${Object.keys(streams.types).join(', ')} for ${network}.`)
  const parameter = streams.types[type]?.parameter
  if (!parameter) return { type, keyword: '' }
  if (keyword === '') throw invalid(`keyword is missing: a stream of the type ${type} needs ${parameter.what}.`)
  if (parameter.form && !parameter.form.test(keyword))
    throw invalid(`keyword must be ${parameter.what} for a stream of the type ${type}.`)
  return { type, keyword }
}

/** Column title. */
export function titleOf(network: NetworkName, { type, keyword }: StreamQuery, profile: string): string {
  const title = streamTypeOf(network, type)?.title ?? type
  return `${title} · ${keyword || profile}`
}

/** Locks the stream's profile, so that a concurrent deletion waits. Advocates' own profiles don't belong to the account. */
async function holdNamedProfile({ db, accountId }: Context, id: string, network: NetworkName) {
  const profile = await db
    .selectFrom('credentials')
    .select(['network', 'displayName', 'status'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .where('boardOnly', '=', false)
    .modifyEnd(lockRows('credentials', 'share'))
    .executeTakeFirst()
  if (!profile) throw invalid(`credentialId names no social profile: "${id.slice(0, 40)}".`)
  if (profile.network !== network)
    throw invalid(`credentialId must name a profile on ${network}; "${profile.displayName}" is on ${profile.network}.`)
  if (profile.status !== 'valid')
    throw invalid(
      `${network} does not let Chorus use "${profile.displayName}" any more. Connect the profile again first.`,
    )
  return { ...profile, network: network as Network }
}

/** Locks the tab of a new stream: additions are serialized, so that each gets the next position. */
async function holdNamedTab({ db, accountId }: Context, id: string) {
  const tab = await db
    .selectFrom('streamTabs')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .modifyEnd(lockRows('streamTabs', 'no key update'))
    .executeTakeFirst()
  if (!tab) throw invalid(`streamTabId names no stream tab: "${id.slice(0, 40)}".`)
}

/** After the last one of its tab. */
async function nextPosition({ db, accountId }: Context, streamTabId: string): Promise<number> {
  const last = await db
    .selectFrom('streams')
    .select(sql<number | null>`max(position)`.as('position'))
    .where('accountId', '=', accountId)
    .where('streamTabId', '=', streamTabId)
    .executeTakeFirst()
  return (last?.position ?? -1) + 1
}

export async function update(context: Context, { id, position }: StreamChanges) {
  const { db, accountId, now } = context
  const stream = await db
    .updateTable('streams')
    .set({ position, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning(streamColumns)
    .executeTakeFirst()
  if (!stream) throw missing('Stream')
  notifyStreamChanged(context, stream)
  return shown(stream)
}

export async function remove(context: Context, { id }: { id: string }) {
  if ((await removeStreams(context, { id })) === 0) throw missing('Stream')
}

/** One stream, those of a tab, or those of profiles. */
type Which = { id: string } | { streamTabId: string } | { credentialIds: readonly string[] }

/** Deletes streams, and their feeds unless shared with others. Returns the number. */
export async function removeStreams(context: Context, which: Which): Promise<number> {
  const { db, accountId } = context
  const found = await matchingStreams(context, which)
  if (found.length === 0) return 0
  const ids = found.map(({ id }) => id)
  const feedIds = [...new Set(found.map(({ feedId }) => feedId))]
  // Locked first, to see concurrent additions to the same feeds.
  await holdFeeds(context, feedIds)
  const removed = await db
    .deleteFrom('streams')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .returning(['id', 'streamTabId'])
    .execute()
  await removeUnusedFeeds(context, feedIds)
  for (const stream of removed) notifyStreamChanged(context, stream)
  return removed.length
}

/** Deletes the streams of deleted profiles. */
export async function removeProfileStreams(context: Context, events: readonly Emitted<{ credentialId: string }>[]) {
  await removeStreams(context, { credentialIds: events.map(({ data }) => data.credentialId) })
}

function matchingStreams({ db, accountId }: Context, which: Which) {
  const all = db.selectFrom('streams').select(['id', 'feedId']).where('accountId', '=', accountId)
  if ('id' in which) return all.where('id', '=', which.id).execute()
  if ('streamTabId' in which) return all.where('streamTabId', '=', which.streamTabId).execute()
  const feeds = db
    .selectFrom('streamFeeds')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`credential_id = any (${which.credentialIds})`)
  return all.where('feedId', 'in', feeds).execute()
}

/** Streams are visible to the whole account: profiles belong to no team. */
const visible = ({ db, accountId }: Context) =>
  db.selectFrom('streams').select(streamColumns).where('accountId', '=', accountId)

const shown = <Row extends { network: string; type: string }>(stream: Row) => {
  const network = stream.network as Network
  return { ...stream, network, type: streamTypeName(network, stream.type) }
}

/** Call after changing a stream, its items or its error. */
export const notifyStreamChanged = (
  { notifyChange }: Context,
  { id, streamTabId }: { id: string; streamTabId: string },
) => notifyChange({ kind: streamChanges.stream, id, parent: streamTabId, scope: null })

export const watchedStreams: PresenceKind = {
  kind: streamChanges.stream,
  reference: streamIds.stream,
  async find({ db, accountId }, id) {
    const stream = await db
      .selectFrom('streams')
      .select('streamTabId')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    return stream && { parent: stream.streamTabId, scope: null }
  },
}
