import { randomBytes } from 'node:crypto'
import { keyDigest } from '#kernel/identities.ts'
import { isId } from '#kernel/ids.ts'

/** What a browser or a link carries to prove something: the account, and 256 random bits of which only a digest is kept. */
export function newToken(accountId: string): { token: string; digest: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { token: `${accountId}.${secret}`, digest: keyDigest(secret) }
}

/** Nothing where the text cannot be a token. */
export function readToken(text: string): { accountId: string; digest: Buffer } | undefined {
  const [accountId = '', secret = '', ...more] = text.split('.', 3)
  if (more.length > 0 || !isId('account', accountId) || !/^[\w-]{43}$/.test(secret)) return undefined
  return { accountId, digest: keyDigest(secret) }
}
