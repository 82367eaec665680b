import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { contains } from '#kernel/database/contains.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { requireFolder } from '../folder/folder.ts'
import { addressOf } from '../serving/address.ts'
import { shown, visible } from './asset.ts'
import type { MediaType } from './asset-shape.ts'

interface Search {
  /** One alone. */
  id?: string | undefined
  q?: string | undefined
  type?: MediaType | undefined
  /** Empty for the top; everything when it is not given. */
  folderId?: string | undefined
  /** Only what nothing needs that is still to come. */
  unused?: boolean | undefined
  page: Page
}

/** Assets with their measures, by which the rules of networks judge them, by how much that is planned they are needed, and where their own copy lies at this service. */
export async function list(context: Context, { id = '', q = '', type, folderId, unused = false, page }: Search) {
  if (folderId) await requireFolder(context, folderId)
  const holds = sql`media_holds h where h.account_id = ${context.accountId} and h.media_id = media.id`
  const matching = visible(context)
    .select(sql<number>`(select count(*) from ${holds})`.as('uses'))
    .$if(id !== '', (rows) => rows.where('id', '=', id))
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(type !== undefined, (rows) => rows.where('type', '=', type as MediaType))
    .$if(folderId === '', (rows) => rows.where('folderId', 'is', null))
    .$if(Boolean(folderId), (rows) => rows.where('folderId', '=', folderId as string))
    // In the order of the list, one by one: as an anti-join all assets of the account would be read and sorted for one page.
    .$if(unused, (rows) => rows.where(sql<boolean>`(select 1 from ${holds} limit 1) is null`))
  const { items, total } = await paginate(matching, page)
  return {
    items: items.map((asset) => ({ ...shown(context, asset), uses: asset.uses, address: addressOf('', asset) })),
    total,
  }
}
