import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { Refusal } from './errors.ts'
import { openFairSemaphore } from './fair-semaphore.ts'
import { kernelIds, newId } from './ids.ts'
import type { Installation } from './installation.ts'
import { UnusableFile } from './media-inspector/inspection.ts'
import { OutboundFailure } from './outbound/failure.ts'
import { StoredFileMissing } from './storage/store.ts'

export interface PictureSource {
  accountId: string
  /** Unique key: a URL or the digest of a file. */
  key: string
  /** Opens the bytes for a single read; rejects with a message if there are none. */
  open(): Promise<AsyncIterable<Uint8Array>>
}

export interface PictureSize {
  width: number
  /** Set if the content behind the key never changes. */
  lasts?: boolean
}

/** Thumbnails, re-encoded from the source so that no bytes of a third-party file reach a browser. */
export interface Pictures {
  /** A WebP image; undefined if none can be made. */
  get(source: PictureSource, size: PictureSize): Promise<Buffer | undefined>
  /** The bytes behind a user-supplied URL. */
  from(url: string): () => Promise<AsyncIterable<Uint8Array>>
}

const hour = 60 * 60 * 1000
const day = 24 * hour
/** External pictures change now and then; failed ones are retried sooner. */
const fresh = { made: 7 * day, none: hour }
const keptFor = 30 * day
const patienceMs = 15_000
const largest = { fetched: 5 * 1024 * 1024, read: 64 * 1024 * 1024 }

type PictureInstallation = Pick<Installation, 'database' | 'files' | 'outbound' | 'clock'>

export function openPictures({ database, files, outbound, clock }: PictureInstallation): Pictures {
  const inProgress = new Map<string, Promise<Buffer | undefined>>()
  // Few per account at a time: external servers may be slow.
  const slots = openFairSemaphore({ slots: 16, share: 4 })

  const make = async (source: PictureSource, width: number): Promise<Buffer | undefined> => {
    const id = newId(kernelIds.picture, clock.now())
    const { accountId } = source
    await slots.take(accountId, { patienceMs }).catch(() => {
      throw new Refusal('unavailable', 'Too many pictures are being fetched. Try again in a moment.', { retryAfter: 5 })
    })
    try {
      await files.spool.append(id, 0, await source.open(), largest.read)
      const { kind } = await files.inspector.probe(accountId, files.spool.path(id))
      return kind === 'image' ? await files.inspector.preview(accountId, files.spool.path(id), width) : undefined
    } catch (error) {
      if (isTheirs(error)) return undefined
      throw error
    } finally {
      slots.release(accountId)
      await files.spool.remove(id)
    }
  }
  const find = (accountId: string, digest: Buffer) =>
    database
      .forAccount(accountId)
      .selectFrom('pictures')
      .select(['content', 'fetched'])
      .where('accountId', '=', accountId)
      .where('digest', '=', digest)
      .executeTakeFirst()
  const keep = async (accountId: string, digest: Buffer, made: Buffer | undefined, before: Buffer | null) => {
    const now = clock.now()
    // The previous picture is kept while its source can't be reached.
    const content = made ?? before
    const db = database.forAccount(accountId)
    await sql`
      insert into pictures (account_id, digest, fetched, content) values (${accountId}, ${digest}, ${now}, ${content})
      on conflict (account_id, digest) do update set fetched = excluded.fetched, content = excluded.content`.execute(db)
    const old = new Date(now.getTime() - keptFor)
    await sql`delete from pictures where account_id = ${accountId} and fetched < ${old}`.execute(db)
    return content ?? undefined
  }

  return {
    async get(source, { width, lasts = false }) {
      const { accountId, key } = source
      const digest = createHash('sha256').update(`${width} ${key}`).digest()
      const known = await find(accountId, digest)
      const age = known ? clock.now().getTime() - known.fetched.getTime() : Number.POSITIVE_INFINITY
      if (known?.content && (lasts || age < fresh.made)) return known.content
      if (known && !known.content && age < fresh.none) return undefined
      const task = `${accountId} ${digest.toString('hex')}`
      const making =
        inProgress.get(task) ??
        make(source, width)
          .then((made) => keep(accountId, digest, made, known?.content ?? null))
          .finally(() => inProgress.delete(task))
      inProgress.set(task, making)
      return making
    },
    from: (url) => async () => {
      const request = { method: 'GET' as const, url, redirects: 3, maximumBytes: largest.fetched, timeoutMs: 10_000 }
      const { status, body } = await outbound.stream(request)
      if (status !== 200) throw new UnusableFile(`The server answered ${status} instead of the image.`)
      return body
    },
  }
}

/** Caused by the picture or its server, not by this service. */
const isTheirs = (error: unknown) =>
  error instanceof UnusableFile || error instanceof OutboundFailure || error instanceof StoredFileMissing
