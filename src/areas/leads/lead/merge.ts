import { moveLead } from '#areas/links/conversion/conversion.ts'
import type { Context } from '#kernel/context.ts'
import type { LeadRow } from './lead-row.ts'

/** Makes two leads that turn out to be one person one; both are held. What was known of the other alone is kept. */
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
