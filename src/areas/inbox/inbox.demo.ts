import { daysFrom, owner, publisher } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'
import { seedItems } from './demo/items.demo.ts'
import { seedResponses } from './demo/responses.demo.ts'

/** Fills an empty inbox with items of the last weeks. */
export async function seedInbox(context: Context) {
  const { db, accountId } = context
  const some = await db.selectFrom('inboxItems').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  await seedItems(context)
  await seedResponses(context)
  // Two users who read the inbox daily: items since yesterday are unread.
  const readers = [owner, publisher].map((userId) => ({ accountId, userId, allBefore: daysFrom(context)(-1) }))
  await db.insertInto('inboxReaders').values(readers).execute()
}
