import type { Context } from '#kernel/context.ts'
import { seedAdvocates } from './demo/advocates.demo.ts'
import { seedBoards } from './demo/boards.demo.ts'
import { seedShares } from './demo/shares.demo.ts'
import { seedStories } from './demo/stories.demo.ts'

/** Creates boards with advocates if there are none. */
export async function seedAdvocacy(context: Context) {
  const { db, accountId } = context
  const some = await db.selectFrom('boards').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  await seedBoards(context)
  await seedAdvocates(context)
  await seedStories(context)
  await seedShares(context)
}
