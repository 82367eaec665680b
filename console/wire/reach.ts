import { useSyncExternalStore } from 'react'
import { now } from '../time/days.ts'

/** Whether the service answers. */

let lostSince: number | undefined
const hearers = new Set<() => void>()

function set(since: number | undefined) {
  if ((since === undefined) === (lostSince === undefined)) return
  lostSince = since
  for (const hear of hearers) hear()
}

/** A call or the feed had no answer. */
export const noteLost = () => set(lostSince ?? now())
export const noteReached = () => set(undefined)

// A browser that knows it has no network says so before any call fails.
addEventListener('offline', noteLost)

/** Hears when the service is lost, and when it answers again. */
export function hearReach(hear: () => void): () => void {
  hearers.add(hear)
  return () => void hearers.delete(hear)
}

export const isLost = () => lostSince !== undefined

/** Since when there is no answer; nothing while there is. */
export const useLostSince = () => useSyncExternalStore(hearReach, () => lostSince)
