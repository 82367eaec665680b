import type { NetworkCall } from '../wire/network-call.ts'

export type Allowance = 'units' | 'uploads'

interface Method {
  method: NetworkCall['method']
  path: string
  /** What one call takes from a day's allowance. */
  cost: { [allowance in Allowance]?: number }
}

/** What a project may spend in a day, which ends at midnight Pacific. */
export const dailyAllowances: { readonly [allowance in Allowance]: number } = { units: 10_000, uploads: 100 }

/** The methods that are used, by the names Google gives them. */
export const methods = {
  'channels.list': { method: 'GET', path: 'channels', cost: { units: 1 } },
  'playlistItems.list': { method: 'GET', path: 'playlistItems', cost: { units: 1 } },
  'videos.list': { method: 'GET', path: 'videos', cost: { units: 1 } },
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
