import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { seedClicks, seedCounters } from './demo/clicks.demo.ts'
import { seedDemoLinks } from './demo/links.demo.ts'

const owner = '00Ademo00000001'
const day = 24 * 60 * 60 * 1000

const tags = [
  { id: '0ctdemo00000001', tag: 'Newsletter', value: '5.00' },
  { id: '0ctdemo00000002', tag: 'Order', value: '80.00' },
  { id: '0ctdemo00000003', tag: 'Workshop booking', value: '35.00' },
]

/** Short links of sent posts with clicks and conversions, if there are no links yet. */
export async function seedLinks(context: Context) {
  const { db, accountId, now } = context
  const some = await db.selectFrom('links').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const created = new Date(now.getTime() - 91 * day)
  const made = { accountId, created, modified: created, createdBy: owner, status: 'active' as const }
  await db
    .insertInto('conversionTags')
    .values(tags.map((tag) => ({ ...made, ...tag })))
    .execute()
  await db
    .insertInto('conversionTagAccounts')
    .values(tags.map(({ id: tag }) => ({ tag, account: accountId })))
    .execute()
  // Without statistics the planner expects one row instead of thousands and would use nested loops.
  await sql`set local enable_nestloop = off`.execute(db)
  const links = await seedDemoLinks(context)
  if (links.length === 0) return
  await seedClicks(
    context,
    links,
    tags.map(({ id }) => id),
  )
  await seedCounters(context)
}
