import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Links } from '#kernel/database/tables.ts'

/** NOTIFY channel for changed links: a hash, `host:` and a domain, or empty for everything. */
export const linksChannel = 'links'

/** Invalidates a link in every redirector; call in the changing transaction. */
const linkChanged = (context: Context, hash: string) => context.announce(linksChannel, hash)

export const hostChanged = (context: Context, host: string) => context.announce(linksChannel, `host:${host}`)

/** For changes that affect all links of an account. */
export const allLinksChanged = (context: Context) => context.announce(linksChannel, '')

/**
 * Updates the hash lookup of a link and invalidates it in every redirector; call in the changing
 * transaction.
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
