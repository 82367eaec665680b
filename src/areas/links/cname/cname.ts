import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/duplicate.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { settingChanged } from '#kernel/hints/hint.ts'
import { newId } from '#kernel/ids.ts'
import type { Outside } from '#kernel/outside.ts'
import { makeRoom } from '#kernel/room/room.ts'
import { hostsOf } from '../link/own-hosts.ts'
import { pointingProblem } from './domain-check.ts'
import { readDomain } from './domain-name.ts'
import { bindOrRefuse, unbind } from './short-host.ts'

export const search = ({ db, accountId }: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(db, db.selectFrom('cnames').selectAll().where('accountId', '=', accountId), page, { size: 500 })

/** The domain as name servers know it, if they say that it points here. */
export async function pointingDomain(outside: Outside, { cname }: { cname: string }): Promise<string> {
  const name = readDomain(cname)
  if (hostsOf([outside.publicUrl, outside.shortUrl]).has(name))
    throw invalid(`${name} is this service's own host; choose a domain of yours, such as go.example.com.`)
  const problem = await pointingProblem(outside, name)
  if (problem) throw invalid(problem)
  return name
}

export async function create(context: Context, _asked: unknown, name: string) {
  const { db, accountId, userId, now } = context
  const id = newId('cname', now)
  await makeRoom(context, 'cnames', db.selectFrom('cnames').where('accountId', '=', accountId))
  const row = { accountId, id, created: now, modified: now, createdBy: userId, name, checked: now }
  const made = await db
    .insertInto('cnames')
    .values(row)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error) => refuseSecond(error, name))
  await bindOrRefuse(context, made)
  context.hint(settingChanged)
  return made
}

/** Another domain in the place of this one, or the same one looked at again. */
export async function update(context: Context, { id }: { id: string }, name: string) {
  const { db, accountId, now } = context
  const before = await hold(context, id)
  const made = await db
    .updateTable('cnames')
    .set({ name, modified: now, checked: now, problem: '' })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error) => refuseSecond(error, name))
  if (before.name !== name) await unbind(context, before)
  await bindOrRefuse(context, made)
  context.hint(settingChanged)
  return made
}

/** Links that stand under the domain are no longer answered; new ones stand under the service's own host. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const cname = await hold(context, id)
  await unbind(context, cname)
  await db
    .updateTable('linkSettings')
    .set({ cnameId: null })
    .where('accountId', '=', accountId)
    .where('cnameId', '=', id)
    .execute()
  await db.deleteFrom('cnames').where('accountId', '=', accountId).where('id', '=', id).execute()
  context.hint(settingChanged)
}

export async function hold({ db, accountId }: Context, id: string) {
  const cname = await db
    .selectFrom('cnames')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .modifyEnd(heldRows('cnames', 'update'))
    .executeTakeFirst()
  if (!cname) throw missing('Cname')
  return cname
}

function refuseSecond(error: unknown, name: string): never {
  if (isDuplicate(error, 'cnames_by_name')) throw conflict(`The account has ${name} already.`)
  throw error
}
