import { CompiledQuery } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import { readEach } from '#kernel/unreadable.ts'
import { keptLink, type LinkRow } from './kept-link.ts'
import type { KeptLink } from './link-store.ts'

/** Links by their hashes. Those that do not exist or cannot be read are left out. */
export interface FoundLinks {
  readonly links: ReadonlyMap<string, KeptLink>
  /** The hash of the last row, whether it could be read or not; none when there was no row. */
  readonly last: string | undefined
}

export interface LinkLookup {
  of(hashes: readonly string[]): Promise<FoundLinks>
  /** A page of all of them in the order of their hashes, from the one after this on. */
  after(hash: string): Promise<FoundLinks>
}

/** Is told of a link whose row cannot be read. */
export type LeaveOutLink = (link: string, error: unknown) => void

const columns = 'hash, account, link, long_url, params, disabled'
const byHashes = `select ${columns} from link_hashes where hash = any($1::text[])`
const pageAfter = `select ${columns} from link_hashes where hash > $1 order by hash limit 2000`

export function openLinkLookup({ shared }: Database, leaveOut: LeaveOutLink): LinkLookup {
  const read = async (text: string, value: string): Promise<FoundLinks> => {
    const { rows } = await shared.executeQuery<LinkRow>(CompiledQuery.raw(text, [value]))
    const entryOf = (row: LinkRow) => [row.hash, keptLink(row)] as const
    const links = new Map(readEach(rows, entryOf, ({ link }, error) => leaveOut(link, error)))
    return { links, last: rows.at(-1)?.hash }
  }
  return {
    // Said in the server's own words: hashes are letters and digits, and the driver looks at each value several times.
    of: (hashes) => read(byHashes, `{${hashes.join(',')}}`),
    after: (hash) => read(pageAfter, hash),
  }
}
