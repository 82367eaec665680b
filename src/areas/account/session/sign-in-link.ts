import type { Context } from '#kernel/context.ts'
import type { Database } from '#kernel/database/database.ts'
import { invalid } from '#kernel/errors.ts'
import { newToken, readToken } from './token.ts'

/** What a link that is used once lets somebody do. */
export type Purpose = 'invitation' | 'reset' | 'entry' | 'board'

const hour = 60 * 60 * 1000
const day = 24 * hour

const lasts = { invitation: 14 * day, reset: hour, entry: day, board: hour } as const satisfies Record<Purpose, number>
const pages = {
  invitation: 'invitation',
  reset: 'reset',
  entry: 'enter',
  board: 'board-entry',
} as const satisfies Record<Purpose, string>

/** Makes a link; the one that the user had for the same purpose counts no more. The token is given back this once. */
export async function makeLink(
  context: Context,
  userId: string,
  purpose: Purpose,
  /** Where it leads, if not to the usual page. */
  page: string = pages[purpose],
): Promise<string> {
  const { db, accountId, now, publicUrl } = context
  const { token, digest } = newToken(accountId)
  const made = { created: now, ends: new Date(now.getTime() + lasts[purpose]), digest }
  await db
    .insertInto('signInLinks')
    .values({ accountId, userId, purpose, ...made })
    .onConflict((on) => on.columns(['accountId', 'userId', 'purpose']).doUpdateSet(made))
    .execute()
  return `${publicUrl}/app/${page}?token=${token}`
}

/** Whose a link is that can be used; refuses any other. Nothing is changed. */
export async function ownerOfLink(database: Database, text: string, purpose: Purpose, now: Date) {
  const token = readToken(text)
  if (!token) throw useless(purpose)
  const found = await database
    .forAnybody(token.accountId)
    .selectFrom('signInLinks as l')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', token.accountId).onRef('u.id', '=', 'l.userId'))
    .select(['l.userId', 'u.email'])
    .where('l.accountId', '=', token.accountId)
    .where('l.digest', '=', token.digest)
    .where('l.purpose', '=', purpose)
    .where('l.ends', '>', now)
    .executeTakeFirst()
  if (!found) throw useless(purpose)
  return { accountId: token.accountId, ...found }
}

/** Uses a link up. */
export async function useLink({ db, accountId, now }: Context, text: string, purpose: Purpose) {
  const token = readToken(text)
  if (!token || token.accountId !== accountId) throw useless(purpose)
  const { numDeletedRows } = await db
    .deleteFrom('signInLinks')
    .where('accountId', '=', accountId)
    .where('digest', '=', token.digest)
    .where('purpose', '=', purpose)
    .where('ends', '>', now)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw useless(purpose)
}

/** Makes all links of a user count no more. */
export const forgetLinks = ({ db, accountId }: Context, userId: string) =>
  db.deleteFrom('signInLinks').where('accountId', '=', accountId).where('userId', '=', userId).execute()

const remedies = {
  invitation: 'If you have accepted it already, sign in; else ask who invited you to do so again.',
  reset: 'Ask for a new one under “Forgot your password?” on the sign-in page.',
  board: 'Ask for a new one at your board.',
  entry: 'Start the service again for a new one, or use chorus user password.',
} as const satisfies Record<Purpose, string>

const useless = (purpose: Purpose) =>
  invalid(`This link was used already, is too old, or a newer one has taken its place. ${remedies[purpose]}`)
