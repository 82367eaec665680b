import { followersOf, type Numbers, numbersBetween, numbersOf, sum } from '../behaviour/growth.ts'
import { timeOf } from '../graph/listing.ts'
import { badParameter } from '../graph/refusals.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { day } from '../state/clock.ts'
import type { Profile } from '../state/rows.ts'
import { target } from './access.ts'

const mediaMetrics: Record<string, (numbers: Numbers) => number> = {
  views: ({ views }) => views,
  reach: ({ reach }) => reach,
  saved: ({ saves }) => saves,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  total_interactions: ({ likes, comments, shares, saves }) => likes + comments + shares + saves,
}

const accountMetrics: Record<string, (numbers: Numbers) => number> = {
  ...mediaMetrics,
  saves: ({ saves }) => saves,
  replies: ({ comments }) => comments,
  follower_count: () => 0,
}

export function mediaInsights(call: Call): Answer {
  const { item } = target(call, 'manage_insights')
  const numbers = numbersOf(call.world, item)
  const data = asked(call, mediaMetrics).map((name) => {
    return {
      id: `${item.id}/insights/${name}/lifetime`,
      name,
      period: 'lifetime',
      values: [{ value: mediaMetrics[name]?.(numbers) }],
    }
  })
  return json({ data })
}

/** The last day; `metric_type=total_value` only changes the form. */
export function accountInsights(call: Call, owner: Profile): Answer {
  const { world } = call
  const to = world.clock.now()
  const posts = world.items.ofProfile('Instagram', owner.id, 'post')
  const numbers = sum(posts.map((post) => numbersBetween(world, post, to - day, to)))
  const follows = followersOf(world, owner, to) - followersOf(world, owner, to - day)
  const asTotal = textOf(call, 'metric_type') === 'total_value'
  const data = asked(call, accountMetrics).map((name) => {
    const value = name === 'follower_count' ? follows : accountMetrics[name]?.(numbers)
    const values = asTotal ? { total_value: { value } } : { values: [{ value, end_time: timeOf(to) }] }
    return { id: `${owner.id}/insights/${name}/day`, name, period: 'day', ...values }
  })
  return json({ data })
}

function asked(call: Call, known: Record<string, unknown>): string[] {
  const names = (textOf(call, 'metric') ?? '').split(',').filter(Boolean)
  if (!names.length || names.some((name) => !(name in known))) badParameter('metric must be one of the known values')
  return names
}
