import { sql } from 'kysely'
import { emitInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { missing } from '#kernel/errors.ts'
import { limitOf } from '#kernel/quotas/quotas.ts'
import { accountChanges, accountQuotas } from './declarations.ts'

/** Creates the account of the context with its first users; default data belongs to the first admin. */
export async function create<Users>(
  context: Context,
  { name, addUsers }: { name: string; addUsers: () => Promise<Users> },
): Promise<Users> {
  const { db, accountId, now } = context
  await db.insertInto('accounts').values({ id: accountId, created: now, modified: now, name }).execute()
  const users = await addUsers()
  await emitInner(context, 'accountCreated', {})
  return users
}

/** Serializes changes that depend on each other: admins, team membership, and approvers of workflow steps. */
export const lockAccount = ({ db, accountId }: Context) =>
  db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .modifyEnd(lockRows('accounts', 'no key update'))
    .execute()

export async function exists({ db, accountId }: Context): Promise<boolean> {
  return Boolean(await db.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst())
}

interface Counted {
  id: string
  name: string
  created: Date
  users: number
}

/** The caller's account with its number of users and user quota. */
export async function get({ db, accountId, accountLimits }: Context) {
  const { rows } = await sql<Counted>`
    select a.id, a.name, a.created,
      (select count(*)::int from users u where u.account_id = ${accountId} and u.status <> 'deleted' and u.role is not null) as users
    from accounts a where a.id = ${accountId}`.execute(db)
  const [account] = rows
  if (!account) throw missing('Account')
  return { ...account, usersMost: limitOf({ accountLimits }, accountQuotas.users) }
}

export async function rename(context: Context, { name }: { name: string }) {
  const { db, accountId, now, about, notifyChange } = context
  about({ id: accountId })
  notifyChange({ kind: accountChanges.account, id: null, parent: null, scope: null })
  await db.updateTable('accounts').set({ name, modified: now }).where('id', '=', accountId).execute()
  return get(context)
}
