import { type RawBuilder, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { isCallersStep, isLeftToAdmins } from '#areas/approval/item/approvers.ts'
import { isLate, problemOf, type Trouble, textOf } from '#areas/publishing/calendar/calendar-posts.ts'
import type { PostRow } from '#areas/publishing/post/post.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { may } from '#kernel/permissions.ts'
import type { NetworkName } from '#networks/manifests.ts'

/** Larger totals are displayed as "a thousand or more". */
const mostCounted = sql.lit(1_000)

const shown = 10

/** The first rows of a query in its order, and their number up to a thousand, in one statement. */
async function listed<Row>(db: Db, found: RawBuilder<Row>): Promise<{ items: Row[]; total: number }> {
  const { rows } = await sql<Row & { total: number }>`
    with found as materialized (${found} limit ${mostCounted})
    select *, (select count(*)::integer from found) as total from found limit ${sql.lit(shown)}`.execute(db)
  return { items: rows, total: rows[0]?.total ?? 0 }
}

const day = 24 * 60 * 60 * 1000

/** Items that need the caller's attention: one statement per list, with a cost that does not grow with the size of the account. */
export async function overview(context: Context) {
  const [approvals, conversations, posts, profiles, webhooks, next, cameIn, firstSteps] = await Promise.all([
    waitingFor(context),
    assignedTo(context),
    postsGoneWrong(context),
    brokenProfiles(context),
    failingWebhooks(context),
    postsGoingOut(context, day),
    cameInSince(context, new Date(context.now.getTime() - day)),
    stepsDone(context),
  ])
  return {
    waitsForMe: { approvals: approvals.items, total: approvals.total, conversations },
    wentWrong: {
      posts: posts.items,
      postsTotal: posts.total,
      profiles: profiles.items,
      profilesTotal: profiles.total,
      webhooks: webhooks.items,
      webhooksTotal: webhooks.total,
    },
    goesOutNext: next.items,
    goesOutTotal: next.total,
    cameIn,
    firstSteps,
  }
}

/** Open conversations assigned to the caller. */
async function assignedTo({ db, accountId, userId }: Context): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from inbox_items i where i.account_id = ${accountId} and i.assignee_id = ${userId} and i.status = 'open'
      limit ${mostCounted}) those`.execute(db)
  return rows[0]?.count ?? 0
}

interface CameIn {
  conversations: number
  leads: number
  conversions: number
}

async function cameInSince(context: Context, since: Date): Promise<CameIn> {
  const { db, accountId } = context
  const { rows } = await sql<CameIn>`
    select (select count(*)::integer from (
        select from inbox_items i where i.account_id = ${accountId} and i.created >= ${since} limit ${mostCounted}) a) as conversations,
      (select count(*)::integer from (
        select from leads l where l.account_id = ${accountId} and l.created >= ${since} and l.email <> '' limit ${mostCounted}) b) as leads,
      (select count(*)::integer from (
        select from conversions v join clicks c on c.account_id = ${accountId} and c.id = v.click_id
        where v.account_id = ${accountId} and v.created >= ${since} and ${withinTeams(context, 'c.campaign_id')}
        limit ${mostCounted}) d) as conversions`.execute(db)
  return rows[0] ?? { conversations: 0, leads: 0, conversions: 0 }
}

interface FirstSteps {
  profile: boolean
  campaign: boolean
  post: boolean
  invitation: boolean
  webhook: boolean
}

/** Completed onboarding steps of the account, by any user. */
async function stepsDone({ db, accountId }: Context): Promise<FirstSteps> {
  const { rows } = await sql<FirstSteps>`
    select exists (select from credentials c where c.account_id = ${accountId} and c.deleted is null and not c.board_only) as profile,
      exists (select from campaigns c where c.account_id = ${accountId} and c.deleted is null) as campaign,
      exists (select from posts p where p.account_id = ${accountId}) as post,
      (select count(*) from (select from users u where u.account_id = ${accountId} and u.status <> 'deleted' and u.role is not null limit 2) t) > 1 as invitation,
      exists (select from webhooks w where w.account_id = ${accountId}) as webhook`.execute(db)
  return rows[0] ?? { profile: false, campaign: false, post: false, invitation: false, webhook: false }
}

interface Approval {
  id: string
  entityId: string
  postId: string
  network: string
  createdBy: string
  created: Date
  due: Date | null
  text: string
}

/**
 * Items waiting for the caller's decision: at a step where they are an approver and have not decided; for admins also steps without any
 * remaining approver. Ordered by due time.
 */
async function waitingFor(context: Context): Promise<{ items: Approval[]; total: number }> {
  const { db, accountId, userId, role } = context
  if (!may(role, 'approve')) return { items: [], total: 0 }
  const isDecided = sql`exists (select from workflow_decisions d where d.account_id = ${accountId} and d.item_id = i.id
    and d.round = i.round and d.step_id = i.step_id and d.user_id = ${userId})`
  return listed(
    db,
    sql<Approval>`
      select i.id, i.entity_id, i.post_id, i.network, i.created_by, i.created,
        (select p.start_date_time from posts p where p.account_id = ${accountId} and p.id = i.post_id) as due,
        coalesce((select left(m.message, 90) from messages m where m.account_id = ${accountId} and m.id = i.message_id
          and ${withinTeams(context, 'm.campaign_id')}),
          (select left(coalesce(nullif(s.title, ''), s.description), 90) from stories s
          where s.account_id = ${accountId} and s.id = i.entity_id), '') as text
      from workflow_items i
      where i.account_id = ${accountId} and i.status = 'pending' and ${withinTeams(context, 'i.scope_id')}
        and ((${isCallersStep(context, sql`i.step_id`)} and not ${isDecided}) or ${nobodyElseCan(context)})
      order by due nulls last, i.created, i.id`,
  )
}

const nobodyElseCan = (context: Context) =>
  may(context.role, 'administer') ? isLeftToAdmins(context, sql`i.step_id`, sql`i.scope_id`) : sql`false`

/** Older failures are left to the calendar. */
const lately = 14 * day
const soon = 7 * day

type GlancedPost = Pick<PostRow, 'id' | 'campaignId' | 'network' | 'credentialIds' | 'status'> & {
  at: Date
  trouble: Trouble
  text: string
}

const glanced = (context: Context) => sql`
  select posts.id, posts.campaign_id, posts.network, posts.credential_ids, posts.status, posts.start_date_time as at,
    ${problemOf(context)} as trouble, ${textOf(context)} as text`

const ofOwn = (context: Context) =>
  sql`posts.account_id = ${context.accountId} and ${withinTeams(context, 'posts.campaign_id')}`

/** Failed, unconfirmed and missed posts. */
const postsGoneWrong = (context: Context) =>
  listed(
    context.db,
    sql<GlancedPost>`${glanced(context)} from posts where ${ofOwn(context)} and posts.id in (
      select p.id from posts p where p.account_id = ${context.accountId} and p.status in ('error', 'incomplete')
        and p.start_date_time >= ${new Date(context.now.getTime() - lately)}
      union all select s.content_id from sends s where s.account_id = ${context.accountId} and s.is_late)
      order by ${isLate(context.accountId)} desc, posts.start_date_time desc, posts.id`,
  )

/** Posts to be published within the given number of milliseconds. */
const postsGoingOut = (context: Context, within: number) =>
  listed(
    context.db,
    sql<GlancedPost>`${glanced(context)} from posts where ${ofOwn(context)} and posts.status in ('pending', 'inqueue')
      and posts.start_date_time >= ${context.now} and posts.start_date_time < ${new Date(context.now.getTime() + within)}
      order by posts.start_date_time, posts.id`,
  )

interface BrokenProfile {
  id: string
  name: string
  network: NetworkName
  status: 'valid' | 'invalid'
  reason: string
  expiresOn: Date | null
  atRisk: number
  nextAtRisk: Date | null
}

/** Profiles that can't publish, now or soon, with their waiting posts. */
function brokenProfiles(context: Context) {
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

interface FailingWebhook {
  id: string
  name: string
  event: string
  failingSince: Date | null
  reason: string
}

/** Only for roles that can fix them. */
async function failingWebhooks({ db, accountId, role }: Context) {
  if (!may(role, 'administer')) return { items: [], total: 0 }
  return listed(
    db,
    sql<FailingWebhook>`
      select w.id, w.name, w.event, w.failing_since, w.disabled_reason as reason
      from webhooks w where w.account_id = ${accountId} and (w.failing_since is not null or w.disabled_reason <> '')
      order by w.failing_since desc nulls last, w.id`,
  )
}
