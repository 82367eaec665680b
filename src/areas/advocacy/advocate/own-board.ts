import { sql } from 'kysely'
import { noteBoardLogin } from '#areas/account/user/advocate-user.ts'
import { setOwn } from '#areas/account/user/user.ts'
import { shown } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'
import { type BoardRow, customFieldsOf } from '../board/board-row.ts'
import type { MemberChanges } from './advocate-shape.ts'
import { notifyAdvocateChanged, requireMembership } from './membership.ts'

/** Active boards of the caller, sorted by name. Records the visit. */
export async function list(context: Context) {
  const { db, accountId, userId } = context
  const boards = await db
    .selectFrom('boardMembers')
    .innerJoin('boards', (join) =>
      join.on('boards.accountId', '=', accountId).onRef('boards.id', '=', 'boardMembers.boardId'),
    )
    .select(['boards.id', 'boards.name', 'boards.slug', 'boards.color', 'boards.terms', 'boards.logoId'])
    .select(['boards.kind', 'boardMembers.role'])
    .select(unseenTopics(context))
    .where('boardMembers.accountId', '=', accountId)
    .where('boardMembers.userId', '=', userId)
    .where('boardMembers.accepted', 'is not', null)
    .where('boards.status', '=', 'active')
    .orderBy('boards.name')
    .orderBy('boards.id')
    .execute()
  if (boards.length > 0) await noteBoardLogin(context)
  const logos = await logosOf(
    context,
    boards.map(({ logoId }) => logoId),
  )
  const items = boards.map(({ logoId, ...board }) => ({ ...board, logoUrl: logos.get(logoId) ?? '' }))
  return { items, total: items.length }
}

/** Column: topics of a board that the member has not been asked about. */
const unseenTopics = ({ accountId }: Context) =>
  sql<number>`(select count(*)::integer from topics t where t.account_id = ${accountId} and t.board_id = board_members.board_id
    and (board_members.topics_seen is null or t.created > board_members.topics_seen))`.as('unseenTopics')

async function logosOf(context: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const given = ids.filter((id) => id !== '')
  if (given.length === 0) return new Map()
  const media = await context.db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'in', given)
    .execute()
  return new Map(media.map((asset) => [asset.id, shown(context, asset).resource]))
}

/** An advocate's settings on a board. */
export async function getSettings(context: Context, { id: boardId }: { id: string }) {
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
export async function changeSettings(
  context: Context,
  { id: boardId, wantsDigest, customFields, ...names }: MemberChanges,
) {
  const { db, accountId, userId } = context
  const { board } = await requireMembership(context, boardId)
  const chosen = customFields && requireOptions(board, customFields)
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
  return getSettings(context, { id: boardId })
}

/** Rejects unknown fields and options; an empty value clears the selection. */
function requireOptions(board: BoardRow, given: { readonly [field: string]: string }) {
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
export async function listTopics(context: Context, { id: boardId }: { id: string }) {
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
export async function chooseTopics(context: Context, { id: boardId, topicIds }: { id: string; topicIds: string[] }) {
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
  await requireTopics(context, boardId, [...left, ...joined])
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
  await countSubscribers(context, [...left, ...joined], left)
  return listTopics(context, { id: boardId })
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
async function requireTopics({ db, accountId }: Context, boardId: string, ids: readonly string[]) {
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

const countSubscribers = async ({ db, accountId }: Context, changed: readonly string[], left: readonly string[]) =>
  changed.length === 0
    ? undefined
    : sql`
        update topics set subscribers = subscribers + case when id = any (${left}) then -1 else 1 end
        where account_id = ${accountId} and id = any (${changed})`.execute(db)
