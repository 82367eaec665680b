import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { setOwn } from '../user/user.ts'

export async function whoAmI({ db, accountId, userId }: Context) {
  const found = await db
    .selectFrom('users as u')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['u.name', 'u.email', 'u.lastLogin', 'a.name as accountName'])
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId)
    .executeTakeFirst()
  // Deleted since the credentials were checked, a moment ago.
  if (!found) throw missing('User')
  const { name, email, lastLogin, accountName } = found
  return { user: { id: userId, name, email, lastLogin }, account: { id: accountId, name: accountName } }
}

interface Own {
  firstName?: string | undefined
  lastName?: string | undefined
  timezone?: string | undefined
}

/** What somebody says of themselves: name and time zone; role, address and teams are an admin's to change. */
export async function changeOwn(context: Context, own: Own) {
  context.about({ id: context.userId })
  await setOwn(context, context.userId, own)
}
