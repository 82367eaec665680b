import { nameOf } from '#areas/account/session/invitation.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { requireNamedBoard } from '../board/board-row.ts'
import { type Candidate, candidateOf, refuseRepeated } from './guest.ts'
import type { Invitation, Invitations } from './invitation-shape.ts'
import { joinBoard } from './joining.ts'

/** Invites somebody to a board; whoever is on it already is mailed again. */
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

/** The same for many at once: who cannot be invited is told of, and the others are. */
export async function inviteMany(context: Context, { boardId, users: entries, message = '' }: Invitations) {
  await requireNamedBoard(context, boardId)
  const candidates = entries.map(
    ({ problem, ...entry }): Candidate =>
      problem ? { guest: {}, problem } : candidateOf('value' in entry ? entry.value : {}),
  )
  refuseRepeated(candidates)
  const by = await nameOf(context, context.userId)
  // Who is meant to be mailed again is named by their id.
  await joinBoard(context, boardId, candidates, { by, message, mailsAgain: ({ userId }) => userId !== undefined })
  const users = usersOf(candidates)
  context.about({ id: boardId, count: users.length })
  const errors = candidates.flatMap(({ problem }, place) =>
    problem
      ? [{ id: place + 1, data: entries[place]?.sent, errorField: problem.field, errorMessage: problem.message }]
      : [],
  )
  return { users, errors }
}

function refuse({ problem }: Candidate) {
  if (problem) throw invalid(problem.message)
}

const usersOf = (candidates: readonly Candidate[]) =>
  candidates.flatMap(({ user, problem }) => (user && !problem ? user : []))
