import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { type Store, StoredFileMissing } from '#kernel/storage/store.ts'

interface Content {
  digest: string
  bytes: number
}

/** Reserved content: counts as used, and isn't removed. */
export interface Held extends Content {
  holdId: string
}

/** Storage key; accounts share nothing, not even equal files. */
export const keyOf = (accountId: string, digest: string) => `${accountId}/${digest}`

/** Reserves content about to be stored. It counts as used until it is kept, or for a day after a crash. */
export async function hold({ db, accountId, now }: Context, { digest, bytes }: Content): Promise<Held> {
  const counted = await db
    .insertInto('storedFiles')
    .values({ accountId, digest, bytes, uses: 1 })
    .onConflict((on) =>
      on
        .columns(['accountId', 'digest'])
        .doUpdateSet({ uses: sql`stored_files.uses + 1` })
        .where('storedFiles.removing', '=', sql.lit(false)),
    )
    .returning('digest')
    .executeTakeFirst()
  if (!counted) throw conflict('The same file is just being deleted elsewhere. Try again in a moment.')
  const holdId = randomUUID()
  await db.insertInto('fileHolds').values({ accountId, id: holdId, digest, created: now }).execute()
  return { digest, bytes, holdId }
}

/** Turns a reservation of stored content into a use by one asset or rendition. */
export async function keep(context: Context, held: Held) {
  if (!(await endHold(context, held))) throw conflict('The file was too long on its way. Try again.')
}

/** Drops a reservation. */
export async function release(context: Context, held: Held) {
  if (await endHold(context, held)) await letGo(context, [held.digest])
}

/** False if it was dropped meanwhile. */
async function endHold({ db, accountId }: Context, { holdId }: Held): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('fileHolds')
    .where('accountId', '=', accountId)
    .where('id', '=', holdId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const day = 24 * 60 * 60 * 1000

/** Drops expired reservations. */
export async function releaseOldHolds(context: Context) {
  const { db, accountId, now } = context
  const old = await db
    .deleteFrom('fileHolds')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - day))
    .returning('digest')
    .execute()
  await letGo(
    context,
    old.map(({ digest }) => digest),
  )
}

export const removeFile = { name: 'media.remove-file', queue: 'housekeeping' } as const

/** Decrements the use of each content; unused content is removed after commit. */
export async function letGo(context: Context, digests: readonly string[]) {
  const { db, accountId } = context
  for (const digest of digests) {
    const left = await db
      .updateTable('storedFiles')
      .set(({ eb }) => ({ uses: eb('uses', '-', 1) }))
      .where('accountId', '=', accountId)
      .where('digest', '=', digest)
      .returning('uses')
      .executeTakeFirst()
    if (left?.uses === 0) await removeContent(context, digest)
  }
}

/** Only if still unused then. */
const removeContent = (context: Context, digest: string) => {
  const { accountId } = context
  return enqueue(context, removeFile, { accountId, digest }, { key: `${accountId}/${digest}` })
}

interface ContentClaim {
  digest: string
  bytes: number
}

/** The stored bytes differ from what was stored. */
class DamagedFile extends Error {
  override name = 'DamagedFile'
}

/** Whether the bytes themselves are damaged, as opposed to access failing. */
export const isDamage = (error: unknown) => error instanceof DamagedFile || error instanceof StoredFileMissing

/** Streams a file and withholds its last chunk until the digest matches: a complete response is a correct one. */
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

/** Why a file differs from this content; undefined if it doesn't. */
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

/** Larger files are checked by size only before they are sent. */
const readThrough = 32 * 2 ** 20

/** Rejects a missing or damaged file. */
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

interface Served {
  accountId: string
  id: string
  token: string
  name: string
}

/** 144 random bits. */
export const newToken = () => randomBytes(18).toString('base64url')

/** Public URL of an asset; its name is informational. */
export const addressOf = (publicUrl: string, { accountId, id, token, name }: Served) =>
  `${publicUrl}/media/${accountId}/${id}/${token}/${encodeURIComponent(name)}`

/** URL of a thumbnail; videos have none. */
export const previewOf = (_publicUrl: string, _asset: Served & { type: string }): string | null => null
