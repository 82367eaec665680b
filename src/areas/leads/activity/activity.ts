import { type Selectable, sql } from 'kysely'
import { addFacts, type Fact } from '#areas/figures/add-facts.ts'
import type { Context, Scopes } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { LeadActivities } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { activityFact } from '../lead/lead-facts.ts'
import { announceActivities } from './activity.events.ts'
import type { ActivityType } from './activity-shape.ts'

export type ActivityRow = Selectable<LeadActivities>

export function search(context: Context, { leadId = '', page }: { leadId?: string | undefined; page: Page }) {
  const matching = visible(context).$if(leadId !== '', (rows) => rows.where('leadId', '=', leadId))
  return paginate(matching, page)
}

/** Somebody says that it is none: it counts no more. */
export async function remove(context: Context, { id, leadId = '' }: { id: string; leadId?: string }) {
  const { db, accountId } = context
  const removed = await db
    .deleteFrom('leadActivities')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .$if(leadId !== '', (rows) => rows.where('leadId', '=', leadId))
    .returningAll()
    .executeTakeFirst()
  if (!removed) throw missing('Lead activity')
  await addFacts(context, [{ ...activityFact(removed), amount: -1 }])
}

/** Something a lead did. */
export interface Done {
  leadId: string
  type: ActivityType
  activityDate: Date
  network: string
  /** The profile of ours that it was done with. */
  profileId: string
  postlogId: string | null
  campaignId: string
  /** The campaigns of the post or link it was done with, and of its message; none for a direct message. */
  scopes: Scopes
  data: object
  /** The same for the same happening: it is noted and told once. */
  source: string
}

/** Notes what leads did, and tells of it; what is known already is left out. Gives what is to be counted of it, which the caller does last. */
export async function addActivities(context: Context, done: readonly Done[]): Promise<Fact[]> {
  if (done.length === 0) return []
  const { db, accountId, now } = context
  const column = <Value>(read: (one: Done) => Value) => done.map(read)
  const { rows } = await sql<ActivityRow>`
    insert into lead_activities (account_id, id, lead_id, activity_date, type, network, profile_id, postlog_id, campaign_id, data, source)
    select ${accountId}, d.id, d.lead_id, d.activity_date, d.type, d.network, d.profile_id, d.postlog_id, d.campaign_id, d.data::jsonb, d.source
    from unnest(${column(() => newId('leadActivity', now))}::text[], ${column((one) => one.leadId)}::text[],
      ${column((one) => one.activityDate)}::timestamptz[], ${column((one) => one.type)}::text[], ${column((one) => one.network)}::text[],
      ${column((one) => one.profileId)}::text[], ${column((one) => one.postlogId)}::text[],
      ${column((one) => one.campaignId)}::text[], ${column((one) => JSON.stringify(one.data))}::text[], ${column((one) => one.source)}::text[])
      as d (id, lead_id, activity_date, type, network, profile_id, postlog_id, campaign_id, data, source)
    order by d.source
    on conflict (account_id, source) do nothing
    returning *`.execute(db)
  const scopes = new Map(done.map((one) => [one.source, one.scopes]))
  await announceActivities(
    context,
    rows
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map((row) => ({ ...row, scopes: scopes.get(row.source) ?? [] })),
  )
  return rows.map(activityFact)
}

const visible = ({ db, accountId }: Context) =>
  db
    .selectFrom('leadActivities')
    .select(['id', 'activityDate', 'accountId', 'leadId', 'type', 'network', 'profileId', 'postlogId', 'data'])
    .where('accountId', '=', accountId)
