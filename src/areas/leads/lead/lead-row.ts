import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { Leads } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'

export type LeadRow = Selectable<Leads>

/** Everybody who may read sees all leads: they belong to no team. */
export const visibleLeads = ({ db, accountId }: Context) =>
  db.selectFrom('leads').selectAll('leads').where('leads.accountId', '=', accountId)

export async function requireLead(context: Context, id: string): Promise<LeadRow> {
  const lead = await visibleLeads(context).where('id', '=', id).executeTakeFirst()
  if (!lead) throw missing('Lead')
  return lead
}

/** One that is held until the change is made. */
export async function holdLead(context: Context, id: string): Promise<LeadRow> {
  const lead = await visibleLeads(context)
    .where('id', '=', id)
    .modifyEnd(heldRows('leads', 'update'))
    .executeTakeFirst()
  if (!lead) throw missing('Lead')
  return lead
}

export interface Parts {
  profiles: { network: string; url: string }[]
  remoteLeads: { integrationId: string; remoteIdentifier: string; linkedLeadId: string; integrationType: string }[]
}

/** Leads with their profiles and with what systems of others call them. */
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
