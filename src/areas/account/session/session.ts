import { randomBytes } from 'node:crypto'
import type { Context } from '#kernel/context.ts'
import type { Database } from '#kernel/database/database.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { identitiesChanged, keyDigest } from '#kernel/identities.ts'
import { isId, newId } from '#kernel/ids.ts'
import { type Ability, abilities, may } from '#kernel/permissions.ts'
import { accountIds } from '../declarations.ts'

/** A token for a browser or a link: the account and 256 random bits, of which only a digest is stored. */
export function newToken(accountId: string): { token: string; digest: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { token: `${accountId}.${secret}`, digest: keyDigest(secret) }
}

/** Undefined if the text is not a token. */
export function readToken(text: string): { accountId: string; digest: Buffer } | undefined {
  const [accountId = '', secret = '', ...more] = text.split('.', 3)
  if (more.length > 0 || !isId(accountIds.account, accountId) || !/^[\w-]{43}$/.test(secret)) return undefined
  return { accountId, digest: keyDigest(secret) }
}

const minute = 60 * 1000
const hour = 60 * minute
const day = 24 * hour

/** The idle timeout and the maximum lifetime of a session. */
const idle = { usual: 12 * hour, stays: 30 * day }
const longest = 90 * day
/** Per user; the least recently used one is removed. */
const mostSessions = 50

export interface Begun {
  userId: string
  accountId: string
  token: string
  /** The lifetime of the cookie; undefined for a session cookie. */
  seconds: number | undefined
}

export const isOver = ({ stays, lastUsed, ends }: { stays: boolean; lastUsed: Date; ends: Date }, now: Date) =>
  now >= ends || now.getTime() - lastUsed.getTime() >= (stays ? idle.stays : idle.usual)

/** Creates a session; the token is returned only once. */
export async function begin(context: Context, { userId, stays }: { userId: string; stays: boolean }): Promise<Begun> {
  const { db, accountId, now, visitor = { address: '', agent: '' } } = context
  const { token, digest } = newToken(accountId)
  const { address, agent } = visitor
  const ends = new Date(now.getTime() + longest)
  const id = newId(accountIds.session, now)
  await db
    .insertInto('sessions')
    .values({ accountId, id, userId, created: now, lastUsed: now, ends, stays, address, agent, digest })
    .execute()
  context.about({ id })
  await db
    .updateTable('users')
    .set({ lastLogin: now })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .execute()
  await endBeyond(context, userId)
  return { userId, accountId, token, seconds: stays ? longest / 1000 : undefined }
}

async function endBeyond({ db, accountId, now }: Context, userId: string) {
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'stays', 'lastUsed', 'ends'])
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .orderBy('lastUsed', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const over = sessions.filter((session, index) => index >= mostSessions || isOver(session, now)).map(({ id }) => id)
  if (over.length === 0) return
  await db.deleteFrom('sessions').where('accountId', '=', accountId).where('id', 'in', over).execute()
}

/** The caller's identity and permissions. */
export async function currentSession({ db, accountId, userId, role, via }: Context) {
  const found = await db
    .selectFrom('users as u')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['u.name', 'u.email', 'u.timezone', 'a.name as accountName'])
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId)
    .executeTakeFirst()
  // Deleted after the session was looked up.
  if (!found) throw missing('User')
  const teams = await db
    .selectFrom('teamEntities')
    .select('teamId')
    .where('accountId', '=', accountId)
    .where('entityId', '=', userId)
    .orderBy('teamId')
    .execute()
  const { name, email, timezone, accountName } = found
  return {
    via: via?.by === 'session' ? ('session' as const) : ('key' as const),
    sessionId: via?.by === 'session' ? via.id : null,
    user: { id: userId, name, email, timezone, role },
    account: { id: accountId, name: accountName },
    abilities: (Object.keys(abilities) as Ability[]).filter((ability) => may(role, ability)),
    teamIds: teams.map(({ teamId }) => teamId),
  }
}

