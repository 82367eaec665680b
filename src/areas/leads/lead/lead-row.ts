import { type Selectable, sql } from 'kysely'
import { type Fact, quarter } from '#areas/figures/add-facts.ts'
import { placed } from '#areas/figures/figure.ts'
import { moveLead } from '#areas/links/conversion/conversion.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { LeadActivities, Leads } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'

export type LeadRow = Selectable<Leads>

/** All readers see all leads: they belong to no team. */
export const visibleLeads = ({ db, accountId }: Context) =>
  db.selectFrom('leads').selectAll('leads').where('leads.accountId', '=', accountId)

export async function requireLead(context: Context, id: string): Promise<LeadRow> {
  const lead = await visibleLeads(context).where('id', '=', id).executeTakeFirst()
  if (!lead) throw missing('Lead')
  return lead
}

/** Locked until commit. */
export async function holdLead(context: Context, id: string): Promise<LeadRow> {
  const lead = await visibleLeads(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('leads', 'update'))
    .executeTakeFirst()
  if (!lead) throw missing('Lead')
  return lead
}

export interface Parts {
  profiles: { network: string; url: string }[]
  remoteLeads: { integrationId: string; remoteIdentifier: string; linkedLeadId: string; integrationType: string }[]
}

/** Adds profiles and external records to leads. */
export async function withParts<Row extends { id: string }>({ db, accountId }: Context, leads: readonly Row[]) {
  if (leads.length === 0) return []
  const { rows } = await sql<{ id: string } & Parts>`
    select asked.id, coalesce((
        select json_agg(json_build_object('network', p.network, 'url', p.url) order by p.network, p.remote_id) from lead_profiles p
        where p.account_id = ${accountId} and p.lead_id = asked.id), '[]') as profiles,
      coalesce((
        select json_agg(json_build_object('integrationId', r.integration_id, 'remoteIdentifier', r.remote_identifier,
          'linkedLeadId', r.linked_lead_id, 'integrationType', i.type) order by r.integration_id, r.linked_lead_id)
        from lead_remotes r join integrations i on i.account_id = ${accountId} and i.id = r.integration_id
        where r.account_id = ${accountId} and r.lead_id = asked.id), '[]') as remote_leads
    from unnest(${leads.map(({ id }) => id)}::text[]) as asked (id)`.execute(db)
  const found = new Map<string, Parts>(rows.map(({ id, profiles, remoteLeads }) => [id, { profiles, remoteLeads }]))
  return leads.map((lead) => ({ ...lead, ...(found.get(lead.id) ?? { profiles: [], remoteLeads: [] }) }))
}

type CountedLead = Pick<LeadRow, 'accountId' | 'created' | 'network' | 'campaignId'>
type CountedActivity = Pick<Selectable<LeadActivities>, 'accountId' | 'activityDate' | 'network' | 'campaignId'>

/** A new lead. */
export const leadFact = ({ accountId, created: at, network, campaignId: campaign }: CountedLead): Fact => ({
  name: 'leads',
  at,
  of: placed(accountId, { network, campaign }),
})

/** An activity of a lead. */
export const activityFact = ({ accountId, activityDate: at, network, campaignId }: CountedActivity): Fact => ({
  name: 'leadActivities',
  at,
  of: placed(accountId, { network, campaign: campaignId }),
})

/** Stores only the counts of a deleted lead, so that a recount gives the same result. */
export async function keepCounted(
  { db, accountId }: Context,
  lead: CountedLead,
  activities: readonly CountedActivity[],
) {
  const kept = new Map<string, Kept>()
  const keep = (name: Kept['name'], at: Date, { network, campaignId }: { network: string; campaignId: string }) => {
    const moment = new Date(Math.floor(at.getTime() / quarter) * quarter)
    const key = [moment.toISOString(), name, network, campaignId].join(' ')
    kept.set(key, { name, moment, network, campaignId, amount: (kept.get(key)?.amount ?? 0) + 1 })
  }
  keep('leads', lead.created, lead)
  for (const activity of activities) keep('leadActivities', activity.activityDate, activity)
  // In the order of their keys, to avoid deadlocks.
  const rows = [...kept].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  const column = <Value>(read: (row: Kept) => Value) => rows.map(read)
  await sql`
    insert into deleted_lead_facts as d (account_id, quarter, name, network, campaign_id, amount)
    select ${accountId}, k.* from unnest(${column(({ moment }) => moment)}::timestamptz[], ${column(({ name }) => name)}::text[],
      ${column(({ network }) => network)}::text[], ${column(({ campaignId }) => campaignId)}::text[],
      ${column(({ amount }) => amount)}::int[]) as k
    on conflict (account_id, quarter, name, network, campaign_id) do update set amount = d.amount + excluded.amount
    returning 1`.execute(db)
}

interface Kept {
  name: 'leads' | 'leadActivities'
  moment: Date
  network: string
  campaignId: string
  amount: number
}

/** Merges two locked leads of the same person, keeping the data of both. */
export async function mergeLead(context: Context, other: LeadRow, into: LeadRow) {
  const { db, accountId, now } = context
  await db
    .updateTable('leadProfiles')
    .set({ leadId: into.id })
    .where('accountId', '=', accountId)
    .where('leadId', '=', other.id)
    .execute()
  await db
    .updateTable('leadActivities')
    .set({ leadId: into.id })
    .where('accountId', '=', accountId)
    .where('leadId', '=', other.id)
    .execute()
  await db
    .updateTable('leadRemotes')
    .set({ leadId: into.id })
    .where('accountId', '=', accountId)
    .where('leadId', '=', other.id)
    .execute()
  await moveLead(context, other.id, into.id)
  const more = {
    ...(into.name === '' && { name: other.name, firstName: other.firstName, lastName: other.lastName }),
    ...(into.photo === '' && { photo: other.photo }),
    ...(into.phone === null && { phone: other.phone }),
  }
  await db
    .updateTable('leads')
    .set({ ...more, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', into.id)
    .execute()
  Object.assign(into, more)
  await db.deleteFrom('leads').where('accountId', '=', accountId).where('id', '=', other.id).execute()
}
