import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { type Rules, ruledColumns, rulesOf } from '#areas/profiles/access/profile-row.ts'
import { withoutApp } from '#areas/profiles/connect/connect.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { gateOf } from '#networks/content/gates.ts'
import { isConnected, type NetworkName } from '#networks/manifests.ts'

/** `listed`: a profile on a network that Chorus cannot publish to. */
export const healthStates = ['fine', 'ending', 'broken', 'no-app', 'listed'] as const

/** Admins get a warning email at the same time. */
const warningPeriod = 7 * day

/** The health of all profiles of the account, those that need attention first. */
export async function list(context: Context) {
  const profiles = (await profilesOf(context)).map((profile) => ({ ...profile, ...healthOf(context, profile) }))
  const counts = await countsAtRisk(context, profiles)
  const items = profiles
    .map((profile) => ({ ...profile, postsAtRisk: counts.get(profile.id) ?? 0 }))
    .toSorted((one, other) => urgency.indexOf(one.state) - urgency.indexOf(other.state))
  return { items, total: items.length }
}

const urgency = ['broken', 'no-app', 'ending', 'fine', 'listed']

/** The health of one profile, and its posts at risk. */
export async function get(context: Context, { id }: { id: string }) {
  const [profile] = await profilesOf(context, id)
  if (!profile) throw missing('Credential')
  const health = healthOf(context, profile)
  const { posts, total, hidden } = await atRisk(context, { ...profile, ...health })
  return {
    ...profile,
    ...health,
    postsAtRisk: total + hidden,
    hiddenPosts: hidden,
    posts,
    gates: isConnected(profile.network) ? gatesOf(rulesOf(context, await ruledProfile(context, id))) : [],
    plannedPosts: await plannedOn(context, id),
  }
}

/** Restrictions of the profile that a user can lift: each reason once, with all features it blocks. */
function gatesOf({ capabilities }: Rules): { reason: string; features: string[] }[] {
  const found = new Map<string, string[]>()
  for (const [feature, can] of Object.entries(capabilities)) {
    const gate = gateOf(can)
    if (gate) found.set(gate.gated, [...(found.get(gate.gated) ?? []), feature])
  }
  return [...found].map(([reason, features]) => ({ reason, features }))
}

const ruledProfile = ({ db, accountId }: Context, id: string) =>
  db
    .selectFrom('credentials')
    .select(ruledColumns)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

interface Profile {
  id: string
  name: string
  displayName: string
  network: NetworkName
  kind: string
  networkUsername: string
  status: 'valid' | 'invalid'
  statusReason: string
  invalidSince: Date | null
  expiresOn: Date | null
  lastSuccess: Date | null
  hasPicture: boolean
}

/** Profiles of the account; those that advocates connected for themselves are private. */
async function profilesOf({ db, accountId }: Context, id?: string): Promise<Profile[]> {
  const { rows } = await sql<Profile>`
    select c.id, c.name, c.display_name, c.network, c.kind, c.network_username, c.status, c.status_reason, c.invalid_since, c.expires_on,
      c.image_link <> '' as has_picture, (
      select coalesce(l.published_date, l.modified) from postlogs l
      where l.account_id = ${accountId} and l.credential_id = c.id and l.status = 'success'
      order by coalesce(l.published_date, l.modified) desc limit 1) as last_success
    from credentials c where c.account_id = ${accountId} and c.deleted is null and not c.board_only
      ${id === undefined ? sql`` : sql`and c.id = ${id}`}
    order by c.network, lower(c.display_name), c.id`.execute(db)
  return rows
}

interface Health {
  state: (typeof healthStates)[number]
  /** How to fix it; empty if the profile is healthy. */
  reason: string
  since: Date | null
  /** The time by which the profile has to be reconnected. */
  ends: Date | null
}

