import { useRef, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { useApiQuery } from '@/api/queries.ts'
import type { Status } from '@/ui/badges.tsx'

export type Row = Body<'GET /campaign'>['Items'][number]
export type Campaign = Body<'v2 GET /campaign/{id}'>['Campaign']
export type CampaignStatus = Row['Status']

export const path = '/app/campaigns'
export const statuses = ['active', 'paused', 'complete', 'archived'] as const

/** Maps the status of a campaign to a status badge of posts. */
export const statusOf: { [status in CampaignStatus]: Status } = {
  active: 'planned',
  paused: 'waiting',
  complete: 'sent',
  archived: 'draft',
}

/** Routes that show a campaign. */
export const affectedRoutes = [
  ...(['GET /campaign', 'v2 GET /campaign/{id}', 'v2 GET /campaign', 'GET /campaign/{id}/consequences'] as const),
  ...(['POST /calendar', 'GET /overview', 'v2 GET /team-entity/{entityId}'] as const),
] as const

/** Distinguishable on a calendar, with enough contrast in the light and the dark theme. */
export const colors = [
  '#2456D6',
  '#0369A1',
  '#0F766E',
  '#4D7C0F',
  '#A16207',
  '#C2410C',
  '#B91C1C',
  '#BE185D',
  '#9333EA',
  '#4338CA',
] as const

/** Tag options: the first hundred, and those that match the search. Names of tags seen before are kept. */
export function useTags() {
  const [q, setQ] = useState('')
  const { data } = useApiQuery('v2 GET /tag', { _count: 100, _order: 'tag,1', ...(q && { q }) })
  const seen = useRef(new Map<string, string>())
  for (const { Id, Tag } of data?.Items ?? []) seen.current.set(Id, Tag)
  const found = new Set(data?.Items.map(({ Id }) => Id))
  return {
    find: setQ,
    options: [...seen.current].filter(([id]) => found.has(id) || q === '').map(([value, label]) => ({ value, label })),
    idsOf: (names: readonly string[]) => [...seen.current].filter(([, name]) => names.includes(name)).map(([id]) => id),
    isKnown: data !== undefined,
  }
}
