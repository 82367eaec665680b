import { createHmac, timingSafeEqual } from 'node:crypto'

type Bytes = string | Uint8Array

export const hmac = (
  algorithm: 'sha1' | 'sha256',
  key: string,
  encoding: 'hex' | 'base64' | 'base64url',
  ...parts: Bytes[]
) => parts.reduce((made, part) => made.update(part), createHmac(algorithm, key)).digest(encoding)

/** Constant-time comparison. */
export function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const longestChallenge = 256

/**
 * Whether something has the format of a challenge: a short base64 token. X signs challenges and deliveries with one key, so no
 * text may be both: this format is answered in a handshake and rejected as a delivery, and can't be the start of JSON or XML.
 */
export const isChallenge = (content: Bytes): boolean =>
  content.length <= longestChallenge && /^[\w+/=-]+$/.test(Buffer.from(content).toString('utf8'))
