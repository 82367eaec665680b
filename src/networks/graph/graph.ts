import type { ApiVersion } from '../connector/app-setup.ts'
import type { PermanentReason } from '../connector/fault.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { Network } from '../manifests.ts'
import type { Json } from '../wire/json.ts'

/** What a code says should be done; throttles without hours last as long as the network says, or one hour. */
export type Meaning =
  | { kind: 'retryable' }
  | { kind: 'token'; remedy: 'reconnect' }
  | { kind: 'throttled'; scope: 'app' | 'actor' | 'endpoint'; hours?: number }
  | { kind: 'duplicate' }
  | { kind: 'permanent'; why: PermanentReason; field?: string }

/** A row speaks of codes or of subcodes; subcodes are asked first, because they say more. */
export interface MeaningRow {
  codes?: readonly number[]
  subcodes?: readonly number[]
  meaning: Meaning
}

export const retryable: Meaning = { kind: 'retryable' }
export const reconnect: Meaning = { kind: 'token', remedy: 'reconnect' }
export const never = (why: PermanentReason, field?: string): Meaning => ({
  kind: 'permanent',
  why,
  ...(field !== undefined && { field }),
})
export const wait = (scope: 'app' | 'actor' | 'endpoint', hours?: number): Meaning => ({
  kind: 'throttled',
  scope,
  ...(hours !== undefined && { hours }),
})
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Meta's codes, for Facebook and Instagram alike. Subcodes of seven digits are partly second-hand; some arrive as codes. */
export const graphMeanings: readonly MeaningRow[] = [
  { codes: [102, 190], meaning: reconnect },
  { codes: [3, 10, ...range(200, 299)], meaning: never('permission') },
  { codes: [1, 2], meaning: retryable },
  { codes: [4, 341], meaning: wait('app') },
  { codes: [17, 32, ...range(80000, 80014)], meaning: wait('actor') },
  { codes: [613], meaning: wait('endpoint') },
  { codes: [368], meaning: wait('actor', 24) },
  { codes: [506], meaning: { kind: 'duplicate' } },
  { codes: [352, 6000], meaning: never('input', 'media') },
  { codes: [6001], meaning: retryable },
  { codes: [100], meaning: never('input') },
  { codes: [803], meaning: never('gone') },
  { codes: [101, 104, 2500], meaning: never('config') },
  { subcodes: [33], meaning: never('gone') },
  { subcodes: [1366051], meaning: { kind: 'duplicate' } },
  { subcodes: [1390008], meaning: wait('actor') },
  { subcodes: [1609005, 1609008, 2061006], meaning: never('input', 'link') },
  { subcodes: [1366046], meaning: never('input', 'media') },
  { subcodes: [1346003, 1404102], meaning: never('policy') },
  { subcodes: [1404006, 1404078, 1404112, 4854002], meaning: reconnect },
  { subcodes: [1363047, 1609010], meaning: retryable },
  { subcodes: [1363037], meaning: retryable },
  { subcodes: [2018278], meaning: never('policy') },
  // The page may not send messages for a while.
  { subcodes: [1893063], meaning: wait('actor', 24) },
  { subcodes: [2018001], meaning: never('gone') },
]

/** Meta's Graph API, as Facebook and Instagram speak it. */
export interface Graph {
  network: Network
  app: NetworkApp
  installation: NetworkInstallation
  meanings: readonly MeaningRow[]
  /** Whether calls prove that they come from the app; graph.instagram.com knows no such proof. */
  hasProof: boolean
}

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

const source = 'https://developers.facebook.com/docs/graph-api/changelog/versions/, read November 2026'

/** Versions of the Graph API. Meta ends one two years after the release of the next. */
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
