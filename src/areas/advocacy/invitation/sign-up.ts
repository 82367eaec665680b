import { sql } from 'kysely'
import { signInOperations } from '#areas/account/audit.ts'
import { accountIds } from '#areas/account/declarations.ts'
import { countInWindow, networkOf } from '#areas/account/session/attempts.ts'
import { countMailWish } from '#areas/account/session/password.ts'
import { type Begun, newToken } from '#areas/account/session/session.ts'
import { actWithEmailProof, signInWithEmailProof } from '#areas/account/session/sign-in.ts'
import { holdUsers, makeUsers } from '#areas/account/user/advocate-user.ts'
import { findByEmail, normalised } from '#areas/account/user/user-email.ts'
import type { Visitor } from '#kernel/caller.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { conflict, invalid, Refusal } from '#kernel/errors.ts'
import { kernelIds, newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'
import { notifyAdvocateChanged } from '../advocate/membership.ts'
import { type BoardRow, findBySlug, holdBoards, notifyBoardChanged } from '../board/board-row.ts'
import { advocacyIds } from '../declarations.ts'
import { BoardFull, membersAmong, noSeats, takeSeats } from './invite.ts'
import { boardInvitation, waits } from './send-invitation.job.ts'
import { acceptsVisitor, keepWaiting, linkLasts, type SignUp, useSignUp } from './sign-up-row.ts'

/** Per quarter of an hour: from one IP address, and for one board. */
const mostFromAddress = 10
const mostForBoard = 60

interface SignUpRequest {
  email: string
  slug: string
  firstName: string
  lastName: string
}

/** Emails a link to join a board, if the board accepts the visitor. The response is always the same. */
export async function requestSignUp(installation: Installation, visitor: Visitor, request: SignUpRequest) {
  const { database, clock } = installation
  const now = clock.now()
  const anonymous = database.forUnauthenticated('')
  const slug = request.slug.toLowerCase()
  const fromAddress = ['sign-up', 'address', networkOf(visitor.address)] as const
  await countInWindow(anonymous, fromAddress, now, mostFromAddress, 'Too many sign-ups from your network.')
  const { db } = await countMailWish(installation, visitor, request.email)
  await countInWindow(anonymous, ['sign-up', 'board', slug], now, mostForBoard, 'Too many sign-ups for this board.')
  await enqueue({ db, now }, signUp, request, { key: `${slug} ${request.email.toLowerCase()}` })
}

const hour = 60 * 60 * 1000
/** Per sign-up, to prevent flooding an address. */
const mostMails = 3

const signUp = { name: 'advocacy.sign-up', queue: 'mail' } as const

/** Stores the sign-up and emails its link; does nothing if the board doesn't accept the visitor. */
export const signUpJob = (mailer: Mailer): Job<SignUpRequest> =>
  job(signUp.name, {
    ...signUp,
    retryDelays: waits,
    async run({ shared, transaction, now, attempt }, { slug, ...visitor }) {
      const found = await findBySlug(shared, slug)
      if (!found) return
      const [user] = await findByEmail(shared, visitor.email, found.accountId)
      const mail = await transaction(found.accountId, (context) =>
        receive(context, found.boardId, user?.userId, visitor, attempt),
      )
      if (mail) await mailer.send({ ...mail, id: newId(kernelIds.job, now) })
    },
  })

async function receive(
  context: Context,
  boardId: string,
  userId: string | undefined,
  visitor: Omit<SignUpRequest, 'slug'>,
  attempt: number,
): Promise<Mail | undefined> {
  const board = await findBoard(context, boardId)
  if (!board || !acceptsVisitor(board, visitor.email)) return undefined
  if (userId !== undefined && (await membersAmong(context, boardId, [{ id: userId }])).size > 0) {
    await remind(context, boardId, userId)
    return undefined
  }
  const link = await storeSignUp(context, boardId, visitor, attempt)
  if (!link) return undefined
  return {
    to: visitor.email,
    subject: `Confirm your email address to join ${board.name}`,
    // Contains nothing from the form: the recipient may not have requested it.
    text: `Hello,

somebody, hopefully you, asked to join “${board.name}”, where people of ${board.accountName} find stories to share.
Confirm your email address and join here, within three days:

${link}

The link works once. If it was not you, ignore this email and nothing happens.`,
  }
}

const findBoard = ({ db, accountId }: Context, boardId: string) =>
  db
    .selectFrom('boards as b')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['b.name', 'b.status', 'b.signUpEnabled', 'b.signUpDomains', 'a.name as accountName'])
    .where('b.accountId', '=', accountId)
    .where('b.id', '=', boardId)
    .executeTakeFirst()

/** Existing members get a sign-in email, once an hour at most. */
async function remind(context: Context, boardId: string, userId: string) {
  const { db, accountId, now } = context
  const { numUpdatedRows } = await db
    .updateTable('boardMembers')
    .set({ invited: now })
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('userId', '=', userId)
    .where('invited', '<', new Date(now.getTime() - hour))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  notifyAdvocateChanged(context, boardId, userId)
  await enqueue(context, boardInvitation, { accountId, boardId, userId, by: '', message: '' })
}

/** Stores the sign-up with a new token, unless the email limit is reached. */
async function storeSignUp(
  { db, accountId, now, publicUrl }: Context,
  boardId: string,
  { email, firstName, lastName }: Omit<SignUpRequest, 'slug'>,
  attempt: number,
): Promise<string | undefined> {
  const { token, digest } = newToken(accountId)
  // A retried email counts once.
  const mails = attempt === 1 ? 1 : 0
  const { rows } = await sql`
    insert into board_sign_ups as s (account_id, id, board_id, email, address, first_name, last_name, created, ends, mails, digest)
    values (${accountId}, ${newId(advocacyIds.boardSignUp, now)}, ${boardId}, ${email}, ${normalised(email)}, ${firstName}, ${lastName}, ${now},
      ${new Date(now.getTime() + linkLasts)}, ${mails}, ${digest})
    on conflict (account_id, board_id, address) do update set
      first_name = excluded.first_name, last_name = excluded.last_name, digest = excluded.digest,
      ends = greatest(s.ends, excluded.ends), mails = s.mails + excluded.mails
    where s.mails + excluded.mails <= ${mostMails}
    returning s.id`.execute(db)
  return rows.length === 0 ? undefined : `${publicUrl}/app/board-invitation?token=${token}`
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
      await actWithEmailProof(installation, visitor, proof)
      return { userId, accountId }
    }
    if (password === undefined && pending.needsPassword)
      throw invalid('Choose a password to begin: send it as password, 8 to 256 characters long.')
    return await signInWithEmailProof(installation, visitor, {
      ...proof,
      email: pending.email,
      firstName,
      lastName,
      password,
    })
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
  const anonymous = database.forUnauthenticated(accountId)
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
      `“${pending.board}” does not accept sign-ups any more. ${keptNotice} Ask them to invite you.`,
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
      `All seats of “${board.name}” are taken. ${keptNotice} Open this link again once there is a free seat.`,
      { beside: noSeats },
    )
  }
}

const keptNotice = 'Your sign-up is kept for 30 days, and the managers of the board can see it.'

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

/** Deletes expired sign-ups. */
export const forgetSignUpsJob = job<Record<string, never>>('advocacy.forget-sign-ups', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, (id) =>
      context.transaction(id, ({ db, accountId, now }) =>
        db.deleteFrom('boardSignUps').where('accountId', '=', accountId).where('ends', '<=', now).execute(),
      ),
    ),
})
