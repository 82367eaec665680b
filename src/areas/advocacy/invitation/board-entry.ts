import { signInOperations } from '#areas/account/audit.ts'
import { countMailWish } from '#areas/account/session/password.ts'
import { makeLink } from '#areas/account/session/session.ts'
import { choosePassword, enterByLink } from '#areas/account/session/sign-in.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import type { Visitor } from '#kernel/caller.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { kernelIds, newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'
import { findBySlug } from '../board/board-row.ts'
import { waits } from './send-invitation.job.ts'
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
const boardWithoutPassword = ({ db, accountId }: Context, userId: string, boardId?: string) =>
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

interface EntryRequest {
  email: string
  slug: string
}

const entryLink = { name: 'advocacy.send-entry-link', queue: 'mail' } as const

/** Sent only if the address belongs to a member of the board. */
export const entryLinkJob = (mailer: Mailer): Job<EntryRequest> =>
  job(entryLink.name, {
    ...entryLink,
    retryDelays: waits,
    async run({ shared, transaction, now }, { email, slug }) {
      const found = await findBySlug(shared, slug)
      if (!found) return
      const [user] = await findByEmail(shared, email, found.accountId)
      const mail =
        user && (await transaction(found.accountId, (context) => entryMail(context, found.boardId, user.userId)))
      if (mail) await mailer.send({ ...mail, id: newId(kernelIds.job, now) })
    },
  })

async function entryMail(context: Context, boardId: string, userId: string): Promise<Mail | undefined> {
  const found = await boardWithoutPassword(context, userId, boardId)
  if (!found) return undefined
  return {
    to: found.email,
    subject: `Your way to ${found.board}`,
    text: `Hello,

here is the link to “${found.board}” that you asked for. It works once, within an hour:

${await makeLink(context, userId, 'board')}

If it was not you, there is nothing to do.`,
  }
}

/** Emails a sign-in link if the address belongs to a member and the board works without passwords; response and timing are always the same. */
export async function requestEntry(installation: Installation, visitor: Visitor, { email, slug }: EntryRequest) {
  const request = await countMailWish(installation, visitor, email)
  await enqueue(request, entryLink, { email, slug }, { key: keyOf(email, slug) })
}

const keyOf = (email: string, slug: string) => `${slug.toLowerCase()} ${email.toLowerCase()}`
