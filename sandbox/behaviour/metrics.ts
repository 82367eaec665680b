import { createHash } from 'node:crypto'
import { day } from '../state/clock.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'

export interface Metrics {
  views: number
  reach: number
  likes: number
  comments: number
  shares: number
  clicks: number
  saves: number
}

/** Metrics of a post at a point in time: a steep first day and a half, then a long tail. Deterministic per post and time. */
export function metricsOf(state: SandboxState, post: Item, until = state.clock.now()): Metrics {
  const followers = state.profile(post.network, post.profile)?.followers ?? 1000
  const age = Math.max(0, until - post.at)
  const popularity = (0.3 + hashFraction(post.id)) * followers
  const views = Math.floor(popularity * (0.85 * (1 - Math.exp(-age / (1.5 * day))) + (0.15 * age) / (30 * day)))
  const interactions = state.items.inConversation(post).filter(({ at }) => at <= until)
  const countOf = (kind: Item['kind']) => interactions.filter((item) => item.kind === kind).length
  return {
    views,
    reach: Math.floor(views * 0.82),
    likes: Math.floor(views * 0.03) + countOf('like'),
    comments: countOf('comment') + countOf('reply'),
    shares: Math.floor(views * 0.006),
    clicks: Math.floor(views * 0.02),
    saves: Math.floor(views * 0.004),
  }
}

/** Metrics of one period; the days of a range add up to its total. */
export function metricsBetween(state: SandboxState, post: Item, from: number, to: number): Metrics {
  const before = metricsOf(state, post, from)
  const after = metricsOf(state, post, to)
  const names = Object.keys(after) as (keyof Metrics)[]
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Metrics
}

export function sumMetrics(list: Metrics[]): Metrics {
  const total: Metrics = { views: 0, reach: 0, likes: 0, comments: 0, shares: 0, clicks: 0, saves: 0 }
  for (const metrics of list) for (const name of Object.keys(total) as (keyof Metrics)[]) total[name] += metrics[name]
  return total
}

export function followersOf(state: SandboxState, profile: Profile, until = state.clock.now()): number {
  const days = Math.max(0, until - profile.createdAt) / day
  return profile.followers + Math.floor(days * (1 + 9 * hashFraction(profile.id)))
}

/** Deterministic value between 0 and 1. */
function hashFraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}
