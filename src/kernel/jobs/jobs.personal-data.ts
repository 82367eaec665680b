import { sql } from 'kysely'
import { type PersonalDataLocation, patternsOf, traitsOf, valueWithoutTraits } from '../personal-data.ts'

const batchSize = 500

/** Payloads and errors of waiting and dead jobs, such as emails. */
export const jobsPersonalData: PersonalDataLocation = {
  name: 'jobs',
  isCopy: true,
  async forget({ db, accountId }, person, from) {
    const traits = traitsOf(person)
    const patterns = patternsOf(traits)
    // Except the erasure job itself, which needs to know the person.
    const { rows } = await sql<{ id: string; payload: unknown; lastError: string | null }>`
      select id, payload, last_error from jobs where account = ${accountId} and id > ${from} and payload -> 'person' is null
        and (payload::text ilike any (${patterns}) or last_error ilike any (${patterns}))
      order by id limit ${batchSize}`.execute(db)
    for (const { id, payload, lastError } of rows)
      await db
        .updateTable('jobs')
        .set({
          payload: JSON.stringify(valueWithoutTraits(payload, traits)),
          lastError: valueWithoutTraits(lastError, traits) as string | null,
        })
        .where('account', '=', accountId)
        .where('id', '=', id)
        .execute()
    return rows.length === batchSize ? rows.at(-1)?.id : undefined
  },
}
