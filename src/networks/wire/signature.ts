import { createHmac, timingSafeEqual } from 'node:crypto'

type Bytes = string | Uint8Array

export const hmac = (
  algorithm: 'sha1' | 'sha256',
  key: string,
  encoding: 'hex' | 'base64' | 'base64url',
  ...parts: Bytes[]
) => parts.reduce((made, part) => made.update(part), createHmac(algorithm, key)).digest(encoding)

/** Compares in a time that does not tell how much of it was right. */
export function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const longestChallenge = 256

/**
 * Whether something has the form of a challenge: a short token in the alphabets of base64. X signs challenges and deliveries with one key, so no
 * text may ever be both: what has this form is answered in a handshake and refused as a delivery, and nothing in it can begin JSON or XML.
 */
export const isChallenge = (content: Bytes): boolean =>
  content.length <= longestChallenge && /^[\w+/=-]+$/.test(Buffer.from(content).toString('utf8'))
