import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { InboxItems } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId } from '#kernel/ids.ts'

/** An item; its words are only searched for. */
export type ItemRow = Omit<Selectable<InboxItems>, 'words'>

export const itemColumns = [
  ...(['accountId', 'id', 'created', 'modified', 'credentialId', 'network', 'itemType', 'origin', 'status'] as const),
  ...(['assigneeId', 'remoteKey', 'url', 'eventDate', 'lastActivity'] as const),
  ...(['personId', 'personName', 'personUsername', 'personPicture'] as const),
  ...([
    'postRemoteId',
    'postUrl',
    'postText',
    'postMedia',
    'postlogId',
    'text',
    'media',
    'language',
    'entries',
  ] as const),
] as const satisfies readonly (keyof ItemRow)[]

/** Everybody who may read sees the whole inbox: profiles belong to no team. */
export const visibleItems = ({ db, accountId }: Context) =>
  db.selectFrom('inboxItems').select(itemColumns).where('accountId', '=', accountId)

export async function requireItem(context: Context, id: string): Promise<ItemRow> {
  const item = await visibleItems(context).where('id', '=', id).executeTakeFirst()
  if (!item) throw missing('Conversation')
  return item
}

/** Items, held until the change is made, in the order of their ids; those that are gone are left out. */
export const holdItems = (context: Context, ids: readonly string[]): Promise<ItemRow[]> =>
  visibleItems(context).where('id', 'in', ids).orderBy('id').modifyEnd(heldRows('inboxItems', 'update')).execute()

export async function holdItem(context: Context, id: string): Promise<ItemRow> {
  const [item] = await holdItems(context, [id])
  if (!item) throw missing('Conversation')
  return item
}

export const hintItem = ({ hint }: Context, id: string) => hint({ kind: 'conversation', id, parent: null, scope: null })

export const watchedConversations: Watched = {
  kind: 'conversation',
  isId: (id) => isId('inboxItem', id),
  async find(context, id) {
    const item = await visibleItems(context).where('id', '=', id).executeTakeFirst()
    return item && { parent: null, scope: null }
  },
}
