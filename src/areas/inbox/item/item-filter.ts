import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { ItemRow } from './item-row.ts'

/** Which items somebody wants to see; what is not given, or empty, filters nothing. */
export interface ItemFilters {
  types?: readonly ItemRow['itemType'][] | undefined
  statuses?: readonly ItemRow['status'][] | undefined
  networks?: readonly string[] | undefined
  /** Users; `me`, and `none` for what nobody has. */
  assigneeIds?: readonly string[] | undefined
  credentialIds?: readonly string[] | undefined
  tagIds?: readonly string[] | undefined
  q?: string | undefined
  isUnread?: boolean | undefined
}

/** The columns that items are counted by. */
export const kinds = ['itemType', 'status', 'network', 'assigneeId', 'credentialId'] as const
export type Kinds = { readonly [kind in (typeof kinds)[number]]?: readonly string[] | undefined }

export const kindsOf = ({ userId }: Pick<Context, 'userId'>, filters: ItemFilters): Kinds => ({
  itemType: filters.types,
  status: filters.isUnread ? ['open'] : filters.statuses,
  network: filters.networks,
  assigneeId: filters.assigneeIds?.map((id) => (id === 'me' ? userId : id === 'none' ? '' : id)),
  credentialId: filters.credentialIds,
})

/** Says of rows of any source that has these columns whether they are of the kinds; one value alone comes out of its index in order. */
export function ofKinds(wanted: Kinds, source = 'inboxItems'): RawBuilder<SqlBool>[] {
  return kinds.flatMap((kind) => {
    const values = wanted[kind]
    if (!values || values.length === 0) return []
    const column = sql.ref(`${source}.${kind}`)
    return [values.length === 1 ? sql<SqlBool>`${column} = ${values[0]}` : sql<SqlBool>`${column} = any (${values})`]
  })
}

export const allOf = (conditions: readonly RawBuilder<SqlBool>[]) =>
  conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
