import { sql } from 'kysely'
import { type Rules, ruledColumns, rulesOf } from '#areas/profiles/access/profile-rules.ts'
import { withoutApp } from '#areas/profiles/connect/connect.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { gateOf } from '#networks/content/gates.ts'
import { isConnected, type NetworkName } from '#networks/manifests.ts'
import { atRisk, countsAtRisk, plannedOn } from './posts-at-risk.ts'

/** `listed`: a profile of a network to which nothing can be sent. */
export const healthStates = ['fine', 'ending', 'broken', 'no-app', 'listed'] as const

const day = 24 * 60 * 60 * 1000
/** Admins are warned by mail at the same time. */
const endsSoon = 7 * day

/** How all profiles of the account are, those first that need somebody. */
export async function list(context: Context) {
  const profiles = (await profilesOf(context)).map((profile) => ({ ...profile, ...judged(context, profile) }))
  const counts = await countsAtRisk(context, profiles)
  const items = profiles
    .map((profile) => ({ ...profile, postsAtRisk: counts.get(profile.id) ?? 0 }))
    .toSorted((one, other) => urgency.indexOf(one.state) - urgency.indexOf(other.state))
  return { items, total: items.length }
}

const urgency = ['broken', 'no-app', 'ending', 'fine', 'listed']

/** How one is, and which posts are at risk. */
export async function get(context: Context, { id }: { id: string }) {
  const [profile] = await profilesOf(context, id)
  if (!profile) throw missing('Credential')
  const health = judged(context, profile)
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

/** What the profile cannot do until somebody does something about it, each reason once with all that it stops. */
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

/** Those of the account; what advocates connected for themselves is their own business. */
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
  /** In words that a person can act on; empty where all is well. */
  reason: string
  since: Date | null
  /** When somebody must have connected it again. */
  ends: Date | null
}

function judged({ now, appOptions }: Context, profile: Profile): Health {
  const { network, status, statusReason, invalidSince, expiresOn: ends } = profile
  if (status === 'invalid')
    return { state: 'broken', reason: statusReason || mustConnect, since: invalidSince, ends: null }
  if (!isConnected(network)) return { state: 'listed', reason: `Nothing can be sent to ${network}.`, since: null, ends }
  if (!appOptions(network)) return { state: 'no-app', reason: withoutApp(network), since: null, ends }
  if (ends && ends <= now)
    return { state: 'broken', reason: `${network} has let Chorus use it until then. ${mustConnect}`, since: ends, ends }
  if (ends && ends.getTime() - now.getTime() < endsSoon)
    return {
      state: 'ending',
      reason: `${network} lets Chorus use it until then and no longer. ${mustConnect}`,
      since: null,
      ends,
    }
  return { state: 'fine', reason: '', since: null, ends }
}

const mustConnect = 'Somebody who manages the profile has to connect it again.'
