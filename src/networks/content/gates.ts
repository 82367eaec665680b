import type { Capabilities, Capability, Content, Feature, Gate } from './content.ts'

/** Features that require one of these permissions. */
export interface PermissionGate {
  anyOf: readonly string[]
  features: readonly Feature[]
  gated: string
}

/** Capabilities of a profile with these scopes. Profiles connected before scopes were stored have none, and count as allowed. */
export function withPermissions(
  capabilities: Capabilities,
  scopes: readonly string[],
  gates: readonly PermissionGate[],
): Capabilities {
  if (scopes.length === 0) return capabilities
  const missing = gates.filter(({ anyOf }) => !anyOf.some((scope) => scopes.includes(scope)))
  const closed = missing.flatMap(({ features, gated }) =>
    features.filter((feature) => capabilities[feature] !== 'no').map((feature) => [feature, { gated }] as const),
  )
  return { ...capabilities, ...Object.fromEntries(closed) }
}

export const postFeatures = ['text', 'link', 'image', 'multiImage', 'video', 'document'] as const

/** Features a profile needs to publish this. */
export function featuresOf({
  media,
  link,
  reshareOf,
  audience,
}: Pick<Content, 'link' | 'reshareOf' | 'audience'> & Files) {
  const kind =
    reshareOf === undefined
      ? kindOf(
          media.map(({ mime }) => mime),
          link !== undefined,
        )
      : 'reshare'
  const isChosen = Object.values(audience ?? {}).some((values) => values && values.length > 0)
  return isChosen ? [kind, 'audience' as const] : [kind]
}

interface Files {
  media: readonly { mime: string }[]
}

function kindOf(mimes: readonly string[], hasLink: boolean): Feature {
  if (mimes.some((mime) => mime.startsWith('video/'))) return 'video'
  if (mimes.includes('application/pdf')) return 'document'
  if (mimes.length > 0) return mimes.length > 1 ? 'multiImage' : 'image'
  return hasLink ? 'link' : 'text'
}

/** Why a feature is unavailable now; undefined if it is available, or not offered at all. */
export const gateOf = (can: Capability): Gate | undefined => (typeof can === 'object' ? can : undefined)
