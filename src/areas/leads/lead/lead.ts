import { sql } from 'kysely'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { leadIds } from '../declarations.ts'
import { announceLeads } from './lead.events.ts'
import { leadFact, requireLead, visibleLeads, withParts } from './lead-row.ts'
import type { LeadDraft, LinkReplacement } from './lead-shape.ts'
import { namesOf } from './person.ts'

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

/** A lead met elsewhere. */
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
  if (lead.email !== '') await announceLeads(context, [lead])
  await addFacts(context, [leadFact(lead)])
  return { ...lead, profiles: [], remoteLeads: [] }
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
    .updateTable('leadRemotes')
    .set({ linkedLeadId: newLinkedRecordId })
    .where('accountId', '=', accountId)
    .where('integrationId', '=', integrationId)
    .where('linkedLeadId', '=', linkedRecordId)
    .returning('leadId')
    .executeTakeFirst()
    .catch((error) => {
      if (isDuplicate(error, 'lead_remotes_pkey'))
        throw conflict('newLinkedRecordId is linked with a lead already. Remove one of the two leads first.')
      throw error
    })
  if (!replaced) throw invalid('linkedRecordId names no record that a lead is linked with in this integration.')
  context.about({ id: integrationId })
}
