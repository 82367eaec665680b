import type { Endpoint } from './endpoint.ts'

/** The verbs the interface knows at this address; none where the address itself is unknown. */
export function methodsAt(endpoints: readonly Endpoint[], url: string): string[] {
  const path = url.split('?', 1)[0]?.replace(/\/+$/, '') ?? ''
  const there = endpoints.filter((endpoint) => pattern(endpoint.base + endpoint.path).test(path))
  return [...new Set(there.map(({ method }) => method))]
}

const patterns = new Map<string, RegExp>()

function pattern(path: string): RegExp {
  const known = patterns.get(path)
  if (known) return known
  const made = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
  patterns.set(path, made)
  return made
}
