import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { incrementCounters } from '#areas/counters/increments.ts'
import { pendingBatches, takeBatches } from '#areas/links/click/click-bundle.ts'
import { incrementsOf } from '#areas/links/click/click-counters.ts'
import { openDatabase } from '#kernel/database/database.ts'

/** Negative control: writes clicks and counts them later. A kill in between loses counts. */
const database = openDatabase({ url: process.env.CHORUS_DATABASE_URL as string, connections: 2 })
const account = '001chaos0000001'
console.log('counting')
for (;;) {
  const batches = await pendingBatches(database.shared, [account], [], () => {})
  const taken = await database.transaction(account, async (db) => {
    const clicks = await takeBatches(db, account, batches)
    await sql`
      insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id)
      select ${account}, c.id, c.at, c.link, '002chaos0000001', '', '', '', 'X', 'human', c.id
      from unnest(${clicks.map(({ id }) => id)}::text[], ${clicks.map(({ at }) => new Date(at))}::timestamptz[],
        ${clicks.map(({ link }) => link)}::text[]) as c (id, at, link) on conflict do nothing`.execute(db)
    return clicks
  })
  // There are nearly always uncounted clicks, so that every kill loses some.
  await sleep(taken.length > 0 ? 2_000 : 20)
  const increments = taken.flatMap(({ at, link }) =>
    incrementsOf('clicks', new Date(at), {
      accountId: account,
      campaignId: '002chaos0000001',
      messageId: '',
      postId: '',
      credentialId: '',
      linkId: link,
      network: 'X',
      country: '',
      author: '',
      isBoard: false,
      countsFor: {},
    }),
  )
  await database.transaction(account, (db) => incrementCounters({ db, accountId: account }, increments))
}
