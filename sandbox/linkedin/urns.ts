import { decoded } from '../http/router.ts'
import type { Profile } from '../state/rows.ts'

export function urnOf({ kind, id }: Pick<Profile, 'kind' | 'id'>): string {
  return kind === 'member' ? `urn:li:person:${id}` : `urn:li:organization:${id}`
}

/** The last part of a URN, or the whole text if it is none. */
export function idOf(urn: string): string {
  return urn.split(':').at(-1) ?? urn
}

/** `List(a,b)`, where commas inside brackets belong to the element. */
export function listed(text: string | undefined): string[] {
  const inner = /^List\((.*)\)$/s.exec(text ?? '')?.[1]
  if (inner === undefined) return text ? [text] : []
  const elements: string[] = []
  let depth = 0
  let from = 0
  for (const [at, character] of [...inner].entries()) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) {
      elements.push(inner.slice(from, at))
      from = at + 1
    }
  }
  return [...elements, inner.slice(from)].map((element) => decoded(element.trim())).filter(Boolean)
}

/** A time range such as `(timeRange:(start:1,end:2),…)`. */
export function rangeIn(text: string | undefined): { start?: number; end?: number } {
  const start = /start:(\d+)/.exec(text ?? '')?.[1]
  const end = /end:(\d+)/.exec(text ?? '')?.[1]
  return { ...(start ? { start: Number(start) } : {}), ...(end ? { end: Number(end) } : {}) }
}
