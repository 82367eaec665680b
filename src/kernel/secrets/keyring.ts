import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { invalid } from '../errors.ts'

/** Encrypts secrets at rest with the newest key, and decrypts with any of its keys. */
export interface Keyring {
  /** The id of the key it encrypts with. */
  readonly newest: string
  /** `place` identifies the table cell and is authenticated, so that a copied ciphertext can't be decrypted elsewhere. */
  encrypt(text: string, context: string): string
  decrypt(sealed: string, context: string): string
  /** Derives a secret for one purpose, the same in all processes; it changes when a newer key is added. */
  derive(purpose: string): Buffer
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** How long a newly added key may go unnoticed by other processes; key rotation waits longer than this. */
export const noticeWithin = 1000

/**
 * Parses `id:base64` entries separated by commas, newest first. With `reload`, a key that is added while the process runs is found:
 * immediately for decryption, within a second for encryption.
 */
export function readKeyring(text: string, reload?: () => string): Keyring {
  let keys = readKeys(text)
  let readAt = performance.now()
  let missed = { id: '', at: 0 }
  const readAgain = () => {
    readAt = performance.now()
    try {
      if (reload) keys = readKeys(reload())
    } catch {
      // A temporary read error must not discard the known keys.
    }
  }
  const newest = () => {
    if (performance.now() - readAt >= noticeWithin) readAgain()
    return [...keys][0] as [id: string, key: Buffer]
  }
  const find = (id: string) => {
    const known = keys.get(id)
    // Limits repeated lookups of a key that no longer exists.
    if (known || (missed.id === id && performance.now() - missed.at < noticeWithin)) return known
    readAgain()
    if (!keys.has(id)) missed = { id, at: performance.now() }
    return keys.get(id)
  }
  return {
    get newest() {
      return newest()[0]
    },
    encrypt(secret, context) {
      const [id, key] = newest()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1:${id}:${sealed.toString('base64url')}`
    },
    derive: (purpose) => createHmac('sha256', newest()[1]).update(purpose).digest(),
    decrypt(sealed, context) {
      const [version, id = '', encoded = ''] = sealed.split(':')
      const key = version === 'v1' ? find(id) : undefined
      if (!key) throw new Error(`The keyring has no key "${id}". Add it to CHORUS_SECRET_KEYS.`)
      const bytes = Buffer.from(encoded, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
    },
  }
}

/** The id of the key that encrypted this text. */
export const keyOf = (sealed: string) => sealed.split(':')[1] ?? ''

/** The key ids of a keyring's text, newest first. */
export const keyIds = (text: string) => [...readKeys(text).keys()]

/** The text of a keyring with one new key. */
export const newKeyring = () => `k${randomBytes(3).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`

function readKeys(text: string): Map<string, Buffer> {
  return new Map(text.split(',').map(readKey))
}

function readKey(entry: string): [id: string, key: Buffer] {
  const [id = '', encoded = ''] = entry.trim().split(':')
  const key = Buffer.from(encoded, 'base64')
  if (!/^[\w-]{1,32}$/.test(id) || key.length !== keyBytes) {
    throw new Error('Each key is written id:base64, with 32 random bytes in base64, e.g. from: openssl rand -base64 32')
  }
  return [id, key]
}

/** The recipient of a stored secret: server, port, transport security, user name; by parameter name. */
export type SecretTarget = { readonly [parameter: string]: string | number | boolean | undefined }

/**
 * Refuses to keep a stored secret while its target changes: a user who may edit settings but doesn't know the secret could otherwise have
 * it sent to their own server. Call it wherever an update omits a secret or sends its mask back.
 */
export function refuseKeptSecret(secret: string, before: SecretTarget, after: SecretTarget) {
  const changed = Object.keys({ ...before, ...after }).find((name) => before[name] !== after[name])
  if (changed !== undefined) throw invalid(`${secret} must be given again because ${changed} changes.`)
}
