import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { missing } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Collected, DataSubject, PersonalDataLocation } from '#kernel/personal-data.ts'
import { get } from '../lead/lead.ts'
import { holdLead, keepCounted, type LeadRow, requireLead } from '../lead/lead-row.ts'
import { forgetPerson } from './forget-person.job.ts'

/** Deletes the lead with profiles, links and activities; a job deletes the person's other data within seconds. The counters stay. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const lead = await holdLead(context, id)
  const person = await personOf(context, lead)
  const activities = await db
    .deleteFrom('leadActivities')
    .where('accountId', '=', accountId)
    .where('leadId', '=', id)
    .returningAll()
    .execute()
  const { numDeletedRows } = await db
    .deleteFrom('leads')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Lead')
  await keepCounted(context, lead, activities)
  await enqueue(context, forgetPerson, { accountId, person, place: 0, from: '' })
}

/** Maximum per kind. */
const maximumPerKind = 10_000

/** Everything stored about a person, from every registered location. */
export async function exportPerson(context: Context, id: string, locations: readonly PersonalDataLocation[]) {
  const { db, accountId, now } = context
  const person = await personOf(context, await requireLead(context, id))
  const activities = db
    .selectFrom('leadActivities')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('leadId', '=', id)
    .orderBy('activityDate', 'desc')
    .orderBy('id', 'desc')
  const kept: { [location: string]: Collected } = {
    activities: await listedWithTotal(db, activities.limit(maximumPerKind), { size: 250 }),
  }
  for (const { name, collect } of locations) if (collect) kept[name] = await collect(context, person, maximumPerKind)
  const isComplete = Object.values(kept).every(({ total }) => total < maximumPerKind)
  const lists = Object.entries(kept).map(([name, { items }]) => [name, items] as const)
  return {
    exported: now,
    isComplete,
    lead: await get(context, { id }),
    profiles: person.profiles,
    ...Object.fromEntries(lists),
  }
}

async function personOf({ db, accountId }: Context, lead: LeadRow): Promise<DataSubject> {
  const profiles = await db
    .selectFrom('leadProfiles')
    .select(['network', 'remoteId', 'username', 'url'])
    .where('accountId', '=', accountId)
    .where('leadId', '=', lead.id)
    .orderBy('network')
    .orderBy('remoteId')
    .execute()
  const given = (...texts: (string | null)[]) => texts.flatMap((text) => text || [])
  return {
    leadId: lead.id,
    emails: given(lead.email),
    phones: given(lead.phone),
    photos: given(lead.photo),
    profiles,
    names: [...new Set(given(lead.name, [lead.firstName, lead.lastName].join(' ').trim()))],
  }
}