function healthOf({ now, appOptions }: Context, profile: Profile): Health {
  const { network, status, statusReason, invalidSince, expiresOn: ends } = profile
  if (status === 'invalid')
    return { state: 'broken', reason: statusReason || mustReconnect, since: invalidSince, ends: null }
  if (!isConnected(network)) return { state: 'listed', reason: `Nothing can be sent to ${network}.`, since: null, ends }
  if (!appOptions(network)) return { state: 'no-app', reason: withoutApp(network), since: null, ends }
  if (ends && ends <= now)
    return {
      state: 'broken',
      reason: `${network} has let Chorus use it until then. ${mustReconnect}`,
      since: ends,
      ends,
    }
  if (ends && ends.getTime() - now.getTime() < warningPeriod)
    return {
      state: 'ending',
      reason: `${network} lets Chorus use it until then and no longer. ${mustReconnect}`,
      since: null,
      ends,
    }
  return { state: 'fine', reason: '', since: null, ends }
}

const mustReconnect = 'Somebody who manages the profile has to connect it again.'

interface ProfileState {
  id: string
  state: 'fine' | 'ending' | 'broken' | 'no-app' | 'listed'
  ends: Date | null
}

export interface Post {
  id: string
  startDateTime: Date
  campaignId: string
  text: string
  isSeen: boolean
}

const maxPosts = 20
const maxTextLength = 90

/**
 * Scheduled posts that cannot be published on the profile in its current state: all, or those after its access expires. The next one first.
 */
export async function atRisk(context: Context, profile: ProfileState) {
  if (profile.state === 'fine') return { posts: [], total: 0, hidden: 0 }
  const { db, accountId } = context
  const { rows } = await sql<Post>`
    select p.id, s.planned as start_date_time, p.campaign_id, left(m.message, ${maxTextLength}::integer) as text,
      ${withinTeams(context, 'p.campaign_id')} as is_seen
    from sends s
    join posts p on p.account_id = ${accountId} and p.id = s.content_id
    join messages m on m.account_id = ${accountId} and m.id = p.message_id
    where s.account_id = ${accountId} and s.credential_id = ${profile.id} and s.kind = 'post' and ${isWaiting}
      and ${isAfter(profile)}
    order by s.planned, p.id limit ${maxCounted}::integer`.execute(db)
  const visible = rows.filter(({ isSeen }) => isSeen)
  return { posts: visible.slice(0, maxPosts), total: visible.length, hidden: rows.length - visible.length }
}

/** A higher number makes no difference to the user. */
const maxCounted = 1000

/** By profile id. */
export async function countsAtRisk({ db, accountId }: Context, profiles: readonly ProfileState[]) {
  const judged = profiles.filter(({ state }) => state !== 'fine')
  if (judged.length === 0) return new Map<string, number>()
  const { rows } = await sql<{ id: string; count: number }>`
    select s.credential_id as id, count(*) from sends s
    join unnest(${judged.map(({ id }) => id)}::text[], ${judged.map(firstAtRisk)}::timestamptz[]) as risk (id, since)
      on risk.id = s.credential_id
    where s.account_id = ${accountId} and s.credential_id = any (${judged.map(({ id }) => id)}) and s.kind = 'post'
      and ${isWaiting} and s.planned >= risk.since
    group by s.credential_id`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** The number of scheduled posts on a profile, which are withdrawn when it is deleted. */
export async function plannedOn({ db, accountId }: Context, credentialId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from sends s where s.account_id = ${accountId} and s.credential_id = ${credentialId}
      and s.kind = 'post' and ${isWaiting}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Waiting for its time, or for a user's decision. */
const isWaiting = sql<boolean>`s.state in ('waiting', 'late', 'preparing')`

const isAfter = (profile: ProfileState) => sql<boolean>`s.planned >= ${firstAtRisk(profile)}`

/** The time after which no post can be published. */
const firstAtRisk = ({ state, ends }: ProfileState) => (state === 'ending' && ends ? ends : new Date(0))
