import { withoutTrailing } from '../../text-parts.ts'

interface Place {
  readonly method: string
  readonly base: string
  readonly path: string
}

/** The verbs the interface knows at this address; none where the address itself is unknown. */
export function methodsAt(places: readonly Place[], url: string): string[] {
  const parts = withoutTrailing(url.split('?', 1)[0] ?? '', '/').split('/')
  const there = places.filter(({ base, path }) => isAt(partsOf(base + path), parts))
  return [...new Set(there.map(({ method }) => method))]
}

const isAt = (wanted: readonly string[], given: readonly string[]) =>
  wanted.length === given.length &&
  wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))

const known = new Map<string, readonly string[]>()

function partsOf(path: string): readonly string[] {
  const parts = known.get(path) ?? path.split('/')
  known.set(path, parts)
  return parts
}
