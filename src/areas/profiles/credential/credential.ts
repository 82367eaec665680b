import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import type { NetworkName } from '#networks/manifests.ts'
import { hintProfile } from '../profile-hints.ts'

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

interface Changes {
  id: string
  displayName?: string | undefined
  nativePostsEnabled?: boolean | undefined
}

/** An empty display name brings the network's own back. */
export async function update(context: Context, { id, displayName, nativePostsEnabled }: Changes) {
  const { db, accountId, now } = context
  const credential = await db
    .updateTable('credentials')
    .set({ givenName: displayName, nativePostsEnabled, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .returning(columns)
    .executeTakeFirst()
  if (!credential) throw missing('Credential')
  hintProfile(context, id)
  return credential
}

/** The row stays for what was published through it; nothing can be done in its name any more. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, now } = context
  const gone = { secret: null, renewOn: null, expiresOn: null, deleted: now, modified: now }
  const { numUpdatedRows } = await db
    .updateTable('credentials')
    .set(({ eb }) => ({ ...gone, secretVersion: eb('secretVersion', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Credential')
  hintProfile(context, id)
  await db.deleteFrom('targetingPresets').where('accountId', '=', accountId).where('credentialId', '=', id).execute()
}

const columns = [
  'id',
  'created',
  'name',
  'displayName',
  'status',
  'network',
  'kind',
  'imageLink',
  'networkUsername',
  'networkAccountId',
  'nativePostsEnabled',
] as const

const visible = ({ db, accountId }: Context) =>
  db.selectFrom('credentials').select(columns).where('accountId', '=', accountId).where('deleted', 'is', null)
