import { releaseAllMedia } from '#areas/media/asset/asset.ts'
import { remove as removeProfile } from '#areas/profiles/credential/credential.ts'
import { isInFlight } from '#areas/sending/sendable.ts'
import { lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import type { Network } from '#networks/manifests.ts'

/** Profiles connected by an advocate, visible to them and used for shares only. */

const mostProfiles = 20

export const list = async (context: Context) => {
  const items = await own(context).select(columns).orderBy('created').orderBy('id').execute()
  return { items, total: items.length }
}

/** Locks the caller's own profiles given by a parameter; rejects unusable ones, and others as not found. */
export async function holdOwnProfiles(context: Context, ids: readonly string[]) {
  if (ids.length === 0) throw invalid('credentialIds must name at least one profile of yours.')
  if (ids.length > mostProfiles) throw invalid(`credentialIds must not name more than ${mostProfiles} profiles.`)
  const found = await own(context)
    .select([...columns, 'tier', 'secret'])
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(lockRows('credentials', 'share'))
    .execute()
  const absent = ids.find((id) => !found.some((profile) => profile.id === id))
  if (absent !== undefined)
    throw invalid(`credentialIds names ${absent.slice(0, 80)}, but you have connected no such profile.`)
  const invalidOne = found.find(({ status }) => status !== 'valid')
  if (invalidOne) throw conflict(`${invalidOne.displayName} must be connected again before it can be shared on.`)
  return found.map((profile) => ({ ...profile, network: profile.network as Network }))
}

export async function remove(context: Context, { id }: { id: string }) {
  const profile = await own(context).select('id').where('id', '=', id).executeTakeFirst()
  if (!profile) throw missing('Profile')
  await removeProfile(context, { id })
}

/** Cancels planned shares of deleted profiles; rejects the deletion while one is being sent. */
export async function leaveProfileShares(context: Context, events: readonly Emitted<{ credentialId: string }>[]) {
  const { db, accountId, now } = context
  for (const { data } of events) {
    const planned = () =>
      db
        .selectFrom('shares')
        .select('id')
        .where('accountId', '=', accountId)
        .where('credentialId', '=', data.credentialId)
        .where('status', '=', 'pending')
    // Account profiles have no shares: a transaction that holds their sends must not lock shares any more.
    if (!(await planned().limit(1).executeTakeFirst())) continue
    const waiting = await planned().orderBy('id').modifyEnd(lockRows('shares', 'no key update')).execute()
    const ids = waiting.map(({ id }) => id)
    if ((await lockSends(context, ids)).some(({ state }) => isInFlight(state)))
      throw conflict('Something is being shared through this profile at this moment. Try again in a minute.')
    await removeSends(context, ids)
    await db
      .updateTable('shares')
      .set({ status: 'error', error: 'The profile was removed.', modified: now })
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .execute()
    await releaseAllMedia(context, ids)
  }
}

const columns = [
  ...(['id', 'created', 'network', 'kind', 'name', 'displayName'] as const),
  ...(['networkUsername', 'imageLink', 'status', 'statusReason'] as const),
]

const own = ({ db, accountId, userId }: Context) =>
  db
    .selectFrom('credentials')
    .where('accountId', '=', accountId)
    .where('createdBy', '=', userId)
    .where('boardOnly', '=', true)
    .where('deleted', 'is', null)
