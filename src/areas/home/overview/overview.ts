import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { mostCounted } from './listed.ts'
import { waitingFor } from './waiting.ts'
import { brokenProfiles, failingWebhooks, postsGoingOut, postsGoneWrong } from './went-wrong.ts'

const day = 24 * 60 * 60 * 1000

/** What needs the caller before anything else: one statement for each list, none of which grows with what an account has. */
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
      ...{ posts: posts.items, postsTotal: posts.total },
      ...{ profiles: profiles.items, profilesTotal: profiles.total },
      ...{ webhooks: webhooks.items, webhooksTotal: webhooks.total },
    },
    goesOutNext: next.items,
    goesOutTotal: next.total,
    cameIn,
    firstSteps,
  }
}

/** Open conversations that somebody gave to the caller. */
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

/** What whoever begins has done already; the account's, whoever did it. */
async function stepsDone({ db, accountId }: Context): Promise<FirstSteps> {
  const { rows } = await sql<FirstSteps>`
    select exists (select from credentials c where c.account_id = ${accountId} and c.deleted is null and not c.board_only) as profile,
      exists (select from campaigns c where c.account_id = ${accountId} and c.deleted is null) as campaign,
      exists (select from posts p where p.account_id = ${accountId}) as post,
      (select count(*) from (select from users u where u.account_id = ${accountId} and u.status <> 'deleted' and u.role is not null limit 2) t) > 1 as invitation,
      exists (select from webhooks w where w.account_id = ${accountId}) as webhook`.execute(db)
  return rows[0] ?? { profile: false, campaign: false, post: false, invitation: false, webhook: false }
}
