import { sql } from 'kysely'
import { addLevels } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The numbers of a post are read for the first time so long after it went out, and never more often. */
const shortest = 10 * minute
/** Until this age a post is read every day at least, then every week, then no more. */
const young = 30 * day
const old = 365 * day

export const firstReading = (published: Date) => after(published, shortest)

/** When the numbers of a post are read next: after half as long as it has been out, within bounds. Nothing: not any more. */
export function nextReading(published: Date, now: Date): Date | null {
  const age = now.getTime() - published.getTime()
  if (age >= old) return null
  return after(now, age < young ? Math.min(Math.max(age / 2, shortest), day) : 7 * day)
}

/** A post that the network tells nothing of for so long is taken for deleted there; new ones are sometimes told of late. */
export const missingFor = 3 * day

/** Followers are read once a day, each profile at an hour of its own in the first half of it: who fails has time to try again. */
export function nextFollowers(credentialId: string, now: Date): Date {
  const tomorrow = now.getTime() - (now.getTime() % day) + day
  return new Date(tomorrow + spread(credentialId) * minute)
}

/** One of the first 720 minutes, always the same for the same profile. */
const spread = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 720, 0)

/** From one turn of a profile to the next: what came due meanwhile is asked together, and publishing has its part of what the network allows. */
export const pause = 5 * minute
/** Longer than a turn may take: whoever took one and is gone does not keep it. */
const turnLength = 10 * minute

/** When a profile has its next turn after so many that failed. */
export const afterFailures = (failures: number, now: Date) =>
  after(now, Math.min(pause * 2 ** Math.min(failures, 20), day))

/** When it has it after it was told to wait; whoever is told to wait for weeks asks every day. */
export const afterThrottling = (until: Date, now: Date) =>
  new Date(Math.min(Math.max(until.getTime(), now.getTime() + pause), now.getTime() + day))

const after = (moment: Date, wait: number) => new Date(moment.getTime() + wait)

/** What is to be asked about a profile. */
export interface Turn {
  network: string
  failures: number
  /** Whether its followers are due. */
  followers: boolean
  /** Posts on it that are due, and how the network calls them. */
  posts: { postId: string; remoteId: string }[]
  /** So long nobody else asks; another moment in its place says that all were told to wait meanwhile. */
  until: Date
}

/** Takes the turn of a profile, so that nobody else asks meanwhile; nothing where somebody is at it, has just been, or must wait. */
export async function takeTurn({ db, accountId, now }: Context, credentialId: string): Promise<Turn | undefined> {
  const until = new Date(now.getTime() + turnLength)
  const taken = await db
    .updateTable('profileMetrics')
    .set({ notBefore: until })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('notBefore', '<=', now)
    .returning(['network', 'failures', 'followersDue'])
    .executeTakeFirst()
  if (!taken) return undefined
  const posts = await db
    .selectFrom('postMetrics')
    .select(['postId', 'remoteId'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    // Together with what comes due before the next turn.
    .where('due', '<', new Date(now.getTime() + pause))
    .orderBy('due')
    .limit(mostPosts)
    .execute()
  return { network: taken.network, failures: taken.failures, followers: taken.followersDue <= now, posts, until }
}

/** More wait for the next turn: others have theirs in between. */
const mostPosts = 100

/** How a turn ended. */
export interface Ending {
  notBefore: Date
  failures: number
  error: string
  /** Whether all profiles of the network have to wait, since it counts for all of us together. */
  forAll?: boolean | undefined
}

export async function endTurn(context: Context, credentialId: string, { network, until }: Turn, ending: Ending) {
  const { db, accountId } = context
  const { notBefore, failures, forAll = false } = ending
  const error = ending.error.slice(0, 500)
  if (forAll) await putOffAll(context, network, notBefore, error)
  await db
    .updateTable('profileMetrics')
    .set({ notBefore, failures, error })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    // Whoever was told to wait for all has said so here: a turn that went well meanwhile does not take it back.
    .$if(!forAll, (own) => own.where('notBefore', '<=', until))
    .execute()
}

/** Several of them may be told at once: they are held in one order. */
async function putOffAll({ db, accountId }: Context, network: string, notBefore: Date, error: string) {
  const waiting = await db
    .selectFrom('profileMetrics')
    .select('credentialId')
    .where('accountId', '=', accountId)
    .where('network', '=', network)
    .where('notBefore', '<', notBefore)
    .orderBy('credentialId')
    .modifyEnd(heldRows('profileMetrics', 'no key update'))
    .execute()
  const ids = waiting.map((row) => row.credentialId)
  await db
    .updateTable('profileMetrics')
    .set({ notBefore, error })
    .where('accountId', '=', accountId)
    .where(sql<boolean>`credential_id = any (${ids})`)
    .execute()
}

/** Keeps how many followers a profile has; nothing where the network does not tell. They are asked for again tomorrow. */
export async function keepFollowers(context: Context, credentialId: string, followers: number | undefined) {
  const { db, accountId, now } = context
  await db
    .updateTable('profileMetrics')
    .set({ followersDue: nextFollowers(credentialId, now) })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .execute()
  if (followers === undefined) return
  await addLevels(context, [{ name: 'followers', at: now, profile: credentialId, value: followers }])
}
