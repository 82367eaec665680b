import { followersOf, type Numbers, numbersBetween, sum } from '../behaviour/growth.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { day } from '../state/clock.ts'
import type { Profile } from '../state/rows.ts'
import { channel } from './access.ts'
import { refuse } from './refusals.ts'

const metrics: Record<string, (numbers: Numbers) => number> = {
  views: ({ views }) => views,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  estimatedMinutesWatched: ({ views }) => Math.floor(views * 1.4),
  averageViewDuration: () => 84,
  subscribersGained: () => 0,
  subscribersLost: () => 0,
}

/** GET /v2/reports: totals, by day, or by video. */
export function report(call: Call): Answer {
  const owner = channel(call, 'yt-analytics.readonly')
  const names = (textOf(call, 'metrics') ?? '').split(',').filter(Boolean)
  const unknown = names.find((name) => !(name in metrics))
  if (!names.length || unknown) refuse(400, 'badRequest', `Unknown metric ${unknown ?? ''}`, 'global')
  const from = Date.parse(textOf(call, 'startDate') ?? '')
  const to = Date.parse(textOf(call, 'endDate') ?? '') + day
  if (!(from < to)) refuse(400, 'badRequest', 'startDate and endDate are needed.', 'global')
  const dimension = textOf(call, 'dimensions')
  const header = (name: string, columnType: string) => ({
    name,
    columnType,
    dataType: columnType === 'METRIC' ? 'INTEGER' : 'STRING',
  })
  return json({
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: [
      ...(dimension ? [header(dimension, 'DIMENSION')] : []),
      ...names.map((name) => header(name, 'METRIC')),
    ],
    rows: rows(call, owner, names, dimension, from, to),
  })
}

function rows(call: Call, owner: Profile, names: string[], dimension: string | undefined, from: number, to: number) {
  const only = /video==([\w,-]+)/.exec(textOf(call, 'filters') ?? '')?.[1]?.split(',')
  const videos = call.world.items.ofProfile('YouTube', owner.id, 'post').filter(({ id }) => !only || only.includes(id))
  const values = (of: typeof videos, start: number, end: number) => {
    const numbers = sum(
      of.map((video) => numbersBetween(call.world, video, start, Math.min(end, call.world.clock.now()))),
    )
    const gained = followersOf(call.world, owner, end) - followersOf(call.world, owner, start)
    return names.map((name) => (name === 'subscribersGained' ? gained : metrics[name]?.(numbers)))
  }
  if (dimension === 'video') return videos.map((video) => [video.id, ...values([video], from, to)])
  if (dimension !== 'day') return [values(videos, from, to)]
  const days = Array.from({ length: Math.min(400, Math.ceil((to - from) / day)) }, (_, index) => from + index * day)
  return days.map((start) => [new Date(start).toISOString().slice(0, 10), ...values(videos, start, start + day)])
}
