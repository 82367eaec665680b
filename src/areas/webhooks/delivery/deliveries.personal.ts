import { sql } from 'kysely'
import type { PersonalPlace } from '#kernel/person/person.ts'

/** Calls that were still to be made, of events that tell of nobody any more. */
export const deliveriesPlace: PersonalPlace = {
  name: 'deliveries',
  async forget({ db, accountId }) {
    await sql`
      delete from webhook_deliveries d where d.account_id = ${accountId} and exists (
        select from events e where e.account_id = ${accountId} and e.id = d.event_id and e.data = '[]')`.execute(db)
    return undefined
  },
}
