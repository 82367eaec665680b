import type { Database, Db } from '#kernel/database/database.ts'
import type { Store } from '#kernel/storage/store.ts'
import { damageOf, keyOf } from './stored-file.ts'

interface CheckInstallation {
  database: Database
  store: Store
}

export interface CheckedFile {
  bytes: number
  /** What is wrong, and whose it is. */
  damage?: { problem: string; digest: string; mediaIds: string[] }
}

const pageSize = 500

/** Reads through every file an account counts on, one after the other. */
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
      // Deleted while it was being read, it is no loss.
      const mediaIds = problem ? await usersOf(db, accountId, digest) : []
      yield { bytes, ...(problem && mediaIds.length > 0 && { damage: { problem, digest, mediaIds } }) }
    }
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.digest
  }
}

/** How many there are to check, and how large they are together. */
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

/** Files in the store that no row speaks of; those that are just arriving are among them. */
export async function* strayFiles(
  { database, store }: CheckInstallation,
  accountId?: string,
  /** What the keys of others begin with. */
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

/** The assets whose content it is, or that a rendition with this content was made of. */
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
