import { type Selectable, sql } from 'kysely'
import { dimensionCounters, type Recount } from '#areas/counters/counter.ts'
import { type Increment, incrementCounters, quarter } from '#areas/counters/increments.ts'
import { moveLead } from '#areas/links/conversion/conversion.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import type { LeadActivities, Leads } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { leadIds } from '../declarations.ts'
import { announceLeads } from './lead.events.ts'
import type { LeadDraft, LinkReplacement } from './lead-shape.ts'
import { namesOf } from './person.ts'

export type LeadRow = Selectable<Leads>

interface Search {
  search?: string | undefined
  all_leads?: boolean | undefined
  page: Page
}

/** Leads with an email address, or all. */
export async function search(context: Context, { search = '', all_leads: isAll = false, page }: Search) {
  const matching = visibleLeads(context)
    // Literal, to match the partial index.
    .$if(!isAll, (rows) => rows.where('email', '<>', sql.lit('')))
    .$if(search !== '', (rows) =>
      rows.where(({ eb, or }) => or([eb('email', 'ilike', contains(search)), eb('name', 'ilike', contains(search))])),
    )
  const { items, total } = await paginate(matching, page)
  return { items: await withParts(context, items), total }
}

export async function get(context: Context, { id }: { id: string }) {
  const [lead] = await withParts(context, [await requireLead(context, id)])
  return lead as NonNullable<typeof lead>
}

