import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { systemClock } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import type { Step } from '#kernel/external-io.ts'
import type { Files } from '#kernel/installation.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { agreeing, type Inspection, UnusableFile } from '#kernel/media-inspector/inspection.ts'
import { moveFromSpool } from '#kernel/storage/spool.ts'
import { type Store, StoredFileMissing } from '#kernel/storage/store.ts'

interface Content {
  digest: string
  bytes: number
}

/** Reserved content: counts as used, and isn't removed. */
export interface Held extends Content {
  holdId: string
}

/** A complete, valid and stored file. */
export interface InspectedFile extends Held {
  probe: Inspection
}

/** Storage key; accounts share nothing, not even equal files. */
export const keyOf = (accountId: string, digest: string) => `${accountId}/${digest}`

/** Inspects a spooled file and stores it; rejects unusable files. */
export async function storeSpooled(
  { spool, store, inspector }: Files,
  step: Step,
  { accountId, id, claimed }: { accountId: string; id: string; claimed?: string },
): Promise<InspectedFile> {
  const bytes = await spool.size(id)
  if (bytes === 0) throw new UnusableFile('The file is empty.')
  const probe = await inspector.probe(accountId, spool.path(id))
  if (claimed && !agreeing(claimed, probe.mime))
    throw new UnusableFile(`The file is ${formatNames[probe.mime]}, not ${claimed} as was said.`)
  const digest = await spool.digest(id)
  const held = await step((context) => hold(context, { digest, bytes }))
  await moveFromSpool(store, spool, id, keyOf(accountId, digest), probe.mime)
  return { ...held, probe }
}

const formatNames: { [mime in Inspection['mime']]: string } = {
  'image/jpeg': 'a JPEG image',
  'image/png': 'a PNG image',
  'image/gif': 'a GIF image',
  'video/mp4': 'an MP4 video',
  'application/pdf': 'a PDF',
}

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
  await db.insertInto('fileReservations').values({ accountId, id: holdId, digest, created: now }).execute()
  return { digest, bytes, holdId }
}

/** Turns a reservation of stored content into a use by one asset or rendition. */
export async function keep(context: Context, held: Held) {
  if (!(await endHold(context, held))) throw conflict('The file was too long on its way. Try again.')
}

/** Drops a reservation. */
export async function release(context: Context, held: Held) {
  if (await endHold(context, held)) await dropUses(context, [held.digest])
}

/** False if it was dropped meanwhile. */
async function endHold({ db, accountId }: Context, { holdId }: Held): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('fileReservations')
    .where('accountId', '=', accountId)
    .where('id', '=', holdId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Drops reservations of crashed processes. */
export const releaseHoldsJob = job<Record<string, never>>('media.release-holds', {
  queue: 'housekeeping',
  timeout: 600_000,
  async run({ shared, transaction, signal }) {
    const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
    for (const { id } of rows) {
      if (signal.aborted) return
      await transaction(id, releaseOldHolds)
    }
  },
})

const day = 24 * 60 * 60 * 1000

async function releaseOldHolds(context: Context) {
  const { db, accountId, now } = context
  const old = await db
    .deleteFrom('fileReservations')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - day))
    .returning('digest')
    .execute()
  await dropUses(
    context,
    old.map(({ digest }) => digest),
  )
}

const removeFile = { name: 'media.remove-file', queue: 'housekeeping' } as const

/** Decrements the uses of each content; a job removes unused content after commit. */
export async function dropUses(context: Context, digests: readonly string[]) {
  const { db, accountId } = context
  for (const digest of digests) {
    const left = await db
      .updateTable('storedFiles')
      .set(({ eb }) => ({ uses: eb('uses', '-', 1) }))
      .where('accountId', '=', accountId)
      .where('digest', '=', digest)
      .returning('uses')
      .executeTakeFirst()
    if (left?.uses === 0) await enqueue(context, removeFile, { accountId, digest }, { key: `${accountId}/${digest}` })
  }
}

