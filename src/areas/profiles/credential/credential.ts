import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import type { NetworkName } from '#networks/manifests.ts'
import { type CredentialChanges, credentialColumns } from './credential-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const credential = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!credential) throw missing('Credential')
  return credential
}

interface Search {
  network?: NetworkName | undefined
  includeInvalid?: boolean | undefined
  page: Page
}

export function search(context: Context, { network, includeInvalid = false, page }: Search) {
  const matching = visible(context)
    .$if(network !== undefined, (rows) => rows.where('network', '=', network as NetworkName))
    .$if(!includeInvalid, (rows) => rows.where('status', '=', 'valid'))
  return paginate(matching, page)
}

/** An empty display name brings the network's own back. */
export async function update(context: Context, { id, displayName, ...changes }: CredentialChanges) {
  const { db, accountId, now } = context
  const credential = await db
    .updateTable('credentials')
    .set({ ...changes, givenName: displayName, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .returning(columns)
    .executeTakeFirst()
  if (!credential) throw missing('Credential')
  return credential
}

/** The row stays for what was published through it; nothing can be done in its name any more. */
export async function remove({ db, accountId, now }: Context, { id }: { id: string }) {
  const gone = { secret: null, renewOn: null, expiresOn: null, deleted: now, modified: now }
  const { numUpdatedRows } = await db
    .updateTable('credentials')
    .set(({ eb }) => ({ ...gone, secretVersion: eb('secretVersion', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Credential')
  await db.deleteFrom('targetingPresets').where('accountId', '=', accountId).where('credentialId', '=', id).execute()
}

/** All but the secret. */
const columns = [...credentialColumns, 'kind' as const]

const visible = ({ db, accountId }: Context) =>
  db.selectFrom('credentials').select(columns).where('accountId', '=', accountId).where('deleted', 'is', null)
