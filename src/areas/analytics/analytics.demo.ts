import { leaveToRecount } from '#areas/figures/add-facts.ts'
import type { Recount } from '#areas/figures/figure.ts'
import { beginRebuild, rebuildSome } from '#areas/figures/rebuild.ts'
import type { Context } from '#kernel/context.ts'

const allDays = 1000

/** Counters of all demo activity, and a dashboard for its admin. */
export async function seedAnalytics(context: Context, recounts: readonly Recount[], admin: string) {
  const { db, accountId } = context
  const seeded = await db
    .selectFrom('dashboardFavorites')
    .select('dashboardId')
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  if (seeded) return
  leaveToRecount(context, new Set(recounts.flatMap(({ names }) => names)))
  await beginRebuild(context)
  await rebuildSome(context, recounts, allDays)
  const overview = await db
    .selectFrom('dashboards')
    .select('id')
    .where('accountId', '=', accountId)
    .where('name', '=', 'Overview')
    .executeTakeFirst()
  if (overview)
    await db.insertInto('dashboardFavorites').values({ accountId, userId: admin, dashboardId: overview.id }).execute()
}
