import { sql } from 'kysely'
import { setOwn } from '#areas/account/user/user.ts'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'
import { notifyAdvocateChanged, requireMembership } from '../advocate/membership.ts'
import { type BoardRow, customFieldsOf } from '../board/board-row.ts'
import type { MemberChanges } from './member-shape.ts'

/** An advocate's settings on a board. */
export async function get(context: Context, { id: boardId }: { id: string }) {
  const { board, member } = await requireMembership(context, boardId)
  const user = await context.db
    .selectFrom('users')
    .select(['firstName', 'lastName', 'email'])
    .where('accountId', '=', context.accountId)
    .where('id', '=', context.userId)
    .executeTakeFirstOrThrow()
  const { wantsDigest, role } = member
  const values = member.customValues as { [field: string]: string }
  const customFields = customFieldsOf(board).map((field) => ({ ...field, value: values[field.id] ?? '' }))
  return { boardId, role, wantsDigest, ...user, customFields }
}

/** Omitted fields stay unchanged. */
export async function change(context: Context, { id: boardId, wantsDigest, customFields, ...names }: MemberChanges) {
  const { db, accountId, userId } = context
  const { board } = await requireMembership(context, boardId)
  const chosen = customFields && judged(board, customFields)
  if (names.firstName !== undefined || names.lastName !== undefined) await setOwn(context, userId, names)
  if (wantsDigest !== undefined || chosen)
    await db
      .updateTable('boardMembers')
      .set({ wantsDigest, ...(chosen && { customValues: sql`custom_values || ${JSON.stringify(chosen)}::jsonb` }) })
      .where('accountId', '=', accountId)
      .where('boardId', '=', boardId)
      .where('userId', '=', userId)
      .execute()
  notifyAdvocateChanged(context, boardId, userId)
  return get(context, { id: boardId })
}

/** Rejects unknown fields and options; an empty value clears the selection. */
function judged(board: BoardRow, given: { readonly [field: string]: string }) {
  for (const [id, value] of Object.entries(given)) {
    const field = customFieldsOf(board).find((one) => one.id === id)
    if (!field) throw invalid(`customFields names ${id.slice(0, 40)}, which this board does not ask for.`)
    if (value !== '' && !field.options.some((option) => option.id === value))
      throw invalid(
        `customFields must give ${field.name} one of its options: ${field.options.map((option) => option.id).join(', ')}.`,
      )
  }
  return given
}

/** Topics of a board with the caller's selection, and those added since. */
export async function list(context: Context, { id: boardId }: { id: string }) {
  const { member } = await requireMembership(context, boardId)
  const { db, accountId, userId } = context
  const topics = db
    .selectFrom('topics')
    .select(['id', 'name', 'created'])
    .select(
      sql<boolean>`exists (select from topic_subscriptions s where s.account_id = ${accountId} and s.topic_id = topics.id
        and s.user_id = ${userId})`.as('isChosen'),
    )
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
  const seen = member.topicsSeen
  const isNew = (created: Date) => seen === null || created > seen
  return listedWithTotal(db, topics, {
    size: 500,
    each: (rows) => rows.map((topic) => ({ ...topic, isNew: isNew(topic.created) })),
  })
}

/** Sets the selected topics, which also marks new ones as seen. */
export async function choose(context: Context, { id: boardId, topicIds }: { id: string; topicIds: string[] }) {
  await requireMembership(context, boardId)
  const { db, accountId, userId, now } = context
  await db
    .updateTable('boardMembers')
    .set({ topicsSeen: now })
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('userId', '=', userId)
    .execute()
  const before = await chosenBy(context, boardId)
  const [left, joined] = [before.filter((id) => !topicIds.includes(id)), topicIds.filter((id) => !before.includes(id))]
  await refuseOthers(context, boardId, [...left, ...joined])
  await db
    .deleteFrom('topicSubscriptions')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('boardId', '=', boardId)
    .where(sql<boolean>`topic_id = any (${left})`)
    .execute()
  if (joined.length > 0)
    await db
      .insertInto('topicSubscriptions')
      .values(joined.map((topicId) => ({ accountId, topicId, userId, boardId, created: now })))
      .execute()
  await count(context, [...left, ...joined], left)
  return list(context, { id: boardId })
}

async function chosenBy({ db, accountId, userId }: Context, boardId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('topicSubscriptions')
    .select('topicId')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('boardId', '=', boardId)
    .execute()
  return rows.map(({ topicId }) => topicId)
}

/** Locks topics whose counters change, so that none is deleted concurrently. */
async function refuseOthers({ db, accountId }: Context, boardId: string, ids: readonly string[]) {
  const found = await db
    .selectFrom('topics')
    .select('id')
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(lockRows('topics', 'no key update'))
    .execute()
  const absent = ids.find((id) => !found.some((topic) => topic.id === id))
  if (absent !== undefined) throw invalid(`topicIds names ${absent}, which is no topic of this board.`)
}

const count = async ({ db, accountId }: Context, changed: readonly string[], left: readonly string[]) =>
  changed.length === 0
    ? undefined
    : sql`
        update topics set subscribers = subscribers + case when id = any (${left}) then -1 else 1 end
        where account_id = ${accountId} and id = any (${changed})`.execute(db)
