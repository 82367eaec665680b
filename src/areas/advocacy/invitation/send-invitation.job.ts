import { makeLink } from '#areas/account/session/session.ts'
import type { Context } from '#kernel/context.ts'
import { kernelIds, newId } from '#kernel/ids.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'

/** Tokens are created when they are emailed, so that queued jobs contain no usable link. */

const second = 1000
const minute = 60 * second
export const waits = [10 * second, minute, 10 * minute, 60 * minute]

interface InvitationEmail {
  accountId: string
  boardId: string
  userId: string
  /** The inviting user; empty for sign-ups. */
  by: string
  message: string
}

export const boardInvitation = { name: 'advocacy.send-invitation', queue: 'mail' } as const

export const boardInvitationJob = (mailer: Mailer): Job<InvitationEmail> =>
  job(boardInvitation.name, {
    ...boardInvitation,
    retryDelays: waits,
    async run({ transaction, now }, invitation) {
      const mail = await transaction(invitation.accountId, (context) => invitationMail(context, invitation))
      if (mail) await mailer.send({ ...mail, id: newId(kernelIds.job, now) })
    },
  })

/** Undefined if they were removed meanwhile. */
async function invitationMail(context: Context, { boardId, userId, by, message }: InvitationEmail) {
  const found = await memberOf(context, boardId, userId)
  if (!found) return undefined
  const { email, board, accountName } = found
  const greeting = by ? `${by} invites you` : 'You are invited'
  const mail: Mail = {
    to: email,
    subject: `${greeting} to ${board}`,
    // Without the name: it may come from an unauthenticated form, and the address isn't confirmed yet.
    text: `Hello,

${greeting.replace(/^You/, 'you')} to “${board}”, where people of ${accountName} find stories to share.
${message === '' ? '' : `\n${quoted(message)}\n`}
${await signInInstructions(context, userId, found)}

If you do not know what this is about, there is nothing to do.`,
  }
  return mail
}

const quoted = (message: string) =>
  message
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

/** Users with a password sign in; others get a link, and choose a password if the board requires one. */
async function signInInstructions(
  context: Context,
  userId: string,
  { passwordHash, role, needsPassword }: Found,
): Promise<string> {
  if (passwordHash) return `Sign in here:\n\n${context.publicUrl}/app/sign-in`
  const needs = needsPassword || role !== null
  const link = await makeLink(context, userId, 'invitation', needs ? 'invitation' : 'board-invitation')
  return `${needs ? 'Choose a password' : 'Begin'} here, within 14 days:\n\n${link}\n\nThe link works once.`
}

type Found = NonNullable<Awaited<ReturnType<typeof memberOf>>>

const memberOf = ({ db, accountId }: Context, boardId: string, userId: string) =>
  db
    .selectFrom('boardMembers as m')
    .innerJoin('boards as b', (join) => join.on('b.accountId', '=', accountId).onRef('b.id', '=', 'm.boardId'))
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'm.userId'))
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['u.email', 'u.passwordHash', 'u.role', 'b.name as board', 'b.needsPassword'])
    .select('a.name as accountName')
    .where('m.accountId', '=', accountId)
    .where('m.boardId', '=', boardId)
    .where('m.userId', '=', userId)
    .where('u.status', '=', 'active')
    .where('b.status', '=', 'active')
    .executeTakeFirst()
