import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { addFacts } from '#areas/figures/add-facts.ts'
import { factsOf } from '#areas/links/click/click-facts.ts'
import { takeWaiting, waitingBundles } from '#areas/links/click/waiting-clicks.ts'
import { openDatabase } from '#kernel/database/database.ts'

/** So long it keeps what it has written before it counts it: most of its time, however busy the machine is. */
const moment = 2_000

/** The control: writes clicks, and counts them a moment later. Killed in between, its figures miss what is written. */
const database = openDatabase({ url: process.env.CHORUS_DATABASE_URL as string, connections: 2 })
const account = '001chaos0000001'
for (;;) {
  const bundles = await waitingBundles(database.shared, [account], [], () => {})
  const taken = await database.transaction(account, async (db) => {
    const clicks = await takeWaiting(db, account, bundles)
    await sql`
      insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id)
      select ${account}, c.id, c.at, c.link, '002chaos0000001', '', '', '', 'X', 'human', c.id
      from unnest(${clicks.map(({ id }) => id)}::text[], ${clicks.map(({ at }) => new Date(at))}::timestamptz[],
        ${clicks.map(({ link }) => link)}::text[]) as c (id, at, link) on conflict do nothing`.execute(db)
    return clicks
  })
  // Whoever kills it waits until it has something to lose.
  if (taken.length > 0) console.log('counting')
  await sleep(moment)
  const facts = taken.flatMap(({ at, link }) =>
    factsOf('clicks', new Date(at), {
      ...{
        accountId: account,
        campaignId: '002chaos0000001',
        messageId: '',
        postId: '',
        credentialId: '',
        linkId: link,
      },
      ...{ network: 'X', country: '', author: '', isBoard: false, countsFor: {} },
    }),
  )
  await database.transaction(account, (db) => addFacts({ db, accountId: account }, facts))
}
