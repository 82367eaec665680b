import { sql } from 'kysely'
import { setOwn } from '#areas/account/user/user.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { hintAdvocate, requireMembership } from '../advocate/membership.ts'
import type { BoardRow } from '../board/board-row.ts'
import { customFieldsOf } from '../board/custom-field.ts'
import type { MemberChanges } from './member-shape.ts'

/** How an advocate is on a board, and what they may change of it. */
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

/** What is not given stays as it is. */
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
  hintAdvocate(context, boardId, userId)
  return get(context, { id: boardId })
}

/** Refuses a field that the board does not ask for, and what is none of its options; an empty value takes the answer back. */
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
