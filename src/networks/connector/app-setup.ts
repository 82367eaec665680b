import { type NetworkManifest, settingName } from './manifest.ts'

/** What is known about registering an app with a network. Apart from the manifests, which browsers load as well. */
export interface AppSetup {
  /** The versions of its API that are known, by their name. */
  versions: { readonly [version: string]: ApiVersion }
  /** What each scope is for. */
  scopeUses: { readonly [scope: string]: string }
  /** What has to be applied for before people who do not belong to the app can use it. */
  review: string
}

/** A version of a network's API. */
export interface ApiVersion {
  /** The first day without it, as YYYY-MM-DD; nothing where the network has announced no end. */
  ends?: string
  /** The network has not announced the day; it follows from how long earlier versions lasted. */
  isEstimate?: true
  /** Where that is known from. */
  source: string
}

/** `undated` is a version without an announced end, `unknown` one that the manifest does not know. */
export type VersionState = 'current' | 'ending' | 'ended' | 'undated' | 'unknown'

export interface VersionStatus {
  version: string
  state: VersionState
  ends?: Date | undefined
  isEstimate: boolean
  source: string
  /** The setting that replaces it. */
  setting: string
}

const day = 86_400_000
/** How long before the end of a version operators are warned. */
export const warningDays = 90

/** How long a version of a network's API will last. */
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

/** What an operator has to know about a version that ends soon or has ended; nothing about the others. */
export function versionWarning(name: string, { version, state, ends, isEstimate, setting }: VersionStatus) {
  if (!ends || (state !== 'ending' && state !== 'ended')) return undefined
  const on = `${isEstimate ? 'about ' : ''}${ends.toISOString().slice(0, 10)}`
  const what = state === 'ended' ? `ended ${isEstimate ? on : `on ${on}`}` : `ends ${isEstimate ? on : `on ${on}`}`
  return `Version ${version} of the ${name} API ${what}. Update Chorus, or set ${setting} to a newer version.`
}
