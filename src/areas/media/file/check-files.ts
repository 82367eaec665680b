import type { Database, Db } from '#kernel/database/database.ts'
import type { Store } from '#kernel/storage/store.ts'
import { damageOf, keyOf } from './stored-file.ts'

interface CheckInstallation {
  database: Database
  store: Store
}

export interface CheckedFile {
  bytes: number
  /** The problem, and the affected assets. */
  damage?: { problem: string; digest: string; mediaIds: string[] }
}

const pageSize = 500

/** Verifies every file of an account, one after another. */
export async function* checkFiles(
  { database, store }: CheckInstallation,
  accountId: string,
): AsyncGenerator<CheckedFile> {
  const db = database.forAccount(accountId)
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('storedFiles')
      .select(['digest', 'bytes'])
      .where('accountId', '=', accountId)
      .where('digest', '>', after)
      .where('uses', '>', 0)
      .orderBy('digest')
      .limit(pageSize)
      .execute()
    for (const { digest, bytes } of page) {
      const problem = await damageOf(store, accountId, { digest, bytes })
      // Deleted meanwhile.
      const mediaIds = problem ? await usersOf(db, accountId, digest) : []
      yield { bytes, ...(problem && mediaIds.length > 0 && { damage: { problem, digest, mediaIds } }) }
    }
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.digest
  }
}

/** Number and total size of the files to check. */
export async function countFiles(
  { database }: CheckInstallation,
  accountId: string,
): Promise<{ files: number; bytes: number }> {
  const { files, bytes } = await database
    .forAccount(accountId)
    .selectFrom('storedFiles')
    .select(({ fn }) => [fn.countAll<number>().as('files'), fn.sum<number>('bytes').as('bytes')])
    .where('accountId', '=', accountId)
    .where('uses', '>', 0)
    .executeTakeFirstOrThrow()
  return { files: Number(files), bytes: Number(bytes ?? 0) }
}

/** Stored files without a row, including files being uploaded. */
export async function* unreferencedFiles(
  { database, store }: CheckInstallation,
  accountId?: string,
  /** Key prefixes of other areas. */
  others: readonly string[] = [],
): AsyncGenerator<string> {
  const known = async (keys: readonly string[]) => {
    const found = new Set<string>()
    for (const [account, digests] of byAccount(keys)) {
      const rows = await database
        .forAccount(account)
        .selectFrom('storedFiles')
        .select('digest')
        .where('accountId', '=', account)
        .where('digest', 'in', digests)
        .execute()
      for (const { digest } of rows) found.add(keyOf(account, digest))
    }
    return keys.filter((key) => !found.has(key))
  }
  let batch: string[] = []
  for await (const key of store.list()) {
    if (accountId && !key.startsWith(`${accountId}/`)) continue
    if (others.some((beginning) => key.startsWith(beginning))) continue
    batch.push(key)
    if (batch.length < pageSize) continue
    yield* await known(batch)
    batch = []
  }
  yield* await known(batch)
}

function byAccount(keys: readonly string[]): Map<string, string[]> {
  const accounts = new Map<string, string[]>()
  for (const key of keys) {
    const [account = '', digest = ''] = key.split('/')
    accounts.set(account, [...(accounts.get(account) ?? []), digest])
  }
  return accounts
}

/** Assets with this content or with a rendition of it. */
async function usersOf(db: Db, accountId: string, digest: string): Promise<string[]> {
  const assets = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('digest', '=', digest)
    .execute()
  const renditions = await db
    .selectFrom('mediaRenditions')
    .select('mediaId as id')
    .where('accountId', '=', accountId)
    .where('digest', '=', digest)
    .execute()
  return [...new Set([...assets, ...renditions].map(({ id }) => id))].sort()
}
