import { createHash } from 'node:crypto'
import { day } from '../state/clock.ts'
import type { Item, Profile } from '../state/rows.ts'
import type { World } from '../state/state.ts'

export interface Numbers {
  views: number
  reach: number
  likes: number
  comments: number
  shares: number
  clicks: number
  saves: number
}

/** A post's numbers at a moment: a steep first day and a half, then a long tail; the same post and time give the same. */
export function numbersOf(world: World, post: Item, until = world.clock.now()): Numbers {
  const followers = world.profile(post.network, post.profile)?.followers ?? 1000
  const age = Math.max(0, until - post.at)
  const popularity = (0.3 + fraction(post.id)) * followers
  const views = Math.floor(popularity * (0.85 * (1 - Math.exp(-age / (1.5 * day))) + (0.15 * age) / (30 * day)))
  const answers = world.items.inConversation(post).filter(({ at }) => at <= until)
  const given = (kind: Item['kind']) => answers.filter((item) => item.kind === kind).length
  return {
    views,
    reach: Math.floor(views * 0.82),
    likes: Math.floor(views * 0.03) + given('like'),
    comments: given('comment') + given('reply'),
    shares: Math.floor(views * 0.006),
    clicks: Math.floor(views * 0.02),
    saves: Math.floor(views * 0.004),
  }
}

/** The numbers of one stretch of time, so that days add up to the total. */
export function numbersBetween(world: World, post: Item, from: number, to: number): Numbers {
  const before = numbersOf(world, post, from)
  const after = numbersOf(world, post, to)
  const names = Object.keys(after) as (keyof Numbers)[]
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Numbers
}

export function sum(list: Numbers[]): Numbers {
  const total: Numbers = { views: 0, reach: 0, likes: 0, comments: 0, shares: 0, clicks: 0, saves: 0 }
  for (const numbers of list) for (const name of Object.keys(total) as (keyof Numbers)[]) total[name] += numbers[name]
  return total
}

export function followersOf(world: World, profile: Profile, until = world.clock.now()): number {
  const days = Math.max(0, until - profile.createdAt) / day
  return profile.followers + Math.floor(days * (1 + 9 * fraction(profile.id)))
}

/** Between 0 and 1, always the same for the same text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}
