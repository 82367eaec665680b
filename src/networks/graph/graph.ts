import type { PermanentReason } from '../connector/connector.ts'
import type { ApiVersion, NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { composed } from '../content/text-check.ts'
import type { Json } from '../http/json.ts'
import type { Network } from '../manifests.ts'

/** Action for a code; throttles without hours last as long as the network says, or one hour. */
export type ErrorMeaning =
  | { kind: 'retryable' }
  | { kind: 'token'; remedy: 'reconnect' }
  | { kind: 'throttled'; scope: 'app' | 'actor' | 'endpoint'; hours?: number }
  | { kind: 'duplicate' }
  | { kind: 'permanent'; why: PermanentReason; field?: string }

/** A row lists codes or subcodes; subcodes are matched first, being more specific. */
export interface ErrorMeaningRow {
  codes?: readonly number[]
  subcodes?: readonly number[]
  meaning: ErrorMeaning
}

export const retryable: ErrorMeaning = { kind: 'retryable' }
export const reconnect: ErrorMeaning = { kind: 'token', remedy: 'reconnect' }
export const permanent = (why: PermanentReason, field?: string): ErrorMeaning => ({
  kind: 'permanent',
  why,
  ...(field !== undefined && { field }),
})
export const throttle = (scope: 'app' | 'actor' | 'endpoint', hours?: number): ErrorMeaning => ({
  kind: 'throttled',
  scope,
  ...(hours !== undefined && { hours }),
})
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Meta's codes for Facebook and Instagram. Seven-digit subcodes are partly from secondary sources; some arrive as codes. */
export const graphErrors: readonly ErrorMeaningRow[] = [
  { codes: [102, 190], meaning: reconnect },
  { codes: [3, 10, ...range(200, 299)], meaning: permanent('permission') },
  { codes: [1, 2], meaning: retryable },
  { codes: [4, 341], meaning: throttle('app') },
  { codes: [17, 32, ...range(80000, 80014)], meaning: throttle('actor') },
  { codes: [613], meaning: throttle('endpoint') },
  { codes: [368], meaning: throttle('actor', 24) },
  { codes: [506], meaning: { kind: 'duplicate' } },
  { codes: [352, 6000], meaning: permanent('input', 'media') },
  { codes: [6001], meaning: retryable },
  { codes: [100], meaning: permanent('input') },
  { codes: [803], meaning: permanent('gone') },
  { codes: [101, 104, 2500], meaning: permanent('config') },
  { subcodes: [33], meaning: permanent('gone') },
  { subcodes: [1366051], meaning: { kind: 'duplicate' } },
  { subcodes: [1390008], meaning: throttle('actor') },
  { subcodes: [1609005, 1609008, 2061006], meaning: permanent('input', 'link') },
  { subcodes: [1366046], meaning: permanent('input', 'media') },
  { subcodes: [1346003, 1404102], meaning: permanent('policy') },
  { subcodes: [1404006, 1404078, 1404112, 4854002], meaning: reconnect },
  { subcodes: [1363047, 1609010], meaning: retryable },
  { subcodes: [1363037], meaning: retryable },
  { subcodes: [2018278], meaning: permanent('policy') },
  // The page is temporarily blocked from sending messages.
  { subcodes: [1893063], meaning: throttle('actor', 24) },
  { subcodes: [2018001], meaning: permanent('gone') },
]

/** Client of Meta's Graph API for Facebook and Instagram. */
export interface Graph {
  network: Network
  app: NetworkApp
  installation: NetworkInstallation
  errorMeanings: readonly ErrorMeaningRow[]
  /** Whether requests carry an appsecret_proof; graph.instagram.com doesn't support it. */
  hasProof: boolean
}

/** Value at a path in a response; undefined where the path ends early. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  let here = value
  for (const name of path) {
    if (here === null || typeof here !== 'object' || Array.isArray(here)) return undefined
    here = here[name]
  }
  return here
}

/** A string, or a number as a string: ids come as either. */
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

/** Meta writes times as date strings, in seconds, or in milliseconds. */
export function timeAt(value: Json | undefined, ...path: string[]): Date | undefined {
  const found = at(value, ...path)
  const time =
    typeof found === 'number'
      ? new Date(found < 1e11 ? found * 1000 : found)
      : new Date(typeof found === 'string' ? found : '')
  return Number.isNaN(time.getTime()) ? undefined : time
}

const source = 'https://developers.facebook.com/docs/graph-api/changelog/versions/, read November 2026'

/** Graph API versions. Meta ends a version two years after the release of the next one. */
export const graphVersions: { readonly [version: string]: ApiVersion } = {
  'v21.0': { ends: '2027-01-21', source },
  'v22.0': { ends: '2027-05-20', source },
  'v23.0': { ends: '2027-10-08', source },
  'v24.0': { ends: '2028-02-18', source },
  'v25.0': { ends: '2028-07-29', source },
  'v26.0': {
    ends: '2028-07-29',
    isEstimate: true,
    source: `${source}: released on 29 July 2026, no end announced. Meta keeps a version for at least two years`,
  },
}

/** Text as Meta returns it: line breaks normalized, whitespace trimmed. */
const displayedText = (text: string) => composed(text.replace(/\r\n?/g, '\n')).trim()

/** Whether the row has this text and isn't older; allows one minute of clock skew. */
export function hasText(row: Json, names: { text: string; time: string }, text: string, since: Date): boolean {
  return displayedText(textAt(row, names.text) ?? '') === displayedText(text) && isSince(row, names.time, since)
}

export function isSince(row: Json, name: string, since: Date): boolean {
  return (timeAt(row, name)?.getTime() ?? 0) >= since.getTime() - 60_000
}
