import type { Wishes } from '../store/account-wishes.ts'
import type { KeptLink } from '../store/link-store.ts'

/** A short link as whoever follows it meets it: nothing is left to work out. */
export interface ShortLink {
  readonly account: string
  readonly id: string
  /** Where it leads. With `tail`, the click's id goes between the two. */
  readonly location: string
  readonly tail: string | undefined
  readonly disabled: boolean
  readonly respectsDoNotTrack: boolean
}

export function shortLink(link: KeptLink, { respectsDoNotTrack, clickParameter }: Wishes): ShortLink {
  const { account, id, disabled } = link
  const { location, tail } =
    clickParameter === '' ? { location: link.location, tail: undefined } : withPlace(link.location, clickParameter)
  return { account, id, location, tail, disabled, respectsDoNotTrack }
}

/** Makes place for a click's id. One that stands there already came with a copied address and belongs to another click. */
function withPlace(destination: string, parameter: string): { location: string; tail: string } {
  const [address = '', ...fragments] = destination.split('#')
  const [path = '', ...queries] = address.split('?')
  const pairs = queries.join('?').split('&')
  const others = pairs.filter((pair) => pair !== '' && nameOf(pair) !== parameter)
  const query = [...others, `${encodeURIComponent(parameter)}=`].join('&')
  return { location: `${path}?${query}`, tail: fragments.length > 0 ? `#${fragments.join('#')}` : '' }
}

function nameOf(pair: string): string {
  const name = pair.split('=')[0]?.replaceAll('+', ' ') ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
