import type { Operation } from '../behaviour/faults.ts'
import type { Call, Route } from './call.ts'

export function route(
  method: string,
  path: string,
  operation: Operation | ((call: Call) => Operation),
  handle: Route['handle'],
): Route {
  return { method, path, operation, handle }
}

/** The first route whose path fits; parts that begin with a colon take whatever stands there, percent-decoded. */
export function matchRoute(routes: Route[], method: string, path: string) {
  const given = partsOf(path)
  for (const candidate of routes) {
    if (candidate.method !== method) continue
    const params = matchPath(partsOf(candidate.path), given)
    if (params) return { route: candidate, params }
  }
  return undefined
}

function partsOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}

function matchPath(pattern: string[], given: string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decoded(value)
    else if (part !== value) return undefined
  }
  return params
}

/** Percent-decoded, or as it is when it cannot be. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
