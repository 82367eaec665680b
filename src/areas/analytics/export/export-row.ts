import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Exports } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import type { Destination } from './destination/destination.ts'

export type ExportRow = Omit<Selectable<Exports>, 'destination'> & { destination: Destination }

interface SecretScope {
  accountId: string
  id: string
}

/** Exports contain data of the whole account, so their endpoints require admins. */
export const ownExports = ({ db, accountId }: Pick<Context, 'db' | 'accountId'>) =>
  db.selectFrom('exports').selectAll().where('accountId', '=', accountId).$narrowType<{ destination: Destination }>()

export async function requireExport(context: Context, id: string): Promise<ExportRow> {
  const found = await ownExports(context).where('id', '=', id).executeTakeFirst()
  if (!found) throw missing('Export')
  return found
}

export async function holdExport(context: Context, id: string): Promise<ExportRow> {
  const found = await ownExports(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('exports', 'update'))
    .executeTakeFirst()
  if (!found) throw missing('Export')
  return found
}

export const sealSecret = (keyring: Keyring, scope: SecretScope, secret: string) =>
  keyring.encrypt(secret, secretScope(scope))

export const openSecret = (keyring: Keyring, scope: SecretScope, sealed: string | null) =>
  sealed === null ? '' : keyring.decrypt(sealed, secretScope(scope))

/** Binds a secret to its row: a copy in another row can't be decrypted. */
export const secretScope = ({ accountId, id }: SecretScope) => `export/${accountId}/${id}`
