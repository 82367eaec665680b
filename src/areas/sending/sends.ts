import { setTimeout as sleep } from 'node:timers/promises'
import { type Insertable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Sends } from '#kernel/database/tables.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { wakeProfiles } from './profile-partitions.ts'
import type { SendKey } from './sendable.ts'

/** Operations of other areas on the sends of their contents, in their own transactions. Callers lock the content first. */

export type NewSend = Omit<Insertable<Sends>, 'accountId' | 'planned' | 'due'> & { planned: Date; due?: Date | null }

/** Adds sends and wakes their profiles at the due time; a send without one waits for `releaseDependents`. */
export async function addSends(context: Context, sends: readonly NewSend[]) {
  if (sends.length === 0) return
  const { db, accountId } = context
  await db
    .insertInto('sends')
    .values(sends.map((send) => ({ accountId, ...send })))
    .execute()
  await wakeProfiles(
    context,
    sends.flatMap(({ credentialId: credential, network, due }) => (due ? [{ credential, network, due }] : [])),
  )
}

/** Deletes all sends of these contents; a worker that is preparing one will not find it any more. */
export const removeSends = ({ db, accountId }: Context, contentIds: readonly string[]) =>
  db
    .deleteFrom('sends')
    .where('accountId', '=', accountId)
    .where('contentId', 'in', contentIds)
    .returning(['credentialId', 'kind', 'slot'])
    .execute()

/** Locks the sends of contents, so that none can start in the meantime, and returns their states. */
export const lockSends = ({ db, accountId }: Context, contentIds: readonly string[]) =>
  db
    .selectFrom('sends')
    .select(['contentId', 'credentialId', 'kind', 'state'])
    .where('accountId', '=', accountId)
    .where('contentId', 'in', contentIds)
    .orderBy('contentId')
    .orderBy('credentialId')
    .orderBy('kind')
    .modifyEnd(lockRows('sends', 'update'))
    .execute()

/** After the content changed: discards the prepared progress. Resetting the fence makes a worker that is preparing lose the send. */
export const restartSends = ({ db, accountId }: Context, kind: string, contentIds: readonly string[]) =>
  db
    .updateTable('sends')
    .set({ state: 'waiting', progress: null, fence: 0 })
    .where('accountId', '=', accountId)
    .where('contentId', 'in', contentIds)
    .where('kind', '=', kind)
    .where('state', 'in', ['waiting', 'preparing'])
    .execute()

interface Resend {
  contentId: string
  credentialIds: readonly string[]
  /** Their group is paused: they become due when it resumes. */
  isHeld: boolean
}

/** Sends again now, as if for the first time. */
export async function resend(context: Context, kind: string, { contentId, credentialIds, isHeld }: Resend) {
  if (credentialIds.length === 0) return
  const { db, accountId, now } = context
  const initial = { attempts: 0, confirmations: 0, intent: null, progress: null, error: '' }
  const rows = await db
    .updateTable('sends')
    .set({ ...initial, state: 'waiting', planned: now, due: isHeld ? null : now })
    .where('accountId', '=', accountId)
    .where('contentId', '=', contentId)
    .where('credentialId', 'in', credentialIds)
    .where('kind', '=', kind)
    .returning(['credentialId as credential', 'network'])
    .execute()
  if (!isHeld)
    await wakeProfiles(
      context,
      rows.map((row) => ({ ...row, due: now })),
    )
}

/** Makes sends due that depended on another one, such as a first comment. Their profiles are being served already and need no wake. */
export async function releaseDependents({ db, accountId, now }: Context, keys: readonly SendKey[]) {
  if (keys.length === 0) return
  const update = sql`
    update sends s set state = 'waiting', due = ${now}, planned = ${now}
    from ${keyRows(keys)} where ${isKey(accountId)} and s.state in ('idle', 'failed')`
  await later(db, update)
}

