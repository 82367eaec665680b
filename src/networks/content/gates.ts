import type { Content } from './content.ts'
import type { Capabilities, Capability, Feature, Gate } from './limits.ts'

/** What a profile can do only if its login was granted one of these permissions. */
export interface PermissionGate {
  anyOf: readonly string[]
  features: readonly Feature[]
  gated: string
}

/** Capabilities of a profile with these permissions. Profiles that were connected before permissions were kept have none, and count as allowed. */
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

/** Every kind of post. */
export const postFeatures = ['text', 'link', 'image', 'multiImage', 'video', 'document'] as const

/** What a network must let the profile do to publish this. */
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

/** Why something cannot be done now; nothing where it can, or where there is no such thing at all. */
export const gateOf = (can: Capability): Gate | undefined => (typeof can === 'object' ? can : undefined)
