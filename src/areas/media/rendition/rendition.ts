import type { Selectable } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import type { Media } from '#kernel/database/tables.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Bounds } from './fitting.ts'
import { makeRendition } from './rendition-making.ts'
import { findRendition, type Rendition } from './rendition-row.ts'

/** The JPEG of a picture that keeps to these bounds; made when it is first asked for. */
export async function renditionOf(
  installation: Installation,
  asset: Selectable<Media>,
  bounds: Bounds,
): Promise<Rendition> {
  const { accountId, id } = asset
  const known = await findRendition(installation.database.forAccount(accountId), asset, bounds)
  const key = `${accountId}/${id}/${bounds.maxBytes}/${bounds.maxWidth}`
  return known ?? once(installation.database, key, () => makeRendition(installation, asset, bounds))
}

const underWay = new WeakMap<Database, Map<string, Promise<Rendition>>>()

/** Ten profiles that get the same post at once wait for one picture; other processes are met in the database. */
function once(database: Database, key: string, make: () => Promise<Rendition>): Promise<Rendition> {
  const making = underWay.get(database) ?? new Map<string, Promise<Rendition>>()
  underWay.set(database, making)
  const begun = making.get(key) ?? make().finally(() => making.delete(key))
  making.set(key, begun)
  return begun
}
