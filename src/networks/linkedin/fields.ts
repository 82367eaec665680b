import type { Json } from '../wire/json.ts'

type Found = Json | undefined

/** What lies at a path of names in something of unknown form. */
export function at(json: Found, ...path: string[]): Found {
  let found = json
  for (const name of path) {
    if (found === undefined || found === null || typeof found !== 'object' || Array.isArray(found)) return undefined
    found = found[name]
  }
  return found
}

/** Ids come as texts or as numbers. */
export function textAt(json: Found, ...path: string[]): string | undefined {
  const found = at(json, ...path)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' ? found : undefined
}

export function numberAt(json: Found, ...path: string[]): number | undefined {
  const found = at(json, ...path)
  return typeof found === 'number' ? found : undefined
}

export function listAt(json: Found, ...path: string[]): Json[] {
  const found = at(json, ...path)
  return Array.isArray(found) ? found : []
}

/** The texts in a list, in their order. */
export function textsAt(json: Found, ...path: string[]): string[] {
  return listAt(json, ...path).filter((element) => typeof element === 'string')
}