/** All readers see all leads: they belong to no team. */
const visibleLeads = ({ db, accountId }: Context) =>
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
        from lead_references r join integrations i on i.account_id = ${accountId} and i.id = r.integration_id
        where r.account_id = ${accountId} and r.lead_id = asked.id), '[]') as remote_leads
    from unnest(${leads.map(({ id }) => id)}::text[]) as asked (id)`.execute(db)
  const found = new Map<string, Parts>(rows.map(({ id, profiles, remoteLeads }) => [id, { profiles, remoteLeads }]))
  return leads.map((lead) => ({ ...lead, ...(found.get(lead.id) ?? { profiles: [], remoteLeads: [] }) }))
}

/** A lead known from outside the networks. */
export async function create(context: Context, { email = '', name = '', phone, ...names }: LeadDraft) {
  const { db, accountId, now } = context
  const { firstName = '', lastName = '' } = names
  const full = name || [firstName, lastName].filter(Boolean).join(' ')
  if (email === '' && full === '') throw invalid('Give an email or a name: without either nobody is known.')
  const values = { ...namesOf(full), ...(firstName && { firstName }), ...(lastName && { lastName }) }
  const made = { accountId, id: newId(leadIds.lead, now), created: now, modified: now, email: email.toLowerCase() }
  const lead = await db
    .insertInto('leads')
    .values({ ...made, ...values, phone: phone || null })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error) => {
      if (isDuplicate(error, 'leads_email')) throw conflict(`There is a lead with the address ${email} already.`)
      throw error
    })
  const detailed = { ...lead, profiles: [], remoteLeads: [] }
  if (lead.email !== '') await announceLeads(context, [detailed])
  await incrementCounters(context, [leadIncrement(lead)])
  return detailed
}

/** Replaces the external record of a lead. */
export async function replaceLink(
  context: Context,
  { integrationId, linkedRecordId, newLinkedRecordId }: LinkReplacement,
) {
  const { db, accountId } = context
  const integration = await db
    .selectFrom('integrations')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', integrationId)
    .executeTakeFirst()
  if (!integration) throw invalid(`integrationId names no integration: "${integrationId.slice(0, 40)}".`)
  const replaced = await db
    .updateTable('leadReferences')
    .set({ linkedLeadId: newLinkedRecordId })
    .where('accountId', '=', accountId)
    .where('integrationId', '=', integrationId)
    .where('linkedLeadId', '=', linkedRecordId)
    .returning('leadId')
    .executeTakeFirst()
    .catch((error) => {
      if (isDuplicate(error, 'lead_references_pkey'))
        throw conflict('newLinkedRecordId is linked with a lead already. Remove one of the two leads first.')
      throw error
    })
  if (!replaced) throw invalid('linkedRecordId names no record that a lead is linked with in this integration.')
  context.about({ id: integrationId })
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
    .updateTable('leadReferences')
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

type CountedLead = Pick<LeadRow, 'accountId' | 'created' | 'network' | 'campaignId'>
type CountedActivity = Pick<Selectable<LeadActivities>, 'accountId' | 'activityDate' | 'network' | 'campaignId'>

/** A new lead. */
export const leadIncrement = ({ accountId, created: at, network, campaignId: campaign }: CountedLead): Increment => ({
  name: 'leads',
  at,
  of: dimensionCounters(accountId, { network, campaign }),
})

/** An activity of a lead. */
export const activityIncrement = ({
  accountId,
  activityDate: at,
  network,
  campaignId,
}: CountedActivity): Increment => ({
  name: 'leadActivities',
  at,
  of: dimensionCounters(accountId, { network, campaign: campaignId }),
})

/** Stores only the counts of a deleted lead, so that a recount gives the same result. */
export async function keepCounts(
  { db, accountId }: Context,
  lead: CountedLead,
  activities: readonly CountedActivity[],
) {
  const remaining = new Map<string, DeletedLeadCount>()
  const add = (
    name: DeletedLeadCount['name'],
    at: Date,
    { network, campaignId }: { network: string; campaignId: string },
  ) => {
    const moment = new Date(Math.floor(at.getTime() / quarter) * quarter)
    const key = [moment.toISOString(), name, network, campaignId].join(' ')
    remaining.set(key, { name, moment, network, campaignId, amount: (remaining.get(key)?.amount ?? 0) + 1 })
  }
  add('leads', lead.created, lead)
  for (const activity of activities) add('leadActivities', activity.activityDate, activity)
  // In the order of their keys, to avoid deadlocks.
  const rows = [...remaining].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  const column = <Value>(read: (row: DeletedLeadCount) => Value) => rows.map(read)
  await sql`
    insert into deleted_lead_counts as d (account_id, quarter, name, network, campaign_id, amount)
    select ${accountId}, k.* from unnest(${column(({ moment }) => moment)}::timestamptz[], ${column(({ name }) => name)}::text[],
      ${column(({ network }) => network)}::text[], ${column(({ campaignId }) => campaignId)}::text[],
      ${column(({ amount }) => amount)}::int[]) as k
    on conflict (account_id, quarter, name, network, campaign_id) do update set amount = d.amount + excluded.amount
    returning 1`.execute(db)
}

interface DeletedLeadCount {
  name: 'leads' | 'leadActivities'
  moment: Date
  network: string
  campaignId: string
  amount: number
}

/** Must match `leadIncrement` and `activityIncrement`, including counts of deleted leads. */
export const leadRecount: Recount = {
  names: ['leads', 'leadActivities'],
  increments: (accountId, from, to) => sql`
    select f.name, f.at, o.kind, o.id, f.amount from (
      select c.name, c.at, c.amount, coalesce(nullif(c.network, ''), '-') as network, coalesce(nullif(c.campaign_id, ''), '-') as campaign from (
        select 'leads' as name, l.created as at, 1 as amount, l.network, l.campaign_id from leads l
        where l.account_id = ${accountId} and l.created >= ${from} and l.created < ${to}
        union all select 'leadActivities', a.activity_date, 1, a.network, a.campaign_id from lead_activities a
        where a.account_id = ${accountId} and a.activity_date >= ${from} and a.activity_date < ${to}
        union all select d.name, d.quarter, d.amount, d.network, d.campaign_id from deleted_lead_counts d
        where d.account_id = ${accountId} and d.quarter >= ${from} and d.quarter < ${to}) c) f
    cross join lateral (values ('account', ${accountId}), ('network', f.network), ('campaign', f.campaign),
      ('cell', f.campaign || ' ' || f.network || ' - -')) o (kind, id)`,
  first: (accountId) => sql`select least(
    (select min(created) from leads where account_id = ${accountId}),
    (select min(activity_date) from lead_activities where account_id = ${accountId}),
    (select min(quarter) from deleted_lead_counts where account_id = ${accountId}))`,
}
