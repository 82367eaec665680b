import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { InboxCases } from '#kernel/database/tables.ts'

export type CaseRow = Selectable<InboxCases>

/** A case is that of one item in one integration. */
export interface CaseKey {
  itemId: string
  integrationId: string
}

export const findCase = (
  { db, accountId }: Context,
  { itemId, integrationId }: CaseKey,
): Promise<CaseRow | undefined> =>
  db
    .selectFrom('inboxCases')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('integrationId', '=', integrationId)
    .executeTakeFirst()

export const holdCase = (
  { db, accountId }: Context,
  { itemId, integrationId }: CaseKey,
): Promise<CaseRow | undefined> =>
  db
    .selectFrom('inboxCases')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('integrationId', '=', integrationId)
    .modifyEnd(heldRows('inboxCases', 'update'))
    .executeTakeFirst()

/** What the timeline tells of a case. */
export interface CaseDetails {
  integrationId: string
  version: number
  status: CaseRow['status']
  remoteId?: string
  /** Why it failed, and what to do. */
  error?: string
}

/** Says in the timeline what became of all that was asked for up to a version. */
export async function endEntries(
  { db, accountId }: Context,
  { itemId, integrationId }: CaseKey,
  { version, url, ...details }: Omit<CaseDetails, 'integrationId'> & { url: string },
) {
  await sql`
    update inbox_entries set url = ${url}, details = details || ${JSON.stringify(details)}::jsonb
    where account_id = ${accountId} and item_id = ${itemId} and type = 'case'
      and details @> ${JSON.stringify({ integrationId, status: 'waiting' })}::jsonb and (details ->> 'version')::integer <= ${version}`.execute(
    db,
  )
}
