import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { inboxIds, inboxQuotas } from '../declarations.ts'
import type { CannedResponseChanges, CannedResponseDraft } from './canned-response-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const response = await visible(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!response) throw missing('Canned response')
  const [shown] = await withAuthors(context, [response])
  return shown as NonNullable<typeof shown>
}

export async function search(context: Context, { q = '', page }: { q?: string | undefined; page: Page }) {
  const matching = visible(context)
    .selectAll()
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
  const { items, total } = await paginate(matching, page)
  return { items: await withAuthors(context, items), total }
}

export async function create(context: Context, { visibility = 'shared', ...draft }: CannedResponseDraft) {
  const { db, accountId, userId, now } = context
  await refuseTaken(context, draft.name)
  const made = { accountId, id: newId(inboxIds.cannedResponse, now), created: now, modified: now, createdBy: userId }
  const row = { ...made, ...draft, visibility }
  const existing = () => db.selectFrom('cannedResponses').where('accountId', '=', accountId)
  await unique(draft.name, () =>
    insertWithin(context, inboxQuotas.cannedResponses, existing, { into: 'cannedResponses', row }),
  )
  return get(context, { id: made.id })
}

export async function update(context: Context, { id, ...changes }: CannedResponseChanges) {
  const { db, accountId, userId, now } = context
  const before = await get(context, { id })
  if (changes.visibility === 'private' && before.createdBy.id !== userId)
    throw conflict('Only who wrote it can keep it private: everybody else would lose it.')
  if (changes.name !== undefined) await refuseTaken(context, changes.name, id)
  await unique(changes.name ?? before.name, () =>
    db
      .updateTable('cannedResponses')
      .set({ ...changes, modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where(isSeen(context))
      .execute(),
  )
  return get(context, { id })
}

export async function remove(context: Context, { id }: { id: string }) {
  const { numDeletedRows } = await context.db
    .deleteFrom('cannedResponses')
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .where(isSeen(context))
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Canned response')
}

/** Private responses are visible to their author only. */
const isSeen = ({ userId }: Context) => sql<boolean>`(visibility = 'shared' or created_by = ${userId})`

const visible = (context: Context) =>
  context.db.selectFrom('cannedResponses').where('accountId', '=', context.accountId).where(isSeen(context))

/** Names are unique among the responses visible to the caller; private ones of others don't reserve names. */
async function refuseTaken(context: Context, name: string, but = '') {
  const other = await visible(context)
    .select('id')
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .where('id', '<>', but)
    .executeTakeFirst()
  if (other) throw nameTaken(name)
}

async function unique<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isDuplicate(error, 'canned_responses_shared_name') || isDuplicate(error, 'canned_responses_private_name'))
      throw nameTaken(name)
    throw error
  }
}

const nameTaken = (name: string) => conflict(`There is a canned response "${name}" already.`)

/** Adds the authors, including deleted users. */
async function withAuthors<Row extends { createdBy: string }>({ db, accountId }: Context, rows: readonly Row[]) {
  const ids = [...new Set(rows.map(({ createdBy }) => createdBy))]
  const users = ids.length
    ? await db
        .selectFrom('users')
        .select(['id', 'name', 'email'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .execute()
    : []
  const authors = new Map(users.map((user) => [user.id, user]))
  return rows.map(({ createdBy: id, ...row }) => ({
    ...row,
    createdBy: authors.get(id) ?? { id, name: '', email: '' },
  }))
}
