import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type DataSubject, type PersonalDataLocation, patternsOf, traitsOf } from '#kernel/personal-data.ts'

const atOnce = 5_000

/** Payloads that webhooks received or have yet to receive: parts about the person are removed, including from the log. */
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

/** If an event covers several entities, only the elements about the person are removed. */
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

/** Values that identify the person in payloads; network user ids appear there as ids. */
const signsOf = (person: DataSubject) => [
  person.leadId,
  ...traitsOf(person),
  ...person.profiles.map(({ remoteId }) => remoteId).filter((id) => id.length >= 4),
]

/** Unreadable payloads contain nothing worth keeping. */
function elementsIn(data: string): unknown[] {
  try {
    const read: unknown = JSON.parse(data)
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}
