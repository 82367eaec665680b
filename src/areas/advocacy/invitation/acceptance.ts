import { signInOperations } from '#areas/account/audit.ts'
import { choosePassword, enterByLink } from '#areas/account/session/sign-in.ts'
import type { Visitor } from '#kernel/caller.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { type Confirmed, confirmSignUp } from './sign-up.ts'
import { findSignUp } from './sign-up-row.ts'

interface Acceptance {
  token: string
  password?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
}

/** Accepts an invitation or sign-up: with a chosen password, or without one if the board allows it. */
export async function acceptInvitation(
  installation: Installation,
  visitor: Visitor,
  { password, ...chosen }: Acceptance,
): Promise<Confirmed> {
  const pending = await findSignUp(installation.database, chosen.token, installation.clock.now())
  if (pending) return confirmSignUp(installation, visitor, pending, { ...chosen, password })
  const operation = signInOperations.boardInvitation
  if (password !== undefined)
    return choosePassword(installation, visitor, 'invitation', { ...chosen, password }, operation)
  return enterByLink(installation, visitor, { ...chosen, purpose: 'invitation', operation, allow: requireNoPassword })
}

/** Signs an advocate in with a requested link. */
export const enterBoard = (installation: Installation, visitor: Visitor, { token }: { token: string }) =>
  enterByLink(installation, visitor, {
    token,
    purpose: 'board',
    operation: signInOperations.boardEntry,
    allow: requireNoPassword,
  })

/** Rejects users who need a password. */
async function requireNoPassword(context: Context, userId: string) {
  if (!(await boardWithoutPassword(context, userId)))
    throw invalid('Choose a password to begin: send it as password, 8 to 256 characters long.')
}

/** An active board on which the user needs no password; users with a role always need one. */
export const boardWithoutPassword = ({ db, accountId }: Context, userId: string, boardId?: string) =>
  db
    .selectFrom('boardMembers as m')
    .innerJoin('boards as b', (join) => join.on('b.accountId', '=', accountId).onRef('b.id', '=', 'm.boardId'))
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'm.userId'))
    .select(['b.name as board', 'u.email'])
    .where('m.accountId', '=', accountId)
    .where('m.userId', '=', userId)
    .where('u.role', 'is', null)
    .where('u.status', '=', 'active')
    .where('b.status', '=', 'active')
    .where('b.needsPassword', '=', false)
    .$if(boardId !== undefined, (rows) => rows.where('m.boardId', '=', boardId as string))
    .executeTakeFirst()
