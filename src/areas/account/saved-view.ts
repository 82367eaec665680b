import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { accountIds, accountQuotas } from './declarations.ts'

/** Screens with saved filters. */
export const screens = ['calendar', 'campaigns'] as const
type Screen = (typeof screens)[number]

/** A longer menu would not be usable. */
const mostOfScreen = 50

/** Private to the caller; sorted by name. */
export async function list(context: Context, { screen }: { screen: Screen }) {
  const items = await own(context).selectAll().where('screen', '=', screen).orderBy(sql`lower(name)`).execute()
  return { items }
}

interface Draft {
  screen: Screen
  name: string
  /** The query of the screen's URL. */
  search: string
}

/** Saves filters under a name and replaces those saved under the same name. */
export async function save(context: Context, { screen, name, search }: Draft) {
  const { db, accountId, userId, now } = context
  const changed = await db
    .updateTable('savedViews')
    .set({ name, search, modified: now })
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('screen', '=', screen)
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .returningAll()
    .executeTakeFirst()
  if (changed) return changed
  const those = await own(context).select('id').where('screen', '=', screen).limit(mostOfScreen).execute()
  if (those.length === mostOfScreen)
    throw conflict(`You keep ${mostOfScreen} views of this screen, which is the most. Delete one that you do not need.`)
  await reserveQuota(context, accountQuotas.savedViews, db.selectFrom('savedViews').where('accountId', '=', accountId))
  const made = { accountId, id: newId(accountIds.savedView, now), userId, created: now, modified: now }
  const view = await db
    .insertInto('savedViews')
    .values({ ...made, screen, name, search })
    .onConflict((on) => on.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!view) throw conflict('You keep a view of this name since just now.')
  return view
}

export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, userId } = context
  const { numDeletedRows } = await db
    .deleteFrom('savedViews')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('View')
}

/** For a user who was deleted. */
export const forgetAll = ({ db, accountId }: Context, userId: string) =>
  db.deleteFrom('savedViews').where('accountId', '=', accountId).where('userId', '=', userId).execute()

const own = ({ db, accountId, userId }: Context) =>
  db.selectFrom('savedViews').where('accountId', '=', accountId).where('userId', '=', userId)
