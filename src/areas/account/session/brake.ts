import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { Refusal } from '#kernel/errors.ts'

/** What is counted: tries for an e-mail, from an address, for an e-mail from an address, or for something else. */
export type Subject = readonly ['email' | 'address' | 'place' | 'present' | 'reset' | 'sign-up', ...string[]]

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** So many in a row are mistakes; who goes on waits, each time twice as long. After a while of quiet all is forgotten. */
const free = 10
const quiet = 15 * minute
const longestWait = 15 * minute
/** How long a place is known from which somebody signed in. */
const knownFor = 90 * day
/** Rows of each kind that are kept, whatever comes. */
const mostRows = 100_000
const pruneEvery = 100

/** Counts a try before it is judged, so that many at once are not free; refuses it, uncounted, while it is too early. */
export async function countTry(db: Db, subject: Subject, now: Date, { most = free } = {}): Promise<void> {
  const key = digestOf(subject)
  const { rows } = await sql`
    insert into sign_in_tries as t (subject, tries, last) values (${key}, 1, ${now})
    on conflict (subject) do update set
      tries = case when ${isQuiet(now)} then 1 else t.tries + 1 end,
      last = ${now}
    where ${isQuiet(now)} or t.tries < ${most} or t.last + ${waitOf(most)} <= ${now}::timestamptz
    returning t.subject`.execute(db)
  if (rows.length === 0) throw tooEarly(await secondsLeft(db, key, now, most))
  await pruneSometimes(db, now)
}

/**
 * Counts one of at most so many in each quarter of an hour and refuses the rest, with a sentence of its own. A fixed window: unlike the
 * growing waits above, strangers who use it up cannot keep others away for longer than the quarter.
 */
export async function countInWindow(db: Db, subject: Subject, now: Date, most: number, sentence: string) {
  const window = Math.floor(now.getTime() / quiet)
  const { rows } = await sql`
    insert into sign_in_tries as t (subject, tries, last) values (${digestOf([...subject, String(window)])}, 1, ${now})
    on conflict (subject) do update set tries = t.tries + 1, last = ${now} where t.tries < ${most}
    returning t.subject`.execute(db)
  const seconds = Math.ceil(((window + 1) * quiet - now.getTime()) / second)
  if (rows.length === 0)
    throw new Refusal('limited', `${sentence} Try again in ${seconds} seconds.`, { retryAfter: seconds })
  await pruneSometimes(db, now)
}

/** Takes a try back that turned out to be none. */
export const takeBack = (db: Db, subject: Subject) =>
  sql`update sign_in_tries set tries = greatest(0, tries - 1) where subject = ${digestOf(subject)}`.execute(db)

/** Begins anew for a place from which somebody has just proved who they are. */
export const knowPlace = (db: Db, email: string, address: string, now: Date) =>
  sql`
    insert into sign_in_tries as t (subject, tries, last, known) values (${digestOf(placeOf(email, address))}, 0, ${now}, ${now})
    on conflict (subject) do update set tries = 0, last = ${now}, known = ${now}`.execute(db)

/**
 * A try to sign in. From a known place it is judged by what came from there alone: nobody can keep a user out by guessing elsewhere.
 * From anywhere else all tries for the e-mail count, and all from the address.
 */
export async function countSignIn(db: Db, email: string, address: string, now: Date) {
  const place = placeOf(email, address)
  const byEmail = ['email', email.toLowerCase()] as const
  const byAddress = ['address', networkOf(address)] as const
  const known = await isKnown(db, place, now)
  if (known) await countTry(db, place, now)
  else {
    await countTry(db, byAddress, now)
    try {
      await countTry(db, byEmail, now)
    } catch (error) {
      // It was not made, so it is not held against the address either.
      await takeBack(db, byAddress)
      throw error
    }
  }
  return {
    async succeeded() {
      await knowPlace(db, email, address, now)
      if (known) return
      await takeBack(db, byEmail)
      await takeBack(db, byAddress)
    },
  }
}

const placeOf = (email: string, address: string): Subject => ['place', email.toLowerCase(), networkOf(address)]

/** Of IPv6 the network: whoever has one address of it has them all. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === '' ? [] : tail.split(':')
  const whole = address.includes('::')
    ? [...groups, ...Array(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest]
    : groups
  return whole
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0{1,3}(?=.)/, ''))
    .join(':')
}

const digestOf = (subject: Subject) => hash('sha256', JSON.stringify(subject), 'buffer')

async function isKnown(db: Db, place: Subject, now: Date): Promise<boolean> {
  const found = await db
    .selectFrom('signInTries')
    .select('known')
    .where('subject', '=', digestOf(place))
    .executeTakeFirst()
  return Boolean(found?.known && found.known.getTime() > now.getTime() - knownFor)
}

/** A clock that was set back must not keep anybody waiting. */
const isQuiet = (now: Date) =>
  sql<boolean>`(t.last < ${new Date(now.getTime() - quiet)} or t.last > ${new Date(now.getTime() + minute)})`

/** 1 second after the last one that is free, then 2, 4, 8… */
const waitOf = (most: number) =>
  sql`least(power(2, least(t.tries - ${most}::integer, 20)) * interval '1 second', ${longestWait / second}::integer * interval '1 second')`

async function secondsLeft(db: Db, key: Buffer, now: Date, most: number): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select extract(epoch from t.last + ${waitOf(most)} - ${now}::timestamptz)::float8 as left
    from sign_in_tries t where t.subject = ${key}`.execute(db)
  return Math.max(1, Math.ceil(rows[0]?.left ?? 1))
}

const tooEarly = (seconds: number) =>
  new Refusal('limited', `Too many tries. Wait ${seconds} seconds before the next one, or let us mail you a link.`, {
    retryAfter: seconds,
  })

let counted = 0

async function pruneSometimes(db: Db, now: Date) {
  if (counted++ % pruneEvery !== 0) return
  await sql`
    delete from sign_in_tries where (known is null or known < ${new Date(now.getTime() - knownFor)})
    and last < ${new Date(now.getTime() - quiet)}`.execute(db)
  for (const isPlace of [sql`known is null`, sql`known is not null`])
    await sql`
      delete from sign_in_tries where subject in (
        select subject from sign_in_tries where ${isPlace} order by last desc offset ${mostRows}::integer)`.execute(db)
}
