import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts secrets at rest: with the newest key, and reads what any of its keys wrote. */
export interface Keyring {
  /** `place` names the cell the text is kept in, so that a stolen cell cannot be put somewhere else. */
  encrypt(text: string, place: string): string
  decrypt(sealed: string, place: string): string
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** `id:base64` entries separated by commas, the newest first. */
export function readKeyring(text: string): Keyring {
  const keys = new Map(text.split(',').map(readKey))
  const [newest] = keys
  if (!newest) throw new Error('A keyring holds at least one key.')
  return {
    encrypt(secret, place) {
      const [id, key] = newest
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1:${id}:${sealed.toString('base64url')}`
    },
    decrypt(sealed, place) {
      const [version, id = '', encoded = ''] = sealed.split(':')
      const key = keys.get(id)
      if (version !== 'v1' || !key) throw new Error(`The keyring has no key "${id}". Add it to CHORUS_SECRET_KEYS.`)
      const bytes = Buffer.from(encoded, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
    },
  }
}

/** The text of a keyring with one new key. */
export const newKeyring = () => `k${randomBytes(3).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`

function readKey(entry: string): [id: string, key: Buffer] {
  const [id = '', encoded = ''] = entry.trim().split(':')
  const key = Buffer.from(encoded, 'base64')
  if (!/^[\w-]{1,32}$/.test(id) || key.length !== keyBytes) {
    throw new Error('Each key is written id:base64, with 32 random bytes in base64, e.g. from: openssl rand -base64 32')
  }
  return [id, key]
}
