import { CompiledQuery } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import { keptLink, type LinkRow } from './kept-link.ts'
import type { KeptLink } from './link-store.ts'

/** Reads links, by their hashes. Those that do not exist are left out. */
export interface LinkLookup {
  of(hashes: readonly string[]): Promise<Map<string, KeptLink>>
  /** A page of all of them in the order of their hashes, from the one after this on. */
  after(hash: string): Promise<Map<string, KeptLink>>
}

const columns = 'hash, account, link, long_url, params, disabled'
const byHashes = `select ${columns} from link_hashes where hash = any($1::text[])`
const pageAfter = `select ${columns} from link_hashes where hash > $1 order by hash limit 2000`

export function openLinkLookup({ shared }: Database): LinkLookup {
  const read = async (text: string, value: string) => {
    const { rows } = await shared.executeQuery<LinkRow>(CompiledQuery.raw(text, [value]))
    return new Map(rows.map((row) => [row.hash, keptLink(row)]))
  }
  return {
    // Said in the server's own words: hashes are letters and digits, and the driver looks at each value several times.
    of: (hashes) => read(byHashes, `{${hashes.join(',')}}`),
    after: (hash) => read(pageAfter, hash),
  }
}
