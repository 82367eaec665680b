import type { Insertable, Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { InboxEntries } from '#kernel/database/tables.ts'
import { newId } from '#kernel/ids.ts'
import type { ItemRow } from '../item/item-row.ts'

export type EntryRow = Selectable<InboxEntries>

/** What one of us did with an item. */
interface Doing
  extends Pick<EntryRow, 'type'>,
    Partial<Pick<Insertable<InboxEntries>, 'content' | 'media' | 'replyId' | 'parentRemoteId'>> {
  /** As the table keeps it: from which status to which, whose it became, which tags. */
  details?: object
}

type Place = Pick<ItemRow, 'id' | 'credentialId'>

/** Writes down what the caller did with items they hold, one entry each; gives the entries' ids in the order of the items. */
export const addOwnEntries = (context: Context, items: readonly Place[], doing: Doing) =>
  addEachEntry(
    context,
    items.map((item) => ({ item, ...doing })),
  )

/** The same where it is something else in each of them. */
export async function addEachEntry(
  { db, accountId, userId, now }: Context,
  doings: readonly (Doing & { item: Place })[],
): Promise<string[]> {
  if (doings.length === 0) return []
  const entries = doings.map(({ item: { id: itemId, credentialId }, details = {}, ...doing }) => ({
    ...{ accountId, id: newId('inboxEntry', now), itemId, credentialId },
    ...{ created: now, isOwn: true, createdBy: userId, details: JSON.stringify(details) },
    ...doing,
  }))
  await db.insertInto('inboxEntries').values(entries).execute()
  return entries.map(({ id }) => id)
}
