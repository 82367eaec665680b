import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type DataSubject, type PersonalDataLocation, patternsOf, traitsOf } from '#kernel/personal-data.ts'

const atOnce = 5_000

/** What webhooks were told, or are still to be told: what tells of the person is told no more, not even in the log. */
export const eventsPersonalData: PersonalDataLocation = {
  name: 'events',
  isCopy: true,
  async forget(context, person, from) {
    const { db, accountId } = context
    const { rows } = await sql<{ id: string; data: string | null }>`
      with seen as materialized (
        select id, data from events where account_id = ${accountId} and id > ${from} order by id limit ${atOnce}),
      told as (select id, data from seen where data ilike any (${patternsOf(signsOf(person))}))
      select id, data from told union all (select id, null from seen order by id desc limit 1 offset ${atOnce - 1})`.execute(
      db,
    )
    for (const { id, data } of rows) if (data !== null) await forgetIn(context, id, data, person)
    return rows.find(({ data }) => data === null)?.id
  },
}

/** Of an event that tells of several things, only those go that tell of the person. */
async function forgetIn({ db, accountId }: Context, id: string, data: string, person: DataSubject) {
  const signs = signsOf(person).map((sign) => sign.toLowerCase())
  const kept = elementsIn(data).filter((element) => {
    const told = JSON.stringify(element).toLowerCase()
    return !signs.some((sign) => told.includes(JSON.stringify(sign).slice(1, -1)))
  })
  await db
    .updateTable('events')
    .set({ data: JSON.stringify(kept) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** By which an event of them is known; what a network calls somebody stands in events as an id. */
const signsOf = (person: DataSubject) => [
  person.leadId,
  ...traitsOf(person),
  ...person.profiles.map(({ remoteId }) => remoteId).filter((id) => id.length >= 4),
]

/** What cannot be read tells nothing that could be kept. */
function elementsIn(data: string): unknown[] {
  try {
    const read: unknown = JSON.parse(data)
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}
