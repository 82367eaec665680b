import { type RawBuilder, sql } from 'kysely'
import type { Db } from './handle.ts'
import type { DB } from './tables.ts'

/** Locks that are no rows: a name, and of which account. */
type NamedLock = 'secretKeys' | 'clicksOfAccount' | 'uploadsOfDay'

/**
 * The order in which everybody holds what others may wait for: who holds one of these waits for none that stands before it. So nobody waits
 * in a circle. Several rows of one table are held in the order of their keys.
 */
export const lockOrder = [
  'secretKeys',
  'clicksOfAccount',
  'sendingState',
  // Who is who in an account, and who sees what.
  'accounts',
  'users',
  'teams',
  // Content, from the whole to its parts: board and campaign, message with its files, story, the profiles it is for, post or share, how far that has come there.
  'boards',
  'boardMembers',
  'campaigns',
  'messages',
  'mediaFolders',
  'media',
  'stories',
  'storyMessages',
  'credentials',
  'posts',
  'shares',
  'profileMetrics',
  'postMetrics',
  // What arrived by one profile, how it is answered, and who wrote it.
  'inboxProfiles',
  'inboxArrivals',
  'inboxItems',
  'inboxReplies',
  'sends',
  // What waits for approval: whoever decides holds the content first.
  'workflows',
  'workflowItems',
  // People and the systems of others that know them.
  'integrations',
  'inboxCases',
  'leads',
  // What people look at on networks: the tab, then what its streams ask for.
  'streamTabs',
  'streamFeeds',
  'exports',
  // What is used and counted by many comes last: whoever uses the same waits until all of this is committed.
  'topics',
  'tags',
  'conversationTags',
  'cnames',
  'links',
  'conversionTags',
  'uploadsOfDay',
  'figureRebuilds',
] as const satisfies readonly (keyof DB | NamedLock)[]

export type Lock = (typeof lockOrder)[number]

/**
 * Held at any time: whoever waits for room for one more of a kind waits for those who are making something of that kind, and they wait for
 * nobody who makes room of this kind later.
 */
type Apart = 'accountUsage'

/** How much others may do with a row meanwhile, as PostgreSQL has it. */
type Strength = 'update' | 'no key update' | 'share' | 'key share'

/** The end of a query whose rows are held until the transaction ends: `.modifyEnd(heldRows('posts', 'update'))`. */
export const heldRows = (
  table: Exclude<Lock, NamedLock> | Apart,
  strength: Strength,
  alias: string = table,
): RawBuilder<unknown> => sql`for ${sql.raw(strength)} of ${sql.id(alias)} ${remark(table)}`

/** The same, passing over rows that others hold: who waits for nobody may do so at any time. */
export const freeRows = (table: keyof DB, strength: Strength, alias: string = table): RawBuilder<unknown> =>
  sql`for ${sql.raw(strength)} of ${sql.id(alias)} skip locked`

/** Holds what is no row until the transaction ends. */
export async function holdName(db: Db, name: NamedLock, accountId = '') {
  await sql`select pg_advisory_xact_lock(${numberOf(name, accountId)}) ${remark(name)}`.execute(db)
}

/** The same if nobody else does; tells whether. */
export async function tryName(db: Db, name: NamedLock, accountId = ''): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(${numberOf(name, accountId)}) as held`.execute(db)
  return rows[0]?.held ?? false
}

const numberOf = (name: NamedLock, accountId: string) => sql`hashtextextended(${`${name}/${accountId}`}, 0)`

/** Says in the statement itself what it holds, for whoever watches. */
const remark = (lock: Lock | Apart) => sql.raw(`/* holds ${lock} */`)

/** Gets what was held after what, and by which statement. */
type Hear = (disorder: string) => void

let hear: Hear | undefined

/** For tests: from now on hears of everything that transactions of this process hold against the order. */
export const watchLocks = (heard: Hear | undefined) => {
  hear = heard
}

/** Follows one transaction, statement by statement; nothing where nobody watches. */
export function followLocks(): ((statement: string) => void) | undefined {
  if (!hear) return undefined
  const tell = hear
  const held: Lock[] = []
  return (statement) => {
    for (const lock of locksIn(statement)) {
      // More rows of what is held already have an order of their own.
      if (held.includes(lock)) continue
      const later = held.find((one) => placeOf(one) > placeOf(lock))
      if (later) tell(`${lock} after ${later}: ${statement.replace(/\s+/g, ' ').slice(0, 300)}`)
      held.push(lock)
    }
  }
}

const placeOf = (lock: Lock) => lockOrder.indexOf(lock)

/** As the statement itself says. What has no place in the order may be held at any time. */
const locksIn = (statement: string): Lock[] =>
  [...statement.matchAll(/\/\* holds (\w+) \*\//g)].map(([, lock]) => lock as Lock).filter((lock) => placeOf(lock) >= 0)
