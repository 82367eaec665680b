import { randomBytes } from 'node:crypto'
import type { Keyring } from '#kernel/secrets/keyring.ts'

interface Place {
  accountId: string
  id: string
}

/** The form of the Standard Webhooks: receivers with the older rule use the whole text as their key. */
export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

export const sealSecret = (keyring: Keyring, webhook: Place, secret: string) =>
  keyring.encrypt(secret, placeOf(webhook))

export const openSecret = (keyring: Keyring, webhook: Place, sealed: string) =>
  keyring.decrypt(sealed, placeOf(webhook))

/** A secret copied to another webhook's row cannot be read there. */
export const placeOf = ({ accountId, id }: Place) => `webhook/${accountId}/${id}`
