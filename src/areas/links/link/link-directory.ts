import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Links } from '#kernel/database/tables.ts'

/** The channel on which changes of links are announced: a hash, `host:` and a domain, or nothing for everything. */
export const linksChannel = 'links'

/** Makes every redirector forget a link; to be called in the transaction that changes it. */
const linkChanged = (context: Context, hash: string) => context.announce(linksChannel, hash)

export const hostChanged = (context: Context, host: string) => context.announce(linksChannel, `host:${host}`)

/** For what concerns all links of an account. */
export const allLinksChanged = (context: Context) => context.announce(linksChannel, '')

/**
 * Writes what a link has become where hashes are looked up, and makes every redirector forget what it was; to be called in the
 * transaction that changes the link.
 */
export async function fileLink(
  context: Context,
  { hash, longUrl, disabled }: Pick<Selectable<Links>, 'hash' | 'longUrl' | 'disabled'>,
) {
  await context.db
    .updateTable('linkHashes')
    .set({ longUrl, disabled: disabled !== null, changed: sql<Date>`now()` })
    .where('hash', '=', hash)
    .execute()
  await linkChanged(context, hash)
}
