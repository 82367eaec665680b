import { finalUrl } from '../link/final-url.ts'

/** A short link as the redirector keeps it in memory: nothing is left to work out when somebody clicks. */
export interface ShortLink {
  readonly account: string
  readonly id: string
  /** Where it leads. With `tail`, the click's id goes between the two. */
  readonly location: string
  readonly tail: string | undefined
  readonly disabled: boolean
  readonly respectsDoNotTrack: boolean
  /** When it was read, by the process's own clock. */
  readonly read: number
}

export interface LinkRow {
  account: string
  id: string
  hash: string
  longUrl: string
  /** As JSON. */
  params: string
  disabled: Date | null
  respectsDoNotTrack: boolean | null
  clickParameter: string | null
}

export function shortLink(row: LinkRow, read: number): ShortLink {
  const { account, id, disabled, respectsDoNotTrack, clickParameter } = row
  const destination = destinationOf(row.longUrl, row.params)
  const { location, tail } = clickParameter ? withPlace(destination, clickParameter) : { location: destination }
  return {
    account,
    id,
    location,
    tail,
    disabled: disabled !== null,
    respectsDoNotTrack: respectsDoNotTrack ?? true,
    read,
  }
}

/** Taking an address apart costs more than looking it up; most have no query, and many links have the same parameters. */
function destinationOf(longUrl: string, params: string): string {
  return plainUrl.test(longUrl) ? longUrl + queryOf(params) : finalUrl(longUrl, JSON.parse(params))
}

/** Nothing in it that would be encoded, resolved or left out, and no query or fragment. */
const plainUrl = /^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]*[a-z][a-z0-9-]*)+\/([\w~-][\w.~-]*\/)*([\w~-][\w.~-]*)?$/
const queries = new Map<string, string>()
const queriesRemembered = 10_000

function queryOf(params: string): string {
  const known = queries.get(params)
  if (known !== undefined) return known
  const base = 'https://example.com/'
  const query = finalUrl(base, JSON.parse(params)).slice(base.length)
  if (queries.size >= queriesRemembered) queries.clear()
  queries.set(params, query)
  return query
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
