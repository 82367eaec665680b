import type { NetworkCall } from '../wire/network-call.ts'

/** The buckets of a project's day, each with a limit of its own. */
type Bucket = 'units' | 'uploads' | 'stats'

interface Method {
  method: NetworkCall['method']
  path: string
  /** What one call takes of a bucket. */
  cost: { [bucket in Bucket]?: number }
}

/** The methods that are used, by the names Google gives them. */
export const methods = {
  'channels.list': { method: 'GET', path: 'channels', cost: { units: 1 } },
  'playlistItems.list': { method: 'GET', path: 'playlistItems', cost: { units: 1 } },
  'videos.list': { method: 'GET', path: 'videos', cost: { units: 1 } },
  'videos.batchGetStats': { method: 'GET', path: 'videos:batchGetStats', cost: { stats: 1 } },
  'videos.insert': { method: 'POST', path: 'videos', cost: { uploads: 1 } },
  'videos.rate': { method: 'POST', path: 'videos/rate', cost: { units: 50 } },
  'videos.delete': { method: 'DELETE', path: 'videos', cost: { units: 50 } },
  'commentThreads.list': { method: 'GET', path: 'commentThreads', cost: { units: 1 } },
  'commentThreads.insert': { method: 'POST', path: 'commentThreads', cost: { units: 50 } },
  'comments.list': { method: 'GET', path: 'comments', cost: { units: 1 } },
  'comments.insert': { method: 'POST', path: 'comments', cost: { units: 50 } },
  'comments.delete': { method: 'DELETE', path: 'comments', cost: { units: 50 } },
} as const satisfies { [name: string]: Method }

export type MethodName = keyof typeof methods

/** The bucket that a call is charged to, by its address. */
export function bucketOf(url: string): Bucket | undefined {
  const { pathname } = new URL(url)
  if (!pathname.includes('/youtube/v3/')) return undefined
  if (pathname.includes('/upload/')) return 'uploads'
  return pathname.endsWith(':batchGetStats') ? 'stats' : 'units'
}