/** The caller's own sessions, most recently used first. */
export async function list(context: Context) {
  const { via, now } = context
  const rows = await own(context)
    .select(['id', 'created', 'lastUsed', 'ends', 'address', 'agent', 'stays'])
    .orderBy('lastUsed', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const items = rows.filter((row) => !isOver(row, now)).map((row) => ({ ...row, current: isCurrent(via, row.id) }))
  return { items, total: items.length }
}

export async function end(context: Context, { id }: { id: string }) {
  const found = await own(context).select('id').where('id', '=', id).executeTakeFirst()
  if (!found) throw missing('Session')
  context.about({ id })
  await context.db.deleteFrom('sessions').where('accountId', '=', context.accountId).where('id', '=', id).execute()
  await identitiesChanged(context)
}

/** Signs out; without effect for callers with an API key. */
export async function endCurrent(context: Context) {
  if (context.via?.by === 'session') await end(context, { id: context.via.id })
}

/** Ends the caller's other sessions and returns their number. */
export async function endOthers(context: Context): Promise<number> {
  const { db, accountId, userId, via } = context
  const mine = db.deleteFrom('sessions').where('accountId', '=', accountId).where('userId', '=', userId)
  const others = via?.by === 'session' ? mine.where('id', '<>', via.id) : mine
  const { numDeletedRows } = await others.executeTakeFirst()
  await identitiesChanged(context)
  return Number(numDeletedRows)
}

export async function endAll(context: Context, userId: string) {
  const { db, accountId } = context
  await db.deleteFrom('sessions').where('accountId', '=', accountId).where('userId', '=', userId).execute()
  await identitiesChanged(context)
}

const own = ({ db, accountId, userId }: Context) =>
  db.selectFrom('sessions').where('accountId', '=', accountId).where('userId', '=', userId)

const isCurrent = (via: Context['via'], id: string) => via?.by === 'session' && via.id === id

/** The purpose of a single-use link. */
export type Purpose = 'invitation' | 'reset' | 'entry' | 'board'

const lasts = { invitation: 14 * day, reset: hour, entry: day, board: hour } as const satisfies Record<Purpose, number>
const pages = {
  invitation: 'invitation',
  reset: 'reset',
  entry: 'enter',
  board: 'board-entry',
} as const satisfies Record<Purpose, string>

/** Creates a link and revokes the user's previous one for the same purpose. The token is returned only once. */
export async function makeLink(
  context: Context,
  userId: string,
  purpose: Purpose,
  /** The page to open, if not the default one. */
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

/** The owner of a valid link; refuses any other. Read only. */
export async function ownerOfLink(database: Database, text: string, purpose: Purpose, now: Date) {
  const token = readToken(text)
  if (!token) throw invalidLink(purpose)
  const found = await database
    .forUnauthenticated(token.accountId)
    .selectFrom('signInLinks as l')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', token.accountId).onRef('u.id', '=', 'l.userId'))
    .select(['l.userId', 'u.email'])
    .where('l.accountId', '=', token.accountId)
    .where('l.digest', '=', token.digest)
    .where('l.purpose', '=', purpose)
    .where('l.ends', '>', now)
    .executeTakeFirst()
  if (!found) throw invalidLink(purpose)
  return { accountId: token.accountId, ...found }
}

/** Consumes the link. */
export async function useLink({ db, accountId, now }: Context, text: string, purpose: Purpose) {
  const token = readToken(text)
  if (!token || token.accountId !== accountId) throw invalidLink(purpose)
  const { numDeletedRows } = await db
    .deleteFrom('signInLinks')
    .where('accountId', '=', accountId)
    .where('digest', '=', token.digest)
    .where('purpose', '=', purpose)
    .where('ends', '>', now)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw invalidLink(purpose)
}

/** Revokes all links of a user. */
export const forgetLinks = ({ db, accountId }: Context, userId: string) =>
  db.deleteFrom('signInLinks').where('accountId', '=', accountId).where('userId', '=', userId).execute()

const remedies = {
  invitation: 'If you have accepted it already, sign in; else ask who invited you to do so again.',
  reset: 'Ask for a new one under “Forgot your password?” on the sign-in page.',
  board: 'Ask for a new one at your board.',
  entry: 'Start the service again for a new one, or use chorus user password.',
} as const satisfies Record<Purpose, string>

const invalidLink = (purpose: Purpose) =>
  invalid(`This link was used already, is too old, or a newer one has taken its place. ${remedies[purpose]}`)
