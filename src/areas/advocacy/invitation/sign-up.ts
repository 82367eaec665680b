import { sql } from 'kysely'
import { signInOperations } from '#areas/account/audit.ts'
import { accountIds } from '#areas/account/declarations.ts'
import { countInWindow, networkOf } from '#areas/account/session/attempts.ts'
import { countMailWish } from '#areas/account/session/password.ts'
import type { Begun } from '#areas/account/session/session.ts'
import { actByProof, enterByProof } from '#areas/account/session/sign-in.ts'
import { holdUsers, makeUsers } from '#areas/account/user/advocate-user.ts'
import { findByEmail, normalised } from '#areas/account/user/user-email.ts'
import type { Visitor } from '#kernel/caller.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { conflict, invalid, Refusal } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { type BoardRow, holdBoards, notifyBoardChanged } from '../board/board-row.ts'
import { BoardFull, membersAmong, noSeats, takeSeats } from './invite.ts'
import { signUp } from './sign-up.job.ts'
import { acceptsVisitor, keepWaiting, type SignUp, useSignUp } from './sign-up-row.ts'

/** Per quarter of an hour: from one IP address, and for one board. */
const mostFromAddress = 10
const mostForBoard = 60

interface Wish {
  email: string
  slug: string
  firstName: string
  lastName: string
}

/** Emails a link to join a board, if the board accepts the visitor. The response is always the same. */
export async function requestSignUp(installation: Installation, visitor: Visitor, wish: Wish) {
  const { database, clock } = installation
  const now = clock.now()
  const anonymous = database.forAnybody('')
  const slug = wish.slug.toLowerCase()
  const fromAddress = ['sign-up', 'address', networkOf(visitor.address)] as const
  await countInWindow(anonymous, fromAddress, now, mostFromAddress, 'Too many sign-ups from your network.')
  const { db } = await countMailWish(installation, visitor, wish.email)
  await countInWindow(anonymous, ['sign-up', 'board', slug], now, mostForBoard, 'Too many sign-ups for this board.')
  await enqueue({ db, now }, signUp, wish, { key: `${slug} ${wish.email.toLowerCase()}` })
}

interface Confirmation {
  password?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
}

/** The user of a confirmed sign-up; with a session, unless they sign in themselves. */
export type Confirmed = Begun | { userId: string; accountId: string; token?: undefined; seconds?: undefined }

/**
 * Takes the seat of a sign-up with its link, which confirms the address. Without a user, one is created and signed in; users with a role or
 * a password sign in as usual, because a link must not grant more than a board.
 */
export async function confirmSignUp(
  installation: Installation,
  visitor: Visitor,
  pending: SignUp,
  { password, firstName, lastName }: Confirmation,
): Promise<Confirmed> {
  const { accountId } = pending
  const known = await knownUser(installation, pending)
  const userId = known?.id ?? newId(accountIds.user, installation.clock.now())
  const proof = {
    accountId,
    userId,
    operation: signInOperations.boardInvitation,
    admit: (context: Context) => admit(context, pending, userId),
  }
  try {
    if (known && (known.role !== null || known.passwordHash !== null)) {
      await actByProof(installation, visitor, proof)
      return { userId, accountId }
    }
    if (password === undefined && pending.needsPassword)
      throw invalid('Choose a password to begin: send it as password, 8 to 256 characters long.')
    return await enterByProof(installation, visitor, { ...proof, email: pending.email, firstName, lastName, password })
  } catch (error) {
    if (!(error instanceof NoSeat)) throw error
    // The transaction is rolled back, but the confirmed address is stored for the board's managers.
    await change(installation, systemActor(accountId, installation.clock.now()), async (context) => {
      await keepWaiting(context, [pending.id])
      notifyBoardChanged(context, pending.boardId)
    })
    throw error
  }
}

async function knownUser({ database }: Installation, { accountId, email }: SignUp) {
  const anonymous = database.forAnybody(accountId)
  const [found] = await findByEmail(anonymous, email, accountId)
  return (
    found &&
    anonymous
      .selectFrom('users')
      .select(['id', 'role', 'passwordHash'])
      .where('accountId', '=', accountId)
      .where('id', '=', found.userId)
      .where('status', '<>', 'deleted')
      .executeTakeFirst()
  )
}

/** The address is confirmed but there is no seat; the sign-up is kept. */
class NoSeat extends Refusal {
  override name = 'NoSeat'
}

/** Lock order: users, board, sign-up. */
async function admit(context: Context, pending: SignUp, userId: string) {
  const { boardId, email, firstName, lastName } = pending
  await makeUsers(context, [{ id: userId, email, firstName, lastName }])
  const [person] = await holdUsers(context, [email], [])
  if (person?.id !== userId) throw conflict('This link was used at the same moment. Open it again.')
  if (person.status !== 'active') throw invalid('The user of this address is disabled. Ask an admin of the account.')
  const [board] = await holdBoards(context, [boardId])
  if (!board || !acceptsVisitor(board, email))
    throw new NoSeat(
      'conflict',
      `“${pending.board}” does not accept sign-ups any more. ${kept} Ask them to invite you.`,
    )
  if (!(await useSignUp(context, pending)))
    throw invalid('This link was used already, is too old, or a newer one has taken its place. Sign up again.')
  await seat(context, board, userId)
}

/** Takes a seat unless they have one; pending invitations are accepted by `cameByLink`. */
async function seat(context: Context, board: BoardRow, userId: string) {
  if ((await membersAmong(context, board.id, [{ id: userId }])).size > 0) return
  try {
    await takeSeats(context, board, [{ id: userId, role: board.defaultRole, hasAccepted: true }])
  } catch (error) {
    if (!(error instanceof BoardFull)) throw error
    throw new NoSeat(
      'limited',
      `All seats of “${board.name}” are taken. ${kept} Open this link again once there is a free seat.`,
      { beside: noSeats },
    )
  }
}

const kept = 'Your sign-up is kept for 30 days, and the managers of the board can see it.'

/**
 * Older versions emailed a sign-in link for sign-ups. Using it confirms the address: the user takes free seats and waits
 * for the others.
 */
export async function seatOlderSignUps(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  for (const { data } of events) {
    const waiting = await olderSignUps(context, data.userId)
    if (waiting.length === 0) continue
    const boards = await holdBoards(
      context,
      waiting.map(({ boardId }) => boardId),
    )
    for (const pending of waiting) {
      const board = boards.find(({ id }) => id === pending.boardId)
      if (board && acceptsVisitor(board, pending.email) && hasSeat(board)) {
        await useSignUp(context, pending)
        await seat(context, board, data.userId)
      } else await keepWaiting(context, [pending.id])
    }
  }
}

const hasSeat = ({ seats, members }: BoardRow) => seats === null || members < seats

async function olderSignUps({ db, accountId, now }: Context, userId: string) {
  const user = await db
    .selectFrom('users')
    .select(normalised(sql`email`).as('address'))
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!user) return []
  return db
    .selectFrom('boardSignUps')
    .select(['id', 'boardId', 'email'])
    .where('accountId', '=', accountId)
    .where('address', '=', user.address)
    .where('digest', 'is', null)
    .where('ends', '>', now)
    .orderBy('boardId')
    .execute()
}
