import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { missing } from '#kernel/errors.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Collected, DataSubject, PersonalDataLocation } from '#kernel/personal-data.ts'
import { get, holdLead, keepCounts, type LeadRow, requireLead } from './lead.ts'

const forgetPerson = { name: 'leads.forget-person', queue: 'housekeeping' } as const

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
  await keepCounts(context, lead, activities)
  await enqueue(context, forgetPerson, { accountId, person, place: 0, from: '' })
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Time limit of one run before it requeues itself, so that a long history doesn't block others. */
const longestRun = 30 * second

interface Payload {
  accountId: string
  person: DataSubject
  /** Progress: index of the location, and the cursor there. */
  place: number
  from: string
}

interface PersonalData {
  locations: readonly PersonalDataLocation[]
  /** Emails in the outbox folder, if there is one. */
  forgetInOutbox: (person: DataSubject) => Promise<void>
}

/** Deletes a person's data from every registered location in small steps: resumable after a crash. */
export const forgetPersonJob = ({ locations, forgetInOutbox }: PersonalData) =>
  job<Payload>(forgetPerson.name, {
    ...forgetPerson,
    retryDelays: [5 * second, minute, 10 * minute, hour, 6 * hour, 24 * hour],
    timeout: 5 * minute,
    async run({ transaction, complete, signal, log }, { accountId, person, place, from }) {
      const until = performance.now() + longestRun
      let at = { place, from }
      const mayContinue = () => !signal.aborted && performance.now() < until
      for (let location = locations[place]; location && mayContinue(); location = locations[at.place]) {
        const { forget } = location
        const next = await transaction(accountId, (context) => forget(context, person, at.from))
        at = next === undefined ? { place: at.place + 1, from: '' } : { place: at.place, from: next }
      }
      const isDone = at.place >= locations.length
      if (isDone) await forgetInOutbox(person)
      await complete(accountId, async (context) => {
        if (!isDone) await enqueue(context, forgetPerson, { accountId, person, ...at })
      })
      if (isDone) log.info({ account: accountId, lead: person.leadId }, 'a person was forgotten')
    },
  })

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
  const collected: { [location: string]: Collected } = {
    activities: await listedWithTotal(db, activities.limit(maximumPerKind), { size: 250 }),
  }
  for (const { name, collect } of locations)
    if (collect) collected[name] = await collect(context, person, maximumPerKind)
  const isComplete = Object.values(collected).every(({ total }) => total < maximumPerKind)
  const lists = Object.entries(collected).map(([name, { items }]) => [name, items] as const)
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
