import { type RawBuilder, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { contains } from '#kernel/database/paginate.ts'

/** What is told of a post at a glance beyond its row; columns and conditions for statements on `posts`. */

/** What keeps a post from being simply planned or sent, worst first. */
export const troubles = ['', 'failed', 'unconfirmed', 'late'] as const
export type Trouble = (typeof troubles)[number]

/** As many letters as stand in a cell, unless told. */
const fewLetters = 90

/** How its message begins. */
export const textOf = (context: Context, letters = fewLetters) =>
  sql<string>`coalesce(${ofMessage(context, sql`left(m.message, ${sql.lit(letters)})`)}, '')`

/** Whether its message says this somewhere; `is true` keeps the planner from a join placed by a guess of how many messages say it. */
export const says = (context: Context, words: string) =>
  sql<boolean>`(exists ${ofMessage(context, sql``, sql` and m.message ilike ${contains(words)}`)}) is true`

/** A post may have been moved out of its message's campaign: its words are shown to those who see that one. */
const ofMessage = (context: Context, wanted: RawBuilder<unknown>, more: RawBuilder<unknown> = sql``) =>
  sql`(select ${wanted} from messages m where m.account_id = ${context.accountId} and m.id = posts.message_id
    and ${withinTeams(context, 'm.campaign_id')}${more})`

export const mediaCount = ({ accountId }: Context) => sql<number>`(
  select count(*)::integer from message_media a where a.account_id = ${accountId} and a.message_id = posts.message_id)`

/** Asked of those that can have any: what went wrong where, and, once for all of them, which are late. */
export const troubleOf = ({ accountId }: Context) => sql<Trouble>`case
  when posts.status in ('error', 'incomplete') then coalesce((
    select case when bool_and(l.is_unconfirmed) then 'unconfirmed' else 'failed' end
    from postlogs l where l.account_id = ${accountId} and l.post_id = posts.id and l.status = 'failed'), 'failed')
  when ${isLate(accountId)} then 'late' else '' end`

export const isLate = (accountId: string) =>
  sql<boolean>`posts.id in (select s.content_id from sends s where s.account_id = ${accountId} and s.is_late)`
