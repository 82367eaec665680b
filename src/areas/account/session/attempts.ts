import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { Refusal } from '#kernel/errors.ts'

/** The key that attempts are counted by: a user, an email address, an IP network, a user at an IP network, or another purpose. */
type Subject =
  | readonly ['user', account: string, userId: string]
  | readonly ['place', account: string, userId: string, network: string]
  | readonly ['email' | 'address', string]
  | readonly ['present' | 'reset' | 'sign-up', ...string[]]

interface User {
  account: string
  userId: string
}

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** This many consecutive failures are taken for typing mistakes. After that the wait doubles each time; a quiet period resets it. */
const free = 10
const quiet = 15 * minute
const longestWait = 15 * minute
/** How long an IP network stays known after a sign-in. */
const knownFor = 90 * day
/** The maximum number of rows of each kind. */
const mostRows = 100_000
const pruneEvery = 100

/** Counts an attempt before it is checked, so that concurrent attempts are counted too; refuses it, uncounted, during the backoff. */
export async function countAttempt(db: Db, subject: Subject, now: Date, { most = free } = {}): Promise<void> {
  const counted = await count(db, [subject], now, most)
  if (counted.size === 0) throw tooEarly(await longestLeft(db, [subject], now, most))
}

/**
 * Allows a fixed number per quarter of an hour and refuses the rest with its own message. A fixed window: unlike the growing backoff above,
 * third parties who exhaust it cannot lock others out for longer than the window.
 */
export async function countInWindow(
  db: Db,
  subject: readonly ['sign-up', ...string[]],
  now: Date,
  most: number,
  sentence: string,
) {
  const window = Math.floor(now.getTime() / quiet)
  const { rows } = await sql`
    insert into sign_in_attempts as t (subject, attempts, last)
    values (decode(${keyOf([...subject, String(window)])}, 'hex'), 1, ${now})
    on conflict (subject) do update set attempts = t.attempts + 1, last = ${now} where t.attempts < ${most}
    returning t.subject`.execute(db)
  const seconds = Math.ceil(((window + 1) * quiet - now.getTime()) / second)
  if (rows.length === 0)
    throw new Refusal('limited', `${sentence} Try again in ${seconds} seconds.`, { retryAfter: seconds })
  await pruneSometimes(db, now)
}

/** Reverts attempts that turned out to be legitimate. In the same order as they are counted, which prevents deadlocks. */
export const uncountAttempts = (db: Db, subjects: readonly Subject[], now: Date) =>
  sql`
    insert into sign_in_attempts as t (subject, attempts, last)
    select decode(k, 'hex'), 0, ${now}::timestamptz from unnest(${subjects.map(keyOf)}::text[]) k order by k
    on conflict (subject) do update set attempts = greatest(0, t.attempts - 1)`.execute(db)

/** Resets the counter of an IP network from which a user has just authenticated and marks the network as known. */
export const rememberNetwork = (db: Db, user: User, address: string, now: Date) =>
  sql`
    insert into sign_in_attempts as t (subject, attempts, last, known)
    values (decode(${keyOf(networkSubjectOf(user, networkOf(address)))}, 'hex'), 0, ${now}, ${now})
    on conflict (subject) do update set attempts = 0, last = ${now}, known = ${now}`.execute(db)

/** A counted sign-in attempt. */
interface SignInAttempt {
  /** The users whose passwords may be checked; the others are in backoff. */
  allowed: User[]
  /** Whether the user has signed in from this IP network before. */
  isKnown: (user: User) => boolean
  /** Called with the users whose password matched: for them the attempt was not a guess. It stays counted for all others. */
  matched: (users: readonly User[]) => Promise<void>
}

/**
 * Counts a sign-in attempt against every user with the email address. From a network known to the user, only attempts from there count, so
 * guesses from elsewhere cannot lock the user out. From any other network, all attempts for the user, for the email address and from the IP
 * network count. Refused if none of the users may be tried.
 */
