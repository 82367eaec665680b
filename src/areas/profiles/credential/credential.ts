import { emitInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import type { NetworkName } from '#networks/manifests.ts'
import { notifyProfileChanged } from '../access/profile-row.ts'
import { type CredentialChanges, credentialColumns } from './credential-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const credential = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!credential) throw missing('Credential')
  return credential
}

interface Search {
  network?: NetworkName | undefined
  includeInvalid?: boolean | undefined
  page: OpenPage
}

export function search(context: Context, { network, includeInvalid = false, page }: Search) {
  const matching = visible(context)
    .where('boardOnly', '=', false)
    .$if(network !== undefined, (rows) => rows.where('network', '=', network as NetworkName))
    .$if(!includeInvalid, (rows) => rows.where('status', '=', 'valid'))
  return paginateOrAll(context.db, matching, page, { size: 500 })
}

/** An empty display name restores that of the network. */
export async function update(context: Context, { id, displayName, ...changes }: CredentialChanges) {
  const { db, accountId, now } = context
  const credential = await db
    .updateTable('credentials')
    .set({ ...changes, givenName: displayName, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .where('boardOnly', '=', false)
    .returning(columns)
    .executeTakeFirst()
  if (!credential) throw missing('Credential')
  notifyProfileChanged(context, id)
  return credential
}

/** Soft delete: the row stays for published posts, and the profile cannot be used any more. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, now } = context
  // Lock order: the profile before the posts scheduled on it.
  const found = await visible(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('credentials', 'no key update'))
    .executeTakeFirst()
  if (!found) throw missing('Credential')
  const deletedColumns = { secret: null, renewOn: null, expiresOn: null, deleted: now, modified: now }
  await db
    .updateTable('credentials')
    .set(({ eb }) => ({ ...deletedColumns, secretVersion: eb('secretVersion', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
  notifyProfileChanged(context, id)
  await db.deleteFrom('targetingPresets').where('accountId', '=', accountId).where('credentialId', '=', id).execute()
  await emitInner(context, 'profileDeleted', { credentialId: id })
}

/** Without the secret. */
const columns = [...credentialColumns, 'kind' as const]

/**
 * Profiles that advocates connected for themselves are found by id, since links and clicks refer to them; they are neither listed nor
 * changed here.
 */
const visible = ({ db, accountId }: Context) =>
  db.selectFrom('credentials').select(columns).where('accountId', '=', accountId).where('deleted', 'is', null)
