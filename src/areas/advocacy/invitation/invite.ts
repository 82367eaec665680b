import { sql } from 'kysely'
import { nameOf } from '#areas/account/session/invitation.ts'
import { holdUsers, makeUsers } from '#areas/account/user/advocate-user.ts'
import { incrementCounters } from '#areas/counters/increments.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { invalid, missing, Refusal } from '#kernel/errors.ts'
import { enqueueAll } from '#kernel/jobs/queue.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { notifyAdvocateChanged } from '../advocate/membership.ts'
import { type BoardRow, holdBoards, notifyBoardChanged, refuseArchived, requireNamedBoard } from '../board/board-row.ts'
import type { boardRoles } from '../board/board-shape.ts'
import { advocacyQuotas } from '../declarations.ts'
import type { Invitation, Invitations } from './invitation-shape.ts'
import { boardInvitation } from './send-invitation.job.ts'
import { dropSignUps } from './sign-up-row.ts'

/** A person to add to a board: a new one by address and names, or an existing advocate by id. */
interface Guest {
  email?: string | undefined
  userId?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  role?: (typeof boardRoles)[number] | undefined
}

/** A requested person and the result: a user, or a problem with its field. */
interface Candidate {
  guest: Guest
  user?: { id: string; name: string; email: string }
  problem?: { field: string; message: string } | undefined
}

/** Checks the request itself, without queries. */
const candidateOf = (guest: Guest): Candidate => ({ guest, problem: guestProblem(guest) })

function guestProblem({ email, userId, firstName, lastName }: Guest): Candidate['problem'] {
  if (email !== undefined && userId !== undefined)
    return { field: 'userId', message: 'Give either email or userId, not both.' }
  if (userId !== undefined) return undefined
  const [absent] = Object.entries({ email, firstName, lastName }).find(([, value]) => value === undefined) ?? []
  return absent === undefined ? undefined : { field: absent, message: `Missing value for parameter ${absent}.` }
}

/** Of duplicates in one request the first counts. */
function refuseRepeated(candidates: readonly Candidate[]) {
  const first = new Map<string, number>()
  for (const [index, candidate] of candidates.entries()) {
    if (candidate.problem) continue
    const { email, userId = '' } = candidate.guest
    const key = email?.toLowerCase() ?? userId
    const before = first.get(key)
    const field = email === undefined ? 'userId' : 'email'
    if (before === undefined) first.set(key, index)
    else candidate.problem = { field, message: `The same ${field} stands in entry ${before + 1} already.` }
  }
}

/** Invites a person to a board; existing members get another email. */
export async function invite(context: Context, { boardId, message = '', ...guest }: Invitation) {
  const candidate = candidateOf(guest)
  refuse(candidate)
  await requireNamedBoard(context, boardId)
  const by = await nameOf(context, context.userId)
  await joinBoard(context, boardId, [candidate], { by, message, mailsAgain: () => true })
  refuse(candidate)
  context.about({ id: boardId })
  return { users: usersOf([candidate]) }
}

/** The same for many: valid ones are invited, the others are reported. */
export async function inviteMany(context: Context, { boardId, users: entries, message = '' }: Invitations) {
  await requireNamedBoard(context, boardId)
  const candidates = entries.map(
    ({ problem, ...entry }): Candidate =>
      problem ? { guest: {}, problem } : candidateOf('value' in entry ? entry.value : {}),
  )
  refuseRepeated(candidates)
  const by = await nameOf(context, context.userId)
  // Members to be emailed again are given by id.
  await joinBoard(context, boardId, candidates, { by, message, mailsAgain: ({ userId }) => userId !== undefined })
  const users = usersOf(candidates)
  context.about({ id: boardId, count: users.length })
  const errors = candidates.flatMap(({ problem }, index) =>
    problem
      ? [{ id: index + 1, data: entries[index]?.sent, errorField: problem.field, errorMessage: problem.message }]
      : [],
  )
  return { users, errors }
}

function refuse({ problem }: Candidate) {
  if (problem) throw invalid(problem.message)
}

const usersOf = (candidates: readonly Candidate[]) =>
  candidates.flatMap(({ user, problem }) => (user && !problem ? user : []))

interface Occasion {
  /** The inviting user; empty for sign-ups. */
  by: string
  message: string
  /** Whether an existing member is emailed again, or reported as already invited. */
  mailsAgain: (guest: Guest) => boolean
}

/** Adds valid candidates to a board, all or none, and emails them; records problems of the others. */
async function joinBoard(
  context: Context,
  boardId: string,
  candidates: readonly Candidate[],
  { by, message, mailsAgain }: Occasion,
) {
  const open = candidates.filter(({ problem }) => !problem)
  const find = await peopleOf(context, open)
  const [board] = await holdBoards(context, [boardId])
  if (!board) throw missing('Board')
  refuseArchived(board)
  const members = await membersAmong(context, boardId, open.map(find))
  const newcomers: Newcomer[] = []
  const again: Person[] = []
  for (const candidate of open) {
    const { guest } = candidate
    const person = find(candidate)
    const isMember = person !== undefined && members.has(person.id)
    candidate.problem = problemOf(guest, person, isMember && !mailsAgain(guest), isMember)
    if (candidate.problem || !person) continue
    candidate.user = person
    if (isMember) again.push(person)
    // Users with a password can join immediately; others join by the emailed link.
    else newcomers.push({ ...person, role: guest.role ?? board.defaultRole, hasAccepted: person.hasPassword })
  }
  if (newcomers.length > 0) {
    await takeSeats(context, board, newcomers)
    await dropSignUps(
      context,
      boardId,
      newcomers.map(({ address }) => address),
    )
  }
  if (again.length > 0) await noteInvited(context, boardId, again)
  const about = { accountId: context.accountId, boardId, by, message }
  const queued = [...newcomers, ...again].map(({ id: userId }) => ({ ...about, userId }))
  if (queued.length > 0) await enqueueAll(context, boardInvitation, queued)
}

