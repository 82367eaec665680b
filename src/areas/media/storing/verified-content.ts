import { createHash } from 'node:crypto'
import { conflict } from '#kernel/errors.ts'
import { type Store, StoredFileMissing } from '#kernel/storage/store.ts'
import { keyOf } from './stored-file.ts'

export interface ContentClaim {
  digest: string
  bytes: number
}

/** What lies in the store is not what was put there. */
export class DamagedFile extends Error {
  override name = 'DamagedFile'
}

/** Whether the bytes themselves are at fault, and not the way to them. */
export const isDamage = (error: unknown) => error instanceof DamagedFile || error instanceof StoredFileMissing

/** Passes a whole file on, the last part of it only when every byte was right: whoever got all of it got the right ones. */
export async function* verified(
  source: AsyncIterable<Uint8Array>,
  { digest, bytes }: ContentClaim,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let seen = 0
  let last: Uint8Array | undefined
  for await (const part of source) {
    if (last) yield last
    hash.update(part)
    seen += part.length
    last = part
  }
  if (seen !== bytes) throw new DamagedFile(`The stored file has ${seen} bytes instead of ${bytes}.`)
  if (hash.digest('hex') !== digest) throw new DamagedFile('The stored file has other content than what was put there.')
  if (last) yield last
}

/** What is wrong about a file that has to have this content; nothing when all is right. */
export async function damageOf(store: Store, accountId: string, claim: ContentClaim): Promise<string | undefined> {
  const { bytes } = claim
  const found = await store.size(keyOf(accountId, claim.digest))
  if (found === undefined) return 'missing'
  if (found !== bytes) return `has ${found} bytes instead of ${bytes}`
  try {
    for await (const _ of verified(store.read(keyOf(accountId, claim.digest)), claim));
  } catch (error) {
    if (!isDamage(error)) throw error
    return 'has other content than what was put there'
  }
  return undefined
}

/** Larger files are not read through before they are sent: only their size is looked at. */
const readThrough = 32 * 2 ** 20

/** Refuses, for whoever is about to use it, a file that is not there as it was put there. */
export async function requireContent(
  store: Store,
  asset: { accountId: string; id: string; name: string },
  claim: ContentClaim,
) {
  const { accountId, id, name } = asset
  const isSmall = claim.bytes <= readThrough
  const right = isSmall
    ? (await damageOf(store, accountId, claim)) === undefined
    : (await store.size(keyOf(accountId, claim.digest))) === claim.bytes
  if (right) return
  throw conflict(
    `The file of "${name}" (${id}) is damaged or gone in the store of this service. Upload it again and use the new one.`,
  )
}
