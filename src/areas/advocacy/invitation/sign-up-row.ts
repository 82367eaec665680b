import { readToken } from '#areas/account/session/session.ts'
import type { Context } from '#kernel/context.ts'
import type { Database } from '#kernel/database/database.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { forbidden } from '#kernel/errors.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import { requireMembership } from '../advocate/membership.ts'
import { type BoardRow, requireBoard } from '../board/board-row.ts'

/** The `board_sign_ups` table: visitors who asked to join a board and have no seat yet. */

const day = 24 * 60 * 60 * 1000
/** Lifetime of an emailed link; and how long a confirmed sign-up waits for a seat. */
export const linkLasts = 3 * day
const waitingPeriod = 30 * day

/** The sign-up of an emailed link, with the data of its page; undefined for other tokens. */
export async function findSignUp(database: Database, text: string, now: Date) {
  const token = readToken(text)
  if (!token) return undefined
  const { accountId, digest } = token
  return database
    .forUnauthenticated(accountId)
    .selectFrom('boardSignUps as s')
    .innerJoin('boards as b', (join) => join.on('b.accountId', '=', accountId).onRef('b.id', '=', 's.boardId'))
    .select(['s.accountId', 's.id', 's.boardId', 's.email', 's.address', 's.firstName', 's.lastName'])
    .select(['b.name as board', 'b.needsPassword'])
    .where('s.accountId', '=', accountId)
    .where('s.digest', '=', digest)
    .where('s.ends', '>', now)
    .executeTakeFirst()
}

export type SignUp = NonNullable<Awaited<ReturnType<typeof findSignUp>>>

/** Deletes a used sign-up; false if it was used concurrently. */
export async function useSignUp({ db, accountId }: Context, { id }: Pick<SignUp, 'id'>): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('boardSignUps')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Keeps confirmed sign-ups while there is no seat. */
export const keepWaiting = ({ db, accountId, now }: Context, ids: readonly string[]) =>
  db
    .updateTable('boardSignUps')
    .set({ confirmed: now, ends: new Date(now.getTime() + waitingPeriod) })
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()

/** Deletes sign-ups of people who were invited meanwhile. */
export const dropSignUps = ({ db, accountId }: Context, boardId: string, addresses: readonly string[]) =>
  db
    .deleteFrom('boardSignUps')
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('address', 'in', addresses)
    .execute()

/** Whether a board allows sign-ups with this address. */
export function acceptsVisitor(board: Pick<BoardRow, 'status' | 'signUpEnabled' | 'signUpDomains'>, email: string) {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const { status, signUpEnabled, signUpDomains } = board
  return status === 'active' && signUpEnabled && (signUpDomains.length === 0 || signUpDomains.includes(domain))
}

interface Search {
  boardId: string
  page: Page
}

/** Sign-ups of a board, for users who may invite. */
export async function search(context: Context, { boardId, page }: Search) {
  await requireBoard(context, boardId)
  return find(context, boardId, page)
}

/** The same for managers of the board. */
export async function searchAsManager(context: Context, { boardId, page }: Search) {
  const { member } = await requireMembership(context, boardId)
  if (member.role !== 'manager') throw forbidden('Only managers of the board can see its sign-ups.')
  return find(context, boardId, page)
}

async function find({ db, accountId, now }: Context, boardId: string, page: Page) {
  const matching = db
    .selectFrom('boardSignUps')
    .select(['id', 'email', 'firstName', 'lastName', 'created', 'confirmed', 'ends'])
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('ends', '>', now)
  const { items, total } = await paginate(matching, page)
  const withStatus = items.map((item) => ({
    ...item,
    status: item.confirmed ? ('waiting' as const) : ('unconfirmed' as const),
  }))
  return { items: withStatus, total }
}

export const signUpsPersonalData: PersonalDataLocation = {
  name: 'signUps',
  async collect({ db, accountId }, { emails }, most) {
    if (emails.length === 0) return { items: [], total: 0 }
    const items = await db
      .selectFrom('boardSignUps')
      .select(['boardId', 'email', 'firstName', 'lastName', 'created', 'confirmed', 'ends'])
      .where('accountId', '=', accountId)
      .where('address', 'in', emails)
      .orderBy('id')
      .limit(most)
      .execute()
    return { items, total: items.length }
  },
  async forget({ db, accountId }, { emails }) {
    if (emails.length > 0)
      await db.deleteFrom('boardSignUps').where('accountId', '=', accountId).where('address', 'in', emails).execute()
    return undefined
  },
}
