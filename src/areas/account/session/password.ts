import type { Visitor } from '#kernel/caller.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import type { Installation } from '#kernel/installation.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { checkPassword, hashPassword, saltFor } from '#kernel/secrets/password.ts'
import { listKeys } from '../api-key.ts'
import { endOtherAccess, endSignIns } from '../user/user.ts'
import { lookUpEmail } from '../user/user-email.ts'
import { countAttempt, networkOf, uncountAttempts } from './attempts.ts'
import { ownerOfLink } from './session.ts'
import { mailNewPassword, resetLinks } from './session-mail.ts'

interface Change {
  present: string
  password: string
  /** Whether API keys and the calendar link are revoked too. */
  revokeKeys?: boolean | undefined
}

interface Hashes {
  before: string
  after: string
}

/** Verifies that the caller knows the current password. */
export async function checkPresent(
  { step, accountId, userId }: ExternalIo,
  { present, password }: Change,
): Promise<Hashes> {
  const subject = ['present', accountId, userId] as const
  const { before, salt } = await step(async (context) => {
    await countAttempt(context.db, subject, context.now)
    const { passwordHash, email = '' } = (await credentialsOf(context)) ?? {}
    return { before: passwordHash ?? undefined, salt: saltFor(context.keyring, email) }
  })
  if (!(await checkPassword(before, present, userId)) || !before)
    throw invalid('present is not your password; if you have forgotten it, ask for a link by mail.')
  await step(({ db, now }) => uncountAttempts(db, [subject], now))
  return { before, after: await hashPassword(password, salt) }
}

/** Changes the caller's password and ends all their other sessions. */
export async function changePassword(context: Context, { revokeKeys = false }: Change, { before, after }: Hashes) {
  const { db, accountId, userId, now } = context
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ passwordHash: after, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .where('passwordHash', '=', before)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw conflict('The password was changed at the same moment. Sign in with the new one.')
  context.about({ id: userId })
  await endSignIns(context, userId)
  if (revokeKeys) await endOtherAccess(context, userId, { revokeKeys })
  await mailNewPassword(context, userId, 'owner')
}

const credentialsOf = ({ db, accountId, userId }: Context) =>
  db
    .selectFrom('users')
    .select(['passwordHash', 'email'])
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .executeTakeFirst()

/** Requests for emailed links per quarter of an hour before the backoff starts. */
const freeMails = 3
const freeVisits = 20

/** Emails links to the users with this email address, if any. Response and response time are the same either way. */
export async function requestReset(installation: Installation, visitor: Visitor, { email }: { email: string }) {
  const { address, ...request } = await countMailWish(installation, visitor, email)
  await enqueue(request, resetLinks, { email }, { key: address })
}

/**
 * Counts a request for an email by an unauthenticated visitor; refuses it during the backoff. Returns the database and time to enqueue it
 * with, and the normalized email address.
 */
export async function countMailWish({ database, clock }: Installation, visitor: Visitor, email: string) {
  const now = clock.now()
  const db = database.forUnauthenticated('')
  const { address } = await lookUpEmail(db, email)
  await countAttempt(db, ['reset', 'address', networkOf(visitor.address)], now, { most: freeVisits })
  await countAttempt(db, ['reset', 'email', address], now, { most: freeMails })
  return { db, now, address }
}

/**
 * Shown before a password reset: whether there is a calendar link, which is revoked in any case, and the API keys, which are revoked on
 * request.
 */
export async function previewReset({ database, clock }: Installation, _visitor: Visitor, { token }: { token: string }) {
  const { accountId, userId, email } = await ownerOfLink(database, token, 'reset', clock.now())
  const db = database.forUnauthenticated(accountId)
  const calendarKey = await db
    .selectFrom('calendarKeys')
    .select('userId')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  const apiKeys = await listKeys({ db, accountId }, userId)
  return { email, hasCalendarLink: calendarKey !== undefined, apiKeys }
}