interface Payload {
  accountId: string
  digest: string
}

/** Deletes unused content, unless it is in use again. */
export const removeFileJob = ({ store }: Files): Job<Payload> =>
  job(removeFile.name, {
    ...removeFile,
    async run({ transaction, complete }, { accountId, digest }) {
      const unused = await transaction(accountId, ({ db }) =>
        db
          .updateTable('storedFiles')
          .set({ removing: true })
          .where('accountId', '=', accountId)
          .where('digest', '=', digest)
          .where('uses', '=', 0)
          .returning('digest')
          .executeTakeFirst(),
      )
      if (!unused) return
      await store.remove(keyOf(accountId, digest))
      await complete(accountId, ({ db }) =>
        db
          .deleteFrom('storedFiles')
          .where('accountId', '=', accountId)
          .where('digest', '=', digest)
          .where('removing', '=', true)
          .execute(),
      )
    },
  })

export const sweepFiles = { name: 'media.sweep-files', queue: 'housekeeping' } as const

/** Deletes incomplete writes, and uploads without progress for a week. */
export const sweepFilesJob = ({ files }: { files: Files }): Job<Record<string, never>> =>
  job(sweepFiles.name, {
    ...sweepFiles,
    timeout: 600_000,
    async run({ signal }) {
      // System time, independent of the service's clock: file times are based on it.
      const now = systemClock.now().getTime()
      await files.store.sweep(new Date(now - day))
      for (const id of await files.spool.stale(new Date(now - 7 * day))) {
        if (signal.aborted) return
        await files.spool.remove(id)
      }
    },
  })

/** Larger files are checked by size only before they are sent. */
const readThrough = 32 * 2 ** 20

/** Rejects a missing or damaged file. */
export async function requireContent(
  store: Store,
  asset: { accountId: string; id: string; name: string },
  content: Content,
) {
  const { accountId, id, name } = asset
  const isSmall = content.bytes <= readThrough
  const isIntact = isSmall
    ? (await damageOf(store, accountId, content)) === undefined
    : (await store.size(keyOf(accountId, content.digest))) === content.bytes
  if (isIntact) return
  throw conflict(
    `The file of "${name}" (${id}) is damaged or gone in the store of this service. Upload it again and use the new one.`,
  )
}

/** Why a stored file differs from its content; undefined if it doesn't. */
export async function damageOf(store: Store, accountId: string, content: Content): Promise<string | undefined> {
  const { bytes } = content
  const found = await store.size(keyOf(accountId, content.digest))
  if (found === undefined) return 'missing'
  if (found !== bytes) return `has ${found} bytes instead of ${bytes}`
  try {
    for await (const _ of verified(store.read(keyOf(accountId, content.digest)), content));
  } catch (error) {
    if (!isDamage(error)) throw error
    return 'has other content than what was put there'
  }
  return undefined
}

/** Streams a file and withholds its last chunk until the digest matches: a complete response is a correct one. */
export async function* verified(
  source: AsyncIterable<Uint8Array>,
  { digest, bytes }: Content,
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

/** Bytes in memory as a stream. */
export async function* inOneChunk(bytes: Uint8Array) {
  yield bytes
}

/** Whether the bytes themselves are damaged, as opposed to access failing. */
export const isDamage = (error: unknown) => error instanceof DamagedFile || error instanceof StoredFileMissing

/** The stored bytes differ from what was stored. */
class DamagedFile extends Error {
  override name = 'DamagedFile'
}

interface ServedFile {
  accountId: string
  id: string
  token: string
  name: string
}

/** 144 random bits. */
export const newToken = () => randomBytes(18).toString('base64url')

/** Public URL of an asset; its name is informational. */
export const fileUrl = (publicUrl: string, { accountId, id, token, name }: ServedFile) =>
  `${publicUrl}/media/${accountId}/${id}/${token}/${encodeURIComponent(name)}`
