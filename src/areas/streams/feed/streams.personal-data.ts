import { sql } from 'kysely'
import { type PersonalDataLocation, patternsOf, traitsOf } from '#kernel/personal-data.ts'

/** Stored stream items of a person. A later fetch may return them again if the network still shows them publicly. */
export const streamsPersonalData: PersonalDataLocation = {
  name: 'streams',
  async forget({ db, accountId }, person) {
    const { profiles } = person
    const traits = patternsOf(traitsOf(person))
    const known = sql`unnest(${profiles.map(({ network }) => network)}::text[], ${profiles.map(({ remoteId }) => remoteId)}::text[])`
    // The total size of an account's feeds is bounded, so one step suffices.
    await sql`
      delete from stream_items i using stream_feeds f
      where i.account_id = ${accountId} and f.account_id = ${accountId} and f.id = i.feed_id and (
        exists (select from ${known} as p (network, remote_id) where p.network = f.network and p.remote_id = i.person_id)
        or i.person_name ilike any (${traits}::text[]) or i.person_username ilike any (${traits}::text[])
        or i.person_picture ilike any (${traits}::text[]) or i.text ilike any (${traits}::text[]) or i.url ilike any (${traits}::text[]))`.execute(
      db,
    )
    return undefined
  },
}
