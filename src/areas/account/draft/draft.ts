import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { accountQuotas } from '../declarations.ts'
import type { draftKinds } from './draft-shape.ts'

type Kind = (typeof draftKinds)[number]

/** So many are under way at a time for nobody; more are forgotten ones. */
const mostOfOne = 100

const aboutColumns = ['id', 'kind', 'title', 'created', 'modified', 'version'] as const

export function list(context: Context, { kind, page }: { kind?: Kind | undefined; page: Page }) {
  const matching = own(context)
    .select(aboutColumns)
    .$if(kind !== undefined, (rows) => rows.where('kind', '=', kind as Kind))
  return paginate(matching, page)
}

export async function get(context: Context, { id }: { id: string }) {
  const draft = await own(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!draft) throw missing('Draft')
  return draft
}

interface Writing {
  id: string
  kind?: Kind | undefined
  title?: string | undefined
  content: string
  /** That of the copy this one was made from; nothing where it is to stand whatever was there. */
  version?: number | undefined
}

/** Keeps what is written under an id that whoever writes has chosen. Who saves over a copy they have not seen is told, and nothing is overwritten. */
export async function save(context: Context, { id, kind = 'post', title = '', content, version }: Writing) {
  // Such an id names nothing, and nothing can be kept under it.
  if (!/^[\w-]{1,64}$/.test(id)) throw missing('Draft')
  const { db, accountId, userId, now } = context
  const changed =
    version === undefined || version > 0
      ? await db
          .updateTable('drafts')
          .set({ kind, title, content, modified: now, version: sql`version + 1` })
          .where('accountId', '=', accountId)
          .where('userId', '=', userId)
          .where('id', '=', id)
          .$if(version !== undefined, (row) => row.where('version', '=', version as number))
          .returning(aboutColumns)
          .executeTakeFirst()
      : undefined
  if (changed) return changed
  // What was deleted elsewhere meanwhile, when it was sent for example, does not come back by being saved once more.
  if (version) throw elsewhere()
  await reserveDraft(context)
  const made = await db
    .insertInto('drafts')
    .values({ accountId, userId, id, created: now, modified: now, kind, title, content })
    .onConflict((on) => on.doNothing())
    .returning(aboutColumns)
    .executeTakeFirst()
  if (!made) throw elsewhere()
  return made
}

/** Gone, whether it was there or not: whoever sends what they wrote need not know whether it was kept. */
export const forget = ({ db, accountId, userId }: Context, id: string) =>
  db
    .deleteFrom('drafts')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()

export async function remove(context: Context, { id }: { id: string }) {
  const { numDeletedRows } = await forget(context, id)
  if (numDeletedRows === 0n) throw missing('Draft')
}

/** Of a user who is gone. */
export const forgetAll = ({ db, accountId }: Context, userId: string) =>
  db.deleteFrom('drafts').where('accountId', '=', accountId).where('userId', '=', userId).execute()

const elsewhere = () =>
  conflict('The draft was saved or removed elsewhere meanwhile. Read it again before you save over it.')

/** Exact for the account; whoever saves two new ones at the same moment may have one more than they should. */
async function reserveDraft(context: Context) {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${own(context).select('id').limit(mostOfOne)}) those`.execute(context.db)
  if ((rows[0]?.count ?? 0) >= mostOfOne)
    throw conflict(`You have ${mostOfOne} drafts, which is the most. Delete some that you do not need.`)
  const { db, accountId } = context
  await reserveQuota(context, accountQuotas.drafts, db.selectFrom('drafts').where('accountId', '=', accountId))
}

/** Nobody else sees what somebody has not sent yet, admins included. */
const own = ({ db, accountId, userId }: Context) =>
  db.selectFrom('drafts').where('accountId', '=', accountId).where('userId', '=', userId)
