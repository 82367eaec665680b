import { useRef, useState } from 'react'
import { useCall } from '../../../wire/queries.ts'

/** Tags to choose from: the first hundred, and those that fit what is typed. Whatever was seen keeps its name. */
export function useTags() {
  const [q, setQ] = useState('')
  const { data } = useCall('v2 GET /tag', { _count: 100, _order: 'tag,1', ...(q && { q }) })
  const seen = useRef(new Map<string, string>())
  for (const { Id, Tag } of data?.Items ?? []) seen.current.set(Id, Tag)
  const found = new Set(data?.Items.map(({ Id }) => Id))
  return {
    find: setQ,
    options: [...seen.current].filter(([id]) => found.has(id) || q === '').map(([value, label]) => ({ value, label })),
    /** The ids of tags that are known by their names. */
    idsOf: (names: readonly string[]) => [...seen.current].filter(([, name]) => names.includes(name)).map(([id]) => id),
    isKnown: data !== undefined,
  }
}
