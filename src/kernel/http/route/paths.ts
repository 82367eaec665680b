import { withoutTrailing } from '../../text-parts.ts'

interface Place {
  readonly method: string
  readonly base: string
  readonly path: string
}

/** Every address of an endpoint: the one that is described, and those it had before. */
export const addressesOf = <Any extends Place & { readonly formerPaths?: readonly string[] }>({
  method,
  base,
  path,
  formerPaths = [],
}: Any): Pick<Any, 'method' | 'base' | 'path'>[] => [path, ...formerPaths].map((at) => ({ method, base, path: at }))

/** The verbs the interface knows at this address; none where the address itself is unknown. An address that is spelled out is not also an id. */
export function methodsAt(places: readonly Place[], url: string): string[] {
  const parts = withoutTrailing(url.split('?', 1)[0] ?? '', '/').split('/')
  const there = places.filter((place) => isAt(partsOf(place), parts))
  const spelledOut = there.filter(isSpelledOut)
  return [...new Set((spelledOut.length > 0 ? spelledOut : there).map(({ method }) => method))]
}

/** Verbs at addresses that are spelled out which would be taken for an id with another verb: `GET /advocate/bulk`. */
export function mistakenVerbs<Any extends Place>(places: readonly Any[]): { method: Any['method']; path: string }[] {
  const patterns = places.filter((place) => !isSpelledOut(place))
  const addresses = new Set(places.filter(isSpelledOut).map(({ base, path }) => base + path))
  return [...addresses].flatMap((address) => {
    const verbs = new Set(methodsAt(places, address))
    const parts = address.split('/')
    const mistaken = patterns.filter((place) => isAt(partsOf(place), parts))
    const methods = new Set(mistaken.map(({ method }) => method).filter((method) => !verbs.has(method)))
    return [...methods].map((method) => ({ method, path: address }))
  })
}

const isSpelledOut = ({ path }: Place) => !path.includes('{')

const isAt = (wanted: readonly string[], given: readonly string[]) =>
  wanted.length === given.length &&
  wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))

const known = new WeakMap<Place, readonly string[]>()

function partsOf(place: Place): readonly string[] {
  let parts = known.get(place)
  if (!parts) {
    parts = (place.base + place.path).split('/')
    known.set(place, parts)
  }
  return parts
}
