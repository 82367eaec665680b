import type { Metrics } from '#networks/connector/activity.ts'
import type { Actor } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/fault.ts'
import { manifestOf } from '#networks/manifests.ts'
import type { Reading } from './post-reading.ts'
import type { Turn } from './profile-turn.ts'

interface Keeping {
  followers(count: number | undefined): Promise<unknown>
  readings(readings: readonly Reading[]): Promise<unknown>
}

/**
 * Asks a network about a profile and the posts on it, a few at a time, and keeps what it told before asking on: whoever is told to wait
 * has lost little. Called again after a new token, it goes on where it was.
 */
export function openAsking(turn: Turn, signal: AbortSignal, keep: Keeping) {
  let wantsFollowers = turn.followers
  let left = turn.posts
  return async (connector: Connector, actor: Actor) => {
    if (wantsFollowers) await keep.followers(await followersOf(connector, actor))
    wantsFollowers = false
    const atOnce = manifestOf(actor.network).metricsAtOnce
    while (left.length > 0 && !signal.aborted) {
      await keep.readings(await readingsOf(connector, actor, left.slice(0, atOnce)))
      left = left.slice(atOnce)
    }
  }
}

/** A profile whose followers are not shown to us may have posts whose numbers are. */
async function followersOf(connector: Connector, actor: Actor): Promise<number | undefined> {
  try {
    return counted((await connector.profile(actor)).followers)
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** Where the network refuses some for good, the others are asked without them. */
async function readingsOf(connector: Connector, actor: Actor, posts: Turn['posts']): Promise<Reading[]> {
  try {
    const told = await connector.metrics(
      actor,
      posts.map(({ remoteId }) => remoteId),
    )
    return posts.map(({ postId, remoteId }) => ({ postId, numbers: cleaned(told.get(remoteId)) }))
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (posts.length === 1) return posts.map(({ postId }) => ({ postId, error: error.message }))
    const half = Math.ceil(posts.length / 2)
    return [
      ...(await readingsOf(connector, actor, posts.slice(0, half))),
      ...(await readingsOf(connector, actor, posts.slice(half))),
    ]
  }
}

/** What is wrong with the app or with the profile's rights is wrong for all posts. */
const isRefusal = (error: unknown): error is NetworkError =>
  error instanceof NetworkError &&
  error.fault.kind === 'permanent' &&
  error.fault.why !== 'permission' &&
  error.fault.why !== 'config'

/** Numbers as the database takes them; what is no count was not told. */
function cleaned(numbers: Metrics | undefined): Metrics | undefined {
  if (!numbers) return undefined
  const counts = Object.entries(numbers).map(([name, value]) => [name, counted(value)])
  return Object.fromEntries(counts.filter(([, value]) => value !== undefined))
}

const counted = (value: number | undefined) =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined
