import type { Json } from '../wire/json.ts'

/** What stands at a path through an answer; nothing where the path ends early. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  let here = value
  for (const name of path) {
    if (here === null || typeof here !== 'object' || Array.isArray(here)) return undefined
    here = here[name]
  }
  return here
}

/** A text, or a number as text: ids come as either. */
export function textAt(value: Json | undefined, ...path: string[]): string | undefined {
  const found = at(value, ...path)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found : undefined
}

export function numberAt(value: Json | undefined, ...path: string[]): number | undefined {
  const found = at(value, ...path)
  const number = typeof found === 'string' && found !== '' ? Number(found) : found
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

export function listAt(value: Json | undefined, ...path: string[]): Json[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A moment as a date's text, in seconds or in milliseconds: Meta writes all three. */
export function timeAt(value: Json | undefined, ...path: string[]): Date | undefined {
  const found = at(value, ...path)
  const time =
    typeof found === 'number'
      ? new Date(found < 1e11 ? found * 1000 : found)
      : new Date(typeof found === 'string' ? found : '')
  return Number.isNaN(time.getTime()) ? undefined : time
}