/** Fails sends that depended on another one, which did not succeed. */
export async function failDependents({ db, accountId }: Context, keys: readonly SendKey[], error: string) {
  if (keys.length === 0) return
  const update = sql`
    update sends s set state = 'failed', due = null, error = ${error}
    from ${keyRows(keys)} where ${isKey(accountId)} and s.state = 'idle'`
  await later(db, update)
}

/** Fails every send of a content on a profile that has not ended. */
export const failPendingSends = ({ db, accountId }: Context, contentId: string, credentialId: string, error: string) =>
  db
    .updateTable('sends')
    .set({ state: 'failed', due: null, error })
    .where('accountId', '=', accountId)
    .where('contentId', '=', contentId)
    .where('credentialId', '=', credentialId)
    .where('state', 'not in', ['sent', 'failed', 'unconfirmed'])
    .execute()

type Resolution =
  | { state: 'sent'; remoteId: string }
  | { state: 'failed'; error: string }
  /** Depends on another send again. */
  | { state: 'idle' }

/** Records a user's finding about a send; does nothing if it is known to have been sent. */
export const resolveSend = ({ db, accountId }: Context, key: SendKey, resolution: Resolution) =>
  db
    .updateTable('sends')
    .set({ due: null, error: '', ...resolution })
    .where('accountId', '=', accountId)
    .where('contentId', '=', key.contentId)
    .where('credentialId', '=', key.credentialId)
    .where('kind', '=', key.kind)
    .where('state', '<>', 'sent')
    .execute()

const keyRows = (keys: readonly SendKey[]) => sql`
  unnest(${keys.map(({ contentId }) => contentId)}::text[], ${keys.map(({ credentialId }) => credentialId)}::text[],
    ${keys.map(({ kind }) => kind)}::text[]) as k (content_id, credential_id, kind)`

const isKey = (accountId: string) => sql`
  s.account_id = ${accountId} and s.content_id = k.content_id and s.credential_id = k.credential_id and s.kind = k.kind`

/** Groups are paused and resumed together, such as the posts of a campaign. */

/** Suspends the waiting sends of a group. The caller holds a lock that makes `allowedContents` refuse its contents, so none can start. */
export const pauseGroup = ({ db, accountId }: Context, groupId: string) =>
  db
    .updateTable('sends')
    .set({ due: null })
    .where('accountId', '=', accountId)
    .where('groupId', '=', groupId)
    .where('due', 'is not', null)
    .where('state', '=', 'waiting')
    .execute()

/** Makes the sends of a group due at their planned time; those that are too late by now will be held for a user's decision. */
export async function resumeGroup(context: Context, groupId: string) {
  const { rows } = await sql<{ credential: string; network: string; due: Date }>`
    update sends set due = planned where account_id = ${context.accountId} and group_id = ${groupId}
      and state = 'waiting' and due is null
    returning credential_id as credential, network, due`.execute(context.db)
  await wakeProfiles(context, rows)
}

const inFlightTimeout = 15_000
const inFlightInterval = 50

/**
 * Waits for the in-flight sends of a paused group, so that no post is published after the pause was confirmed. Gives up after a timeout:
 * those requests have been made and cannot be recalled. Returns whether there were any.
 */
export async function waitForGroup({ step }: ExternalIo, groupId: string): Promise<boolean> {
  const deadline = performance.now() + inFlightTimeout
  const inFlight = () => step((context) => countInFlight(context, groupId, ['sending']))
  if ((await inFlight()) === 0) return false
  do await sleep(inFlightInterval)
  while (performance.now() < deadline && (await inFlight()) > 0)
  return true
}

export async function countInFlight({ db, accountId }: Context, groupId: string, states: ('sending' | 'unknown')[]) {
  const row = await db
    .selectFrom('sends')
    .select((row) => row.fn.countAll<number>().as('sends'))
    .where('accountId', '=', accountId)
    .where('groupId', '=', groupId)
    .where('due', 'is not', null)
    .where('state', 'in', states)
    .executeTakeFirstOrThrow()
  return Number(row.sends)
}
