import { useMemo } from 'react'
import { valuesOf } from '../../../shell/router.ts'
import { now } from '../../../time/days.ts'
import type { Wanted } from './plan.ts'
import { stretchOf, viewOf } from './stretch.ts'

/** Which days the address shows, and between which moments they lie. */
export function useStretch(search: URLSearchParams) {
  const [view, day] = [viewOf(search.get('view')), search.get('day') ?? '']
  return useMemo(() => stretchOf(view, day, now()), [view, day])
}

/** What the service is asked for: the days, the words, and what of a post a calendar does not carry. */
export function useAsked(search: URLSearchParams, { from, until }: { from: number; until: number }) {
  const [find, tag, team] = ['find', 'tag', 'team'].map((name) => search.get(name) ?? '') as [string, string, string]
  return useMemo(() => {
    const [tags, teams] = [tag, team].map((text) => text.split(',').filter(Boolean)) as [string[], string[]]
    const filters = { ...(tags.length > 0 && { tags }), ...(teams.length > 0 && { teams }) }
    return {
      from: from / 1000,
      until: until / 1000,
      ...(find && { find }),
      ...(Object.keys(filters).length > 0 && { filters }),
    }
  }, [from, until, find, tag, team])
}

/** What of that is drawn. */
export function useWanted(search: URLSearchParams): Wanted {
  const text = ['network', 'status', 'campaign'].map((name) => `${name}=${search.get(name) ?? ''}`).join('&')
  return useMemo(() => {
    const given = new URLSearchParams(text)
    const [networks, statuses, campaigns] = ['network', 'status', 'campaign'].map((name) => valuesOf(given, name)) as [
      string[],
      string[],
      string[],
    ]
    return { networks, statuses, campaigns }
  }, [text])
}