export async function countSignIn(
  db: Db,
  { email, users }: { email: string; users: readonly User[] },
  address: string,
  now: Date,
): Promise<SignInAttempt> {
  const network = networkOf(address)
  const sharedSubjects: Subject[] = [
    ['address', network],
    ['email', email],
  ]
  const rows = await read(
    db,
    [...sharedSubjects, ...users.flatMap((user) => [userSubjectOf(user), networkSubjectOf(user, network)])],
    now,
  )
  const isKnown = (user: User) => rows.get(keyOf(networkSubjectOf(user, network)))?.isKnown ?? false
  const subjectOf = (user: User) => (isKnown(user) ? networkSubjectOf(user, network) : userSubjectOf(user))
  const subjectsOf = (some: readonly User[]) => {
    const isUnknownNetwork = users.length === 0 || some.some((user) => !isKnown(user))
    return [...(isUnknownNetwork ? sharedSubjects : []), ...some.map(subjectOf)]
  }
  type IsFree = (key: string) => boolean
  const areFree = (subjects: readonly Subject[], isFree: IsFree) => subjects.every((subject) => isFree(keyOf(subject)))
  const freeUsers = (some: readonly User[], isFree: IsFree) =>
    some.filter((user) => areFree([subjectOf(user), ...(isKnown(user) ? [] : sharedSubjects)], isFree))

  // Checked before counting, so that an attempt during the backoff changes nothing; the count decides in case of concurrent attempts.
  const isFree: IsFree = (key) => !rows.get(key)?.left
  const tried = freeUsers(users, isFree)
  const wanted = users.length > 0 || areFree(sharedSubjects, isFree) ? subjectsOf(tried) : []
  const counted = await count(db, wanted, now, free)
  const allowed = freeUsers(tried, (key) => counted.has(key))
  const isRefused = users.length > 0 ? allowed.length === 0 : !areFree(sharedSubjects, (key) => counted.has(key))
  const counting = isRefused ? [] : subjectsOf(allowed).map(keyOf)
  const excess = wanted.filter((subject) => counted.has(keyOf(subject)) && !counting.includes(keyOf(subject)))
  if (excess.length > 0) await uncountAttempts(db, excess, now)
  if (isRefused) throw tooEarly(await longestLeft(db, subjectsOf(users), now, free))
  return {
    allowed,
    isKnown,
    async matched(matching) {
      const isGuess = allowed.some((user) => !matching.includes(user))
      const returned = subjectsOf(allowed).filter(([kind]) => kind === 'address' || (kind === 'email' && !isGuess))
      await uncountAttempts(db, [...returned, ...matching.map(subjectOf)], now)
    },
  }
}

const userSubjectOf = ({ account, userId }: User): Subject => ['user', account, userId]
const networkSubjectOf = ({ account, userId }: User, network: string): Subject => ['place', account, userId, network]

/** For IPv6 the /64 prefix, since one customer controls all addresses in it. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', suffix = ''] = address.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const rest = suffix === '' ? [] : suffix.split(':')
  const whole = address.includes('::')
    ? [...groups, ...Array(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest]
    : groups
  return whole
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0{1,3}(?=.)/, ''))
    .join(':')
}

/** Stored as digests, so that the table holds no email or IP addresses. */
const keyOf = (subject: Subject) => hash('sha256', JSON.stringify(subject), 'hex')

/** Counts one attempt for each subject in one statement and in a fixed order; returns the keys of those that are not in backoff. */
async function count(db: Db, subjects: readonly Subject[], now: Date, most: number): Promise<Set<string>> {
  if (subjects.length === 0) return new Set()
  const { rows } = await sql<{ key: string }>`
    insert into sign_in_attempts as t (subject, attempts, last)
    select decode(k, 'hex'), 1, ${now}::timestamptz from unnest(${subjects.map(keyOf)}::text[]) k order by k
    on conflict (subject) do update set
      attempts = case when ${isQuiet(now)} then 1 else t.attempts + 1 end,
      last = ${now}
    where ${leftOf(now, most)} <= 0
    returning encode(t.subject, 'hex') as key`.execute(db)
  await pruneSometimes(db, now)
  return new Set(rows.map(({ key }) => key))
}

interface Row {
  key: string
  isKnown: boolean
  /** Seconds until the next attempt is allowed. */
  left: number
}

async function read(db: Db, subjects: readonly Subject[], now: Date, most = free): Promise<Map<string, Row>> {
  const { rows } = await sql<Row>`
    select encode(t.subject, 'hex') as key, coalesce(t.known > ${new Date(now.getTime() - knownFor)}, false) as is_known,
      ${leftOf(now, most)}::float8 as left
    from sign_in_attempts t
    where t.subject = any (array(select decode(k, 'hex') from unnest(${subjects.map(keyOf)}::text[]) k))`.execute(db)
  return new Map(rows.map((row) => [row.key, row]))
}

const longestLeft = async (db: Db, subjects: readonly Subject[], now: Date, most: number): Promise<number> =>
  Math.max(1, ...[...(await read(db, subjects, now, most)).values()].map(({ left }) => Math.ceil(left)))

const isQuiet = (now: Date) => sql<boolean>`(t.last < ${new Date(now.getTime() - quiet)})`

/** Seconds until the next attempt: 1 after the last free one, then 2, 4, 8… A clock that was set back must not extend the wait. */
const leftOf = (now: Date, most: number) => sql<number>`
  case when t.attempts < ${most}::integer or ${isQuiet(now)} or t.last > ${new Date(now.getTime() + minute)} then 0
  else greatest(0, extract(epoch from t.last - ${now}::timestamptz)
    + least(power(2, least(t.attempts - ${most}::integer, 20)), ${longestWait / second}::integer)) end`

const tooEarly = (seconds: number) =>
  new Refusal('limited', `Too many tries. Wait ${seconds} seconds before the next one, or let us mail you a link.`, {
    retryAfter: seconds,
  })

let counted = 0

async function pruneSometimes(db: Db, now: Date) {
  if (counted++ % pruneEvery !== 0) return
  await sql`
    delete from sign_in_attempts where (known is null or known < ${new Date(now.getTime() - knownFor)})
    and last < ${new Date(now.getTime() - quiet)}`.execute(db)
  for (const condition of [sql`known is null`, sql`known is not null`])
    await sql`
      delete from sign_in_attempts where subject in (
        select subject from sign_in_attempts where ${condition} order by last desc offset ${mostRows}::integer)`.execute(
      db,
    )
}
