import type { Context } from '#kernel/context.ts'
import { type Ability, abilities, abilityWords, may, type Role, roles } from '#kernel/permissions.ts'
import { countAdmins, get } from './user.ts'

/** What each other role would add to what a user may do, and take from it; it counts for sessions and keys that are in use as well. */
export async function roleChanges(context: Context, { id }: { id: string }) {
  const user = await get(context, { id })
  const present = user.role as Role
  return {
    present,
    others: roles
      .filter((role) => role !== present)
      .map((role) => ({
        role,
        adds: abilitiesOf((ability) => may(role, ability) && !may(present, ability)),
        takes: abilitiesOf((ability) => may(present, ability) && !may(role, ability)),
        takesLibrary: user.mediaLibrary && role === 'read',
      })),
    isLastAdmin: present === 'admin' && user.status === 'active' && (await countAdmins(context)) === 1,
    sessions: await countOf(context, 'sessions', id),
    apiKeys: await countOf(context, 'apiKeys', id),
  }
}

const abilitiesOf = (fits: (ability: Ability) => boolean) =>
  (Object.keys(abilities) as Ability[]).filter(fits).map((ability) => ({ ability, words: abilityWords[ability] }))

async function countOf({ db, accountId }: Context, table: 'sessions' | 'apiKeys', userId: string): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
