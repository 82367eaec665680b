import { sql } from 'kysely'
import { newToken } from '#areas/account/session/session.ts'
import { findByEmail, normalised } from '#areas/account/user/user-email.ts'
import type { Context } from '#kernel/context.ts'
import { kernelIds, newId } from '#kernel/ids.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'
import { notifyAdvocateChanged } from '../advocate/membership.ts'
import { findBySlug } from '../board/board-row.ts'
import { advocacyIds } from '../declarations.ts'
import { membersAmong } from './invite.ts'
import { boardInvitation, waits } from './send-invitation.job.ts'
import { acceptsVisitor, linkLasts } from './sign-up-row.ts'

interface Visitor {
  email: string
  slug: string
  firstName: string
  lastName: string
}

const hour = 60 * 60 * 1000
/** Per sign-up, to prevent flooding an address. */
const mostMails = 3

export const signUp = { name: 'advocacy.sign-up', queue: 'mail' } as const

/** Stores the sign-up and emails its link; does nothing if the board doesn't accept the visitor. */
export const signUpJob = (mailer: Mailer): Job<Visitor> =>
  job(signUp.name, {
    ...signUp,
    retryDelays: waits,
    async run({ shared, transaction, now, attempt }, { slug, ...visitor }) {
      const place = await findBySlug(shared, slug)
      if (!place) return
      const [user] = await findByEmail(shared, visitor.email, place.accountId)
      const mail = await transaction(place.accountId, (context) =>
        receive(context, place.boardId, user?.userId, visitor, attempt),
      )
      if (mail) await mailer.send({ ...mail, id: newId(kernelIds.job, now) })
    },
  })

async function receive(
  context: Context,
  boardId: string,
  userId: string | undefined,
  visitor: Omit<Visitor, 'slug'>,
  attempt: number,
): Promise<Mail | undefined> {
  const board = await findBoard(context, boardId)
  if (!board || !acceptsVisitor(board, visitor.email)) return undefined
  if (userId !== undefined && (await membersAmong(context, boardId, [{ id: userId }])).size > 0) {
    await remind(context, boardId, userId)
    return undefined
  }
  const link = await keep(context, boardId, visitor, attempt)
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
async function keep(
  { db, accountId, now, publicUrl }: Context,
  boardId: string,
  { email, firstName, lastName }: Omit<Visitor, 'slug'>,
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
