import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Integrations } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import type { Crm, Facts } from '../crm/crm.ts'
import { crmTypeOf, missingOf } from '../crm/crms.ts'

export type IntegrationRow = Selectable<Integrations>

/** Without the secret. */
export const shown = ({ secret, ...integration }: IntegrationRow) => integration

export const visibleIntegrations = ({ db, accountId }: Context) =>
  db.selectFrom('integrations').selectAll().where('accountId', '=', accountId)

export async function requireIntegration(context: Context, id: string): Promise<IntegrationRow> {
  const integration = await visibleIntegrations(context).where('id', '=', id).executeTakeFirst()
  if (!integration) throw missing('Integration')
  return integration
}

export async function holdIntegration(context: Context, id: string): Promise<IntegrationRow> {
  const integration = await visibleIntegrations(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('integrations', 'update'))
    .executeTakeFirst()
  if (!integration) throw missing('Integration')
  return integration
}

/** Share-locked until commit. */
export const shareIntegration = (context: Context, id: string): Promise<IntegrationRow | undefined> =>
  visibleIntegrations(context).where('id', '=', id).modifyEnd(lockRows('integrations', 'share')).executeTakeFirst()

/** Why it can't be used now; undefined if it can. */
export function uselessReason({ type, state, status, statusReason }: IntegrationRow): string | undefined {
  if (!crmTypeOf(type)) return `Nothing can be asked of an integration of the type ${type}.`
  if (state !== 'active') return 'The integration is disabled. Switch it on first.'
  return status === 'valid' ? undefined : `The integration is not valid: ${statusReason}`
}

/** Connection settings including secrets. */
export function connectionOf(keyring: Keyring, integration: IntegrationRow): { settings: Facts; secret: Facts } {
  const { settingsData, secret } = integration
  return {
    settings: { ...crmTypeOf(integration.type)?.standard, ...(settingsData as Facts) },
    secret: secret ? JSON.parse(keyring.decrypt(secret, secretScope(integration))) : {},
  }
}

export function openCrm(outbound: Outbound, keyring: Keyring, integration: IntegrationRow): Crm | undefined {
  const type = crmTypeOf(integration.type)
  const { settings, secret } = connectionOf(keyring, integration)
  if (!type || missingOf(type, { ...settings, ...secret }).length > 0) return undefined
  return type.open({ outbound, key: `${integration.id}/${integration.version}`, settings, secret })
}

export const sealSecret = (keyring: Keyring, scope: SecretScope, secret: Facts): string =>
  keyring.encrypt(JSON.stringify(secret), secretScope(scope))

interface SecretScope {
  accountId: string
  id: string
}

/** Binds a secret to its row: a copy in another row can't be decrypted. */
export const secretScope = ({ accountId, id }: SecretScope) => `integration/${accountId}/${id}`

/** Marks the integration invalid after rejected credentials, unless its settings have changed meanwhile. */
export async function markInvalid({ db, accountId, now }: Context, { id, version }: IntegrationRow, reason: string) {
  await db
    .updateTable('integrations')
    .set({ status: 'invalid', statusReason: reason.slice(0, 500), modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('version', '=', version)
    .execute()
}
