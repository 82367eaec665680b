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
