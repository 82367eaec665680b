import { sql } from 'kysely'
import { type CredentialRow, credentialRows } from '#areas/profiles/access/profile-row.ts'
import type { Db } from '#kernel/database/database.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { LaneClaim } from './lanes.ts'
import type { Send, Sendable, SendState } from './sendable.ts'

/** A send that is due, taken by the holder of its profile's lane. */
export interface Taken {
  send: Send
  /** What it was found as. */
  was: SendState
  /** Nothing when nobody here knows its kind. */
  sendable: Sendable | undefined
  /** Nothing when what was to be sent is gone. */
  content: unknown
  /** Nothing when the profile is gone. */
  profile: CredentialRow | undefined
}

export type SendablesByKind = ReadonlyMap<string, Sendable>

export interface Take {
  now: Date
  /** Planned before this and never tried: a person decides. */
  lateBefore: Date
  /** Planned before this: a person decides, tried or not, unless the call that makes it visible may be out. */
  holdBefore: Date
  firstSearch: number
}

/**
 * Takes the next send that is due of each of these profiles of an account; nothing for one that has none. What is to be sent is read
 * once it is taken: whoever would change it then is refused, or waits.
 */
export async function takeSends(
  db: Db,
  sendables: SendablesByKind,
  account: string,
  claims: readonly LaneClaim[],
  take: Take,
): Promise<(Taken | undefined)[]> {
  const rows = await nextOf(db, account, claims, take)
  const served = rows.filter(({ send, was }) => isToBeServed(send.state, was)).map(({ send }) => send)
  const [contents, profiles] = await Promise.all([
    contentsOf(db, sendables, account, served),
    profilesOf(db, account, served),
  ])
  const byProfile = new Map(rows.map((row) => [row.send.credentialId, row]))
  return claims.map(({ credential }) => {
    const row = byProfile.get(credential)
    const found = { content: contents.get(credential), profile: profiles.get(credential) }
    return row && { ...row, ...found, sendable: sendables.get(row.send.kind) }
  })
}

/** What sends say, by the profile: each has one of them. */
async function contentsOf(db: Db, sendables: SendablesByKind, account: string, sends: readonly Send[]) {
  const contents = new Map<string, unknown>()
  for (const [kind, sendable] of sendables) {
    const ofKind = sends.filter((send) => send.kind === kind)
    if (ofKind.length === 0) continue
    const read = await sendable.read(db, account, ofKind)
    for (const [index, { credentialId }] of ofKind.entries()) contents.set(credentialId, read[index])
  }
  return contents
}

const profilesOf = async (db: Db, account: string, sends: readonly Send[]) =>
  sends.length === 0
    ? new Map<string, CredentialRow>()
    : credentialRows(
        db,
        account,
        sends.map(({ credentialId }) => credentialId),
      )

/** Not what is held for a person, or to be searched for when its time has come. */
export const isToBeServed = (state: SendState, was: SendState) =>
  state !== 'late' && !(state === 'unknown' && was === 'sending')

/**
 * One that waited too long is held instead; one that was about to be made visible when its process ended is never made again, but
 * searched for. All in one statement, the state together with what decides on it.
 */
async function nextOf(
  db: Db,
  account: string,
  claims: readonly LaneClaim[],
  { now, lateBefore, holdBefore, firstSearch }: Take,
): Promise<{ send: Send; was: SendState }[]> {
  const isLate = sql`(s.state = 'waiting' and s.attempts = 0 and s.planned < ${lateBefore}
    or s.state in ('waiting', 'preparing') and s.planned < ${holdBefore})`
  const isCut = sql`s.state = 'sending' and s.progress ->> 'stage' = 'committing'`
  const { rows } = await sql<Send & { was: SendState }>`
    with next as materialized (
      select lane.credential, lane.fence, first.content_id, first.kind, first.state, first.search
      from unnest(${claims.map(({ credential }) => credential)}::text[], ${claims.map(({ fence }) => fence)}::bigint[]) as lane (credential, fence)
      cross join lateral (
        select content_id, kind, state, greatest(${now}::timestamptz, intent + ${firstSearch} * interval '1 millisecond') as search from sends
        where account_id = ${account} and credential_id = lane.credential and due <= ${now}
        order by due, content_id, kind limit 1 ${heldRows('sends', 'update')}) first)
    update sends s set fence = next.fence,
      attempts = s.attempts + case when s.state = 'waiting' and not ${isLate} then 1 else 0 end,
      due = case when ${isLate} then null when ${isCut} then next.search else s.due end,
      state = case when ${isLate} then 'late' when s.state = 'waiting' then 'preparing' when ${isCut} then 'unknown' else s.state end
    from next where s.account_id = ${account} and s.credential_id = next.credential and s.content_id = next.content_id and s.kind = next.kind
    returning s.account_id, s.content_id, s.credential_id, s.kind, s.group_id, s.network, s.state, s.planned, s.attempts, s.searches,
      s.intent, s.progress, s.fence, next.state as was`.execute(db)
  return rows.map(({ was, ...send }) => ({ send, was }))
}
