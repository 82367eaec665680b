import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { hostChanged } from '../link/link-channel.ts'

export interface Domain {
  id: string
  name: string
}

/** Lets short links stand under the domain from now on; false when another account has it. */
export async function bind(context: Context, { id: cname, name: host }: Domain): Promise<boolean> {
  const { db, accountId: account } = context
  const row = await db
    .insertInto('shortHosts')
    .values({ host, account, cname })
    .onConflict((on) => on.column('host').doUpdateSet({ cname }).where('shortHosts.account', '=', account))
    .returning('host')
    .executeTakeFirst()
  if (row) await hostChanged(context, host)
  return row !== undefined
}

export async function bindOrRefuse(context: Context, domain: Domain) {
  if (!(await bind(context, domain)))
    throw conflict(`${domain.name} is in use by another account of this service; it has to be removed there first.`)
}

/** Nothing is answered under the domain any more. Whether it was until now. */
export async function unbind(context: Context, { id, name }: Domain): Promise<boolean> {
  const { db, accountId } = context
  const { numDeletedRows } = await db
    .deleteFrom('shortHosts')
    .where('host', '=', name)
    .where('account', '=', accountId)
    .where('cname', '=', id)
    .executeTakeFirst()
  if (numDeletedRows > 0n) await hostChanged(context, name)
  return numDeletedRows > 0n
}
