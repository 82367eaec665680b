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
  // Deleted after the credentials were checked.
  if (!found) throw missing('User')
  const { name, email, lastLogin, accountName } = found
  return { user: { id: userId, name, email, lastLogin }, account: { id: accountId, name: accountName } }
}

interface Own {
  firstName?: string | undefined
  lastName?: string | undefined
  timezone?: string | undefined
}

/** Fields that users may change themselves: name and time zone. Role, email and teams are changed by admins. */
export async function changeOwn(context: Context, own: Own) {
  context.about({ id: context.userId })
  await setOwn(context, context.userId, own)
}
