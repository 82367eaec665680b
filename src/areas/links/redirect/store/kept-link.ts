import { finalUrl } from '../../link/final-url.ts'
import type { KeptLink } from './link-store.ts'
import { isPlainUrl } from './plain-url.ts'

export interface LinkRow {
  hash: string
  account: string
  link: string
  longUrl: string
  /** As JSON. */
  params: string
  disabled: boolean
}

export const keptLink = ({ account, link, longUrl, params, disabled }: LinkRow): KeptLink => ({
  account,
  id: link,
  location: destinationOf(longUrl, params),
  disabled,
})

/** Taking an address apart costs more than looking it up; most have no query, and many links have the same parameters. */
function destinationOf(longUrl: string, params: string): string {
  return isPlainUrl(longUrl) ? longUrl + queryOf(params) : finalUrl(longUrl, JSON.parse(params))
}

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
