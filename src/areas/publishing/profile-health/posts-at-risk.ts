import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'

interface Judged {
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

const mostShown = 20
const longestText = 90

/** Planned posts that will not go out on a profile as it is: all of them, or those after its end. The next one first. */
export async function atRisk(context: Context, profile: Judged) {
  if (profile.state === 'fine') return { posts: [], total: 0, hidden: 0 }
  const { db, accountId } = context
  const { rows } = await sql<Post>`
    select p.id, s.planned as start_date_time, p.campaign_id, left(m.message, ${longestText}::integer) as text,
      ${withinTeams(context, 'p.campaign_id')} as is_seen
    from sends s
    join posts p on p.account_id = ${accountId} and p.id = s.content_id
    join messages m on m.account_id = ${accountId} and m.id = p.message_id
    where s.account_id = ${accountId} and s.credential_id = ${profile.id} and s.kind = 'post' and ${isWaiting}
      and ${isAfter(profile)}
    order by s.planned, p.id limit ${mostCounted}::integer`.execute(db)
  const seen = rows.filter(({ isSeen }) => isSeen)
  return { posts: seen.slice(0, mostShown), total: seen.length, hidden: rows.length - seen.length }
}

/** Beyond that it makes no difference. */
const mostCounted = 1000

/** How many there are of each of these profiles, by its id. */
export async function countsAtRisk({ db, accountId }: Context, profiles: readonly Judged[]) {
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

/** How many posts wait for their moment on a profile: they go with it when it is deleted. */
export async function plannedOn({ db, accountId }: Context, credentialId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from sends s where s.account_id = ${accountId} and s.credential_id = ${credentialId}
      and s.kind = 'post' and ${isWaiting}`.execute(db)
  return rows[0]?.count ?? 0
}

/** What waits for its moment, or for somebody to say what is to become of it. */
const isWaiting = sql<boolean>`s.state in ('waiting', 'late', 'preparing')`

const isAfter = (profile: Judged) => sql<boolean>`s.planned >= ${firstAtRisk(profile)}`

/** From when on nothing goes out. */
const firstAtRisk = ({ state, ends }: Judged) => (state === 'ending' && ends ? ends : new Date(0))
