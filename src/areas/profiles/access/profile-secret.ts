import type { Keyring } from '#kernel/secrets/keyring.ts'
import type { Secret } from '#networks/connector/actor.ts'

interface Place {
  accountId: string
  id: string
}

export const sealSecret = (keyring: Keyring, profile: Place, secret: Secret) =>
  keyring.encrypt(JSON.stringify(secret), placeOf(profile))

export function openSecret(keyring: Keyring, profile: Place, sealed: string): Secret {
  const { expiresAt, refreshExpiresAt, ...rest } = JSON.parse(keyring.decrypt(sealed, placeOf(profile)))
  return { ...rest, expiresAt: moment(expiresAt), refreshExpiresAt: moment(refreshExpiresAt) }
}

/** A secret copied to another profile's row cannot be read there. */
export const placeOf = ({ accountId, id }: Place) => `credential/${accountId}/${id}`

/** The new one; what it does not bring along is kept from the one before. A good secret is never lost to an empty one. */
export function mergedSecret(before: Secret | undefined, now: Secret): Secret {
  if (!now.accessToken) throw new Error('The network gave no access token.')
  const keepsRefresh = !now.refreshToken && before?.refreshToken !== undefined
  return {
    ...now,
    refreshToken: keepsRefresh ? before.refreshToken : now.refreshToken,
    refreshExpiresAt: keepsRefresh ? before.refreshExpiresAt : now.refreshExpiresAt,
    scopes: now.scopes.length > 0 ? now.scopes : (before?.scopes ?? []),
  }
}

/** Until when the profile works without a person. */
export const endOf = ({ refreshToken, expiresAt, refreshExpiresAt }: Secret): Date | null =>
  (refreshToken ? refreshExpiresAt : expiresAt) ?? null

/** Long-lived tokens are renewed at half their life, whether they are used or not; short ones when they are needed. */
export function renewalOf({ expiresAt }: Secret, now: Date): Date | null {
  const life = expiresAt ? expiresAt.getTime() - now.getTime() : 0
  return life > 2 * day ? new Date(now.getTime() + life / 2) : null
}

const day = 24 * 60 * 60 * 1000

const moment = (text: unknown) => (typeof text === 'string' ? new Date(text) : undefined)
