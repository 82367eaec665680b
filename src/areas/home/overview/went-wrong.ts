import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { isLate, type Trouble, textOf, troubleOf } from '#areas/publishing/calendar/glance.ts'
import type { PostRow } from '#areas/publishing/post/post.ts'
import type { Context } from '#kernel/context.ts'
import { may } from '#kernel/permissions.ts'
import type { NetworkName } from '#networks/manifests.ts'
import { listed } from './listed.ts'

const day = 24 * 60 * 60 * 1000
/** What went wrong longer ago was seen, or will be found in the calendar. */
const lately = 14 * day
const soon = 7 * day

type GlancedPost = Pick<PostRow, 'id' | 'campaignId' | 'network' | 'credentialIds' | 'status'> & {
  at: Date
  trouble: Trouble
  text: string
}

const glanced = (context: Context) => sql`
  select posts.id, posts.campaign_id, posts.network, posts.credential_ids, posts.status, posts.start_date_time as at,
    ${troubleOf(context)} as trouble, ${textOf(context)} as text`

const ofOwn = (context: Context) =>
  sql`posts.account_id = ${context.accountId} and ${withinTeams(context, 'posts.campaign_id')}`

/** Posts that failed, that nobody knows of whether they are out, and that wait because they missed their time. */
export const postsGoneWrong = (context: Context) =>
  listed(
    context.db,
    sql<GlancedPost>`${glanced(context)} from posts where ${ofOwn(context)} and posts.id in (
      select p.id from posts p where p.account_id = ${context.accountId} and p.status in ('error', 'incomplete')
        and p.start_date_time >= ${new Date(context.now.getTime() - lately)}
      union all select s.content_id from sends s where s.account_id = ${context.accountId} and s.is_late)
      order by ${isLate(context.accountId)} desc, posts.start_date_time desc, posts.id`,
  )

/** What goes out by itself within so many milliseconds. */
export const postsGoingOut = (context: Context, within: number) =>
  listed(
    context.db,
    sql<GlancedPost>`${glanced(context)} from posts where ${ofOwn(context)} and posts.status in ('pending', 'inqueue')
      and posts.start_date_time >= ${context.now} and posts.start_date_time < ${new Date(context.now.getTime() + within)}
      order by posts.start_date_time, posts.id`,
  )

export interface BrokenProfile {
  id: string
  name: string
  network: NetworkName
  status: 'valid' | 'invalid'
  reason: string
  expiresOn: Date | null
  atRisk: number
  nextAtRisk: Date | null
}

/** Profiles that nothing can be sent to, or soon nothing, with what waits for them. */
export function brokenProfiles(context: Context) {
  const { db, accountId, now } = context
  const waiting = sql`from sends s where s.account_id = ${accountId} and s.credential_id = c.id and s.due is not null
    and s.kind = 'post' and ${withinTeams(context, 's.group_id')}`
  return listed(
    db,
    sql<BrokenProfile>`
      select c.id, c.display_name as name, c.network, c.status, c.status_reason as reason, c.expires_on,
        (select count(*)::integer ${waiting}) as at_risk, (select min(s.due) ${waiting}) as next_at_risk
      from credentials c where c.account_id = ${accountId} and c.deleted is null and not c.board_only
        and (c.status = 'invalid' or (c.renew_on is null and c.expires_on < ${new Date(now.getTime() + soon)}))
      order by c.status, next_at_risk nulls last, c.id`,
  )
}

export interface FailingWebhook {
  id: string
  name: string
  event: string
  failingSince: Date | null
  reason: string
}

/** For those who can do something about it. */
export async function failingWebhooks({ db, accountId, role }: Context) {
  if (!may(role, 'administer')) return { items: [], total: 0 }
  return listed(
    db,
    sql<FailingWebhook>`
      select w.id, w.name, w.event, w.failing_since, w.disabled_reason as reason
      from webhooks w where w.account_id = ${accountId} and (w.failing_since is not null or w.disabled_reason <> '')
      order by w.failing_since desc nulls last, w.id`,
  )
}
