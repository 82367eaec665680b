import { type Insertable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { Sends } from '#kernel/database/tables.ts'
import { wakeLanes } from './lanes.ts'
import type { SendKey } from './sendable.ts'

/** What areas do with the sends of their contents, in the transaction of the change. Whoever calls holds the content first. */

export type NewSend = Omit<Insertable<Sends>, 'accountId' | 'planned' | 'due'> & { planned: Date; due?: Date | null }

/** Writes down what is to be sent, and sees to it that somebody comes when its time has come. */
export async function addSends(context: Context, sends: readonly NewSend[]) {
  if (sends.length === 0) return
  const { db, accountId } = context
  await db
    .insertInto('sends')
    .values(sends.map((send) => ({ accountId, ...send })))
    .execute()
  await wakeLanes(
    context,
    sends.flatMap(({ credentialId: credential, network, due }) => (due ? [{ credential, network, due }] : [])),
  )
}

/** Takes back all sends of these contents; whoever is preparing one finds it gone. */
export const removeSends = ({ db, accountId }: Context, contentIds: readonly string[]) =>
  db
    .deleteFrom('sends')
    .where('accountId', '=', accountId)
    .where('contentId', 'in', contentIds)
    .returning(['credentialId', 'kind', 'slot'])
    .execute()

/** How far the sends of contents have come, held: whoever would send them now waits. */
export const lockSends = ({ db, accountId }: Context, contentIds: readonly string[]) =>
  db
    .selectFrom('sends')
    .select(['contentId', 'credentialId', 'kind', 'state'])
    .where('accountId', '=', accountId)
    .where('contentId', 'in', contentIds)
    .orderBy('contentId')
    .orderBy('credentialId')
    .orderBy('kind')
    .modifyEnd(heldRows('sends', 'update'))
    .execute()

/** The content is another one now: nothing that was uploaded before belongs to it, and who prepares it finds that it was taken away. */
export const prepareAnew = ({ db, accountId }: Context, kind: string, contentIds: readonly string[]) =>
  db
    .updateTable('sends')
    .set({ state: 'waiting', progress: null, fence: 0 })
    .where('accountId', '=', accountId)
    .where('contentId', 'in', contentIds)
    .where('kind', '=', kind)
    .where('state', 'in', ['waiting', 'preparing'])
    .execute()

interface Anew {
  contentId: string
  credentialIds: readonly string[]
  /** They are not to go out before their group is let go on. */
  isHeld: boolean
}

/** Lets sends go out now, as if it were their first time; those that are held when they are let go on. */
export async function sendAnew(context: Context, kind: string, order: Anew) {
  if (order.credentialIds.length === 0) return
  const { db, accountId, now } = context
  const afresh = { attempts: 0, searches: 0, intent: null, progress: null, error: '' }
  const rows = await db
    .updateTable('sends')
    .set({ ...afresh, state: 'waiting', planned: now, due: order.isHeld ? null : now })
    .where('accountId', '=', accountId)
    .where('contentId', '=', order.contentId)
    .where('credentialId', 'in', order.credentialIds)
    .where('kind', '=', kind)
    .returning(['credentialId as credential', 'network'])
    .execute()
  if (!order.isHeld)
    await wakeLanes(
      context,
      rows.map((row) => ({ ...row, due: now })),
    )
}

/** Lets sends go out now that waited for another one. Whoever serves their profiles comes to them next; wake nobody else unless nobody does. */
export async function letFollow({ db, accountId, now }: Context, keys: readonly SendKey[]) {
  if (keys.length === 0) return
  const following = sql`
    update sends s set state = 'waiting', due = ${now}, planned = ${now}
    from ${listed(keys)} where ${isListed(accountId)} and s.state in ('idle', 'failed')`
  await later(db, following)
}

/** Ends sends that waited for another one, which did not get through. */
export async function giveUpFollowing({ db, accountId }: Context, keys: readonly SendKey[], why: string) {
  if (keys.length === 0) return
  const ending = sql`
    update sends s set state = 'failed', due = null, error = ${why}
    from ${listed(keys)} where ${isListed(accountId)} and s.state = 'idle'`
  await later(db, ending)
}

/** Ends whatever has not happened yet of a content at a profile. */
export const giveUpSends = ({ db, accountId }: Context, contentId: string, credentialId: string, why: string) =>
  db
    .updateTable('sends')
    .set({ state: 'failed', due: null, error: why })
    .where('accountId', '=', accountId)
    .where('contentId', '=', contentId)
    .where('credentialId', '=', credentialId)
    .where('state', 'not in', ['sent', 'failed', 'unconfirmed'])
    .execute()

export type Settlement =
  | { state: 'sent'; remoteId: string }
  | { state: 'failed'; error: string }
  /** Waits for another send again. */
  | { state: 'idle' }

/** A person has said what became of a send; nothing of one that got through. */
export const settleSend = ({ db, accountId }: Context, key: SendKey, settlement: Settlement) =>
  db
    .updateTable('sends')
    .set({ due: null, error: '', ...settlement })
    .where('accountId', '=', accountId)
    .where('contentId', '=', key.contentId)
    .where('credentialId', '=', key.credentialId)
    .where('kind', '=', key.kind)
    .where('state', '<>', 'sent')
    .execute()

const listed = (keys: readonly SendKey[]) => sql`
  unnest(${keys.map(({ contentId }) => contentId)}::text[], ${keys.map(({ credentialId }) => credentialId)}::text[],
    ${keys.map(({ kind }) => kind)}::text[]) as k (content_id, credential_id, kind)`

const isListed = (accountId: string) => sql`
  s.account_id = ${accountId} and s.content_id = k.content_id and s.credential_id = k.credential_id and s.kind = k.kind`