type Person = Awaited<ReturnType<typeof holdUsers>>[number]
type Newcomer = Person & Seated

/** A person with a seat, and whether they have already joined. */
interface Seated {
  id: string
  role: NonNullable<Guest['role']>
  hasAccepted: boolean
}

/** Finds or creates all users and locks them before the board: users come first in the lock order. */
async function peopleOf(context: Context, open: readonly Candidate[]) {
  const unknownGuests = open.flatMap(({ guest: { email, firstName = '', lastName = '' } }) =>
    email === undefined ? [] : { email, firstName, lastName },
  )
  await makeUsers(context, unknownGuests)
  const emails = unknownGuests.map(({ email }) => email)
  const ids = open.flatMap(({ guest: { userId } }) => userId ?? [])
  const people = emails.length + ids.length === 0 ? [] : await holdUsers(context, emails, ids)
  const known = new Map(people.flatMap((person) => [[person.id, person] as const, [person.address, person] as const]))
  return ({ guest: { email, userId = '' } }: Candidate) => known.get(email?.toLowerCase() ?? userId)
}

/** Which of them are on the board, accepted or not. */
export async function membersAmong(
  { db, accountId }: Context,
  boardId: string,
  people: readonly ({ id: string } | undefined)[],
) {
  const ids = people.flatMap((person) => person?.id ?? [])
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .selectFrom('boardMembers')
    .select('userId')
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('userId', 'in', ids)
    .execute()
  return new Set(rows.map(({ userId }) => userId))
}

function problemOf(
  { email, userId }: Guest,
  person: Person | undefined,
  isRepeated: boolean,
  isMember: boolean,
): Candidate['problem'] {
  if (userId !== undefined && !isMember)
    return { field: 'userId', message: 'userId names no advocate of this board. Invite somebody new by their email.' }
  const field = userId === undefined ? 'email' : 'userId'
  const label = email ?? userId
  if (person?.status !== 'active')
    return { field, message: `${label} belongs to a user who is switched off. Ask an admin of the account.` }
  if (isRepeated)
    return { field, message: `${label} is an advocate of this board already. Give their userId to invite them again.` }
  return undefined
}

/** A board has fewer free seats than requested. */
export class BoardFull extends Refusal {
  override name = 'BoardFull'
}

/** Adds people to a board. The caller holds locks on users and board, so that seats are assigned sequentially. */
export async function takeSeats(context: Context, board: BoardRow, newcomers: readonly Seated[]) {
  const { db, accountId, userId, now } = context
  const { id: boardId, seats, members } = board
  if (seats !== null && members + newcomers.length > seats) throw full(board, seats, newcomers.length)
  const takenSeats = () => db.selectFrom('boardMembers').where('accountId', '=', accountId)
  await reserveQuota(context, advocacyQuotas.advocates, takenSeats(), newcomers.length)
  const ids = newcomers.map(({ id }) => id)
  const elsewhere = await takenSeats().select('userId').distinct().where('userId', 'in', ids).execute()
  const rows = newcomers.map(({ id, role, hasAccepted }) => ({
    accountId,
    boardId,
    userId: id,
    role,
    created: now,
    invitedBy: userId,
    invited: now,
    accepted: hasAccepted ? now : null,
  }))
  await later(db, db.insertInto('boardMembers').values(rows))
  await later(
    db,
    db
      .updateTable('boards')
      .set({ members: sql`members + ${newcomers.length}::integer` })
      .where('accountId', '=', accountId)
      .where('id', '=', boardId),
  )
  notifyBoardChanged(context, boardId)
  for (const id of ids) notifyAdvocateChanged(context, boardId, id)
  const amount = ids.length - elsewhere.length
  await incrementCounters(context, [{ name: 'advocates', at: now, of: { account: accountId }, amount }])
}

/** As worded in the contract. */
export const noSeats = { Advocacy: { Error: 'RateLimit' } } as const

const full = ({ name, members }: BoardRow, seats: number, more: number) =>
  new BoardFull(
    'limited',
    `The board "${name}" has ${seats} seats and ${Math.max(0, seats - members)} of them free; ${more} more were asked for. Remove advocates who have left, or give the board more seats.`,
    { beside: noSeats },
  )

async function noteInvited(context: Context, boardId: string, people: readonly Person[]) {
  const { db, accountId, now } = context
  const ids = people.map(({ id }) => id)
  const noting = db
    .updateTable('boardMembers')
    .set({ invited: now })
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('userId', 'in', ids)
  await later(db, noting)
  for (const id of ids) notifyAdvocateChanged(context, boardId, id)
}
