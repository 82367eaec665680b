import type { Clock } from '#kernel/clock.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Network } from '../manifests.ts'
import type { Meter } from './budget.ts'
import { type NetworkManifest, settingName } from './manifest.ts'

/** An app registered with a network, and the network's hosts. */
export interface NetworkApp {
  clientId: string
  clientSecret: string
  apiVersion: string
  /** By role: `api`, `login`, `upload`…; each may have a path. Requests go to these hosts only. */
  hosts: { readonly [role: string]: string }
  /** Scopes set by the operator. */
  scopes?: readonly string[] | undefined
  /** Values of the network's own settings: a tier, a mode, a second key. */
  options: { readonly [name: string]: string | undefined }
}

/** Dependencies of a connector. */
export interface NetworkInstallation {
  outbound: Outbound
  clock: Clock
  /** Version of this service, sent in the user agent. */
  version?: string | undefined
  /** Receives the usage of rate limits after each response that reports it. */
  report?: ((usage: Usage) => void) | undefined
  /** Requests aren't counted without one. */
  meter?: Meter | undefined
}

export interface Usage {
  network: Network
  scope: 'app' | 'actor' | 'endpoint'
  /** The profile, endpoint or budget that the limit applies to. */
  of: string
  used: number
  /** Reset time, if reported. */
  until?: Date | undefined
}

/** How to register an app with a network. Separate from the manifests, which are also loaded by browsers. */
export interface AppSetup {
  /** Known API versions by name. */
  versions: { readonly [version: string]: ApiVersion }
  /** What each scope is used for. */
  scopeUses: { readonly [scope: string]: string }
  /** Review required before people outside the app's own team can connect. */
  review: string
}

export interface ApiVersion {
  /** First day without the version, YYYY-MM-DD; undefined while no end is announced. */
  ends?: string
  /** Not announced; derived from the lifetime of earlier versions. */
  isEstimate?: true
  source: string
}

/** `undated`: no announced end; `unknown`: not listed in the setup. */
export type VersionState = 'current' | 'ending' | 'ended' | 'undated' | 'unknown'

export interface VersionStatus {
  version: string
  state: VersionState
  ends?: Date | undefined
  isEstimate: boolean
  source: string
  /** Environment variable that selects the version. */
  setting: string
}

const day = 86_400_000
/** How long before a version's end operators are warned. */
const warningDays = 90

export function versionStatus(
  manifest: Pick<NetworkManifest, 'code'>,
  { versions }: Pick<AppSetup, 'versions'>,
  version: string,
  now: Date,
): VersionStatus {
  const setting = settingName(manifest, 'apiVersion')
  const known = Object.hasOwn(versions, version) ? versions[version] : undefined
  if (!known) return { version, state: 'unknown', isEstimate: false, source: '', setting }
  const { ends: last, isEstimate = false, source } = known
  if (last === undefined) return { version, state: 'undated', isEstimate, source, setting }
  const ends = new Date(`${last}T00:00:00Z`)
  const left = ends.getTime() - now.getTime()
  const state = left <= 0 ? 'ended' : left <= warningDays * day ? 'ending' : 'current'
  return { version, state, ends, isEstimate, source, setting }
}

/** Warning for operators about a version that ends soon or has ended; undefined otherwise. */
export function versionWarning(name: string, { version, state, ends, isEstimate, setting }: VersionStatus) {
  if (!ends || (state !== 'ending' && state !== 'ended')) return undefined
  const on = `${isEstimate ? 'about ' : ''}${ends.toISOString().slice(0, 10)}`
  const what = state === 'ended' ? `ended ${isEstimate ? on : `on ${on}`}` : `ends ${isEstimate ? on : `on ${on}`}`
  return `Version ${version} of the ${name} API ${what}. Update Chorus, or set ${setting} to a newer version.`
}
