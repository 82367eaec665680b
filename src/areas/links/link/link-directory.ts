import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Links } from '#kernel/database/tables.ts'
import { linkChanged } from './link-channel.ts'

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
