import { sql } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import { type LinkRow, type ShortLink, shortLink } from './short-link.ts'

/** Reads many links at once. Those that do not exist are left out. */
export type LinkLookup = (hashes: readonly string[], read: number) => Promise<Map<string, ShortLink>>

/** How many of a batch must be of one account for the next to be looked for there first. */
const mostly = 0.9

/**
 * Whose links they are stands in a directory; then each account's are read together. Where nearly all are of one account, as in
 * most installations, it is asked without the directory, and that only for what it does not have.
 */
export function openLinkLookup(database: Database): LinkLookup {
  let likely = ''
  return async (hashes, read) => {
    const rows = likely === '' ? [] : await linksOf(database, likely, hashes)
    if (rows.length < hashes.length) {
      const known = new Set(rows.map(({ hash }) => hash))
      rows.push(
        ...(await byDirectory(
          database,
          hashes.filter((hash) => !known.has(hash)),
        )),
      )
    }
    likely = likelyOf(rows, likely)
    return new Map(rows.map((row) => [row.hash, shortLink(row, read)]))
  }
}

async function byDirectory(database: Database, hashes: readonly string[]): Promise<LinkRow[]> {
  const { rows } = await sql<{ hash: string; account: string }>`
    select hash, account from link_hashes where hash = any(${hashes}::text[])`.execute(database.shared)
  const byAccount = new Map<string, string[]>()
  for (const { hash, account } of rows) {
    const known = byAccount.get(account)
    if (known) known.push(hash)
    else byAccount.set(account, [hash])
  }
  const found = await Promise.all([...byAccount].map(([account, own]) => linksOf(database, account, own)))
  return found.flat()
}

async function linksOf(database: Database, account: string, hashes: readonly string[]): Promise<LinkRow[]> {
  const { rows } = await sql<LinkRow>`
    select l.account_id as account, l.id, l.hash, l.long_url as "longUrl", l.params::text as params, l.disabled,
           s.respects_do_not_track as "respectsDoNotTrack", s.click_parameter as "clickParameter"
    from links l left join link_settings s on s.account_id = l.account_id and s.campaign_id = ''
    where l.account_id = ${account} and l.hash = any(${hashes}::text[])`.execute(database.forAccount(account))
  return rows
}

function likelyOf(rows: readonly LinkRow[], before: string): string {
  const account = rows.at(-1)?.account ?? before
  const own = rows.reduce((sum, row) => (row.account === account ? sum + 1 : sum), 0)
  return own >= rows.length * mostly ? account : ''
}
