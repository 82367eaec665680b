import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds, type ReferenceKind } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const profileIds = idKinds({ targetingPreset: '0tp', connectOffer: '0co' })

/** Profile ids contain the ids of their accounts. */
export const profileKey: ReferenceKind = {
  name: 'credential',
  prefix: '003-',
  description: 'The id of a social profile (003-…)',
}

export const profileQuotas = quotas({
  profiles: { standard: 2_000, things: 'social profiles', remedy: 'Delete profiles that nobody uses' },
  advocateProfiles: { standard: 200_000, things: 'profiles of advocates', remedy: 'Remove profiles that nobody uses' },
  targetingPresets: { standard: 5_000, things: 'targeting presets', remedy: 'Delete presets that nobody uses' },
})

export const profileChanges = changeKinds('profile')
