import type { Visitor } from '#kernel/caller.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Outside } from '#kernel/outside.ts'
import { checkPassword, hashPassword } from '#kernel/secrets/password.ts'
import { endSignIns } from '../user/user.ts'
import { countTry, networkOf, takeBack } from './brake.ts'
import { resetLinks } from './send-links.job.ts'

interface Change {
  present: string
  password: string
}

interface Hashes {
  before: string
  after: string
}

/** Makes certain that the caller knows the present password. */
export async function checkPresent({ step, userId }: Outside, { present, password }: Change): Promise<Hashes> {
  const subject = ['present', userId] as const
  const before = await step(async (context) => {
    await countTry(context.db, subject, context.now)
    return hashOf(context)
  })
  if (!(await checkPassword(before ?? undefined, present, userId)) || !before)
    throw invalid('present is not your password; if you have forgotten it, ask for a link by mail.')
  await step(({ db }) => takeBack(db, subject))
  return { before, after: await hashPassword(password) }
}

/** Changes the caller's password; all their other sessions end. */
export async function changePassword(context: Context, _change: Change, { before, after }: Hashes) {
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
}

const hashOf = async ({ db, accountId, userId }: Context) =>
  (
    await db
      .selectFrom('users')
      .select('passwordHash')
      .where('accountId', '=', accountId)
      .where('id', '=', userId)
      .executeTakeFirst()
  )?.passwordHash

/** Asked for more often than this within a quarter of an hour, links by mail come later and later. */
const freeMails = 3
const freeVisits = 20

/** Sends links by mail to whoever has this address, if anybody has; the answer is the same, and takes as long. */
export async function requestReset(installation: Installation, visitor: Visitor, { email }: { email: string }) {
  const wish = await countMailWish(installation, visitor, email)
  await enqueue(wish, resetLinks, { email }, { key: email.toLowerCase() })
}

/** Counts that somebody who is not known wants a mail to be sent; refuses it while it is too early. Gives what to enqueue it with. */
export async function countMailWish({ database, clock }: Installation, { address }: Visitor, email: string) {
  const now = clock.now()
  const db = database.forAnybody('')
  await countTry(db, ['reset', 'address', networkOf(address)], now, { most: freeVisits })
  await countTry(db, ['reset', 'email', email.toLowerCase()], now, { most: freeMails })
  return { db, now }
}
