import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { InboxCases } from '#kernel/database/tables.ts'

export type CaseRow = Selectable<InboxCases>

/** An item has one case per integration. */
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
    .modifyEnd(lockRows('inboxCases', 'update'))
    .executeTakeFirst()

/** Details of a case in the timeline. */
export interface CaseDetails {
  integrationId: string
  version: number
  status: CaseRow['status']
  remoteId?: string
  /** Why it failed, and what to do. */
  error?: string
}

/** Updates the timeline entries of all requests up to a version. */
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
