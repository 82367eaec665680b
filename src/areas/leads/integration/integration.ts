import { type Selectable, sql } from 'kysely'
import { settingChanged } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { Integrations } from '#kernel/database/tables.ts'
import { invalid, missing, Refusal, type RefusalKind } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { type ActionResult, type Crm, type CrmAction, CrmFault, type Facts, type Payload } from '../crm/crm.ts'
import { crmTypeOf, crmTypes, missingOf } from '../crm/crms.ts'
import { leadIds, leadQuotas } from '../declarations.ts'
import type { IntegrationAction, IntegrationChanges, IntegrationDraft } from './integration-shape.ts'

export type IntegrationRow = Selectable<Integrations>

export async function search(context: Context, { type = '', page }: { type?: string | undefined; page: Page }) {
  const matching = visibleIntegrations(context).$if(type !== '', (rows) => rows.where('type', '=', type))
  const { items, total } = await paginate(matching, page)
  return { items: items.map(shown), total }
}

export async function get(
  context: Context,
  { id, withAssets = false }: { id: string; withAssets?: boolean | undefined },
) {
  const integration = shown(await requireIntegration(context, id))
  return withAssets ? { ...integration, assets: await assetsOf(context) } : integration
}

/** It needs connection settings before it can be used. */
export async function create(context: Context, { type, cnameId = '' }: IntegrationDraft) {
  const { db, accountId, userId, now } = context
  await requireDomain(context, cnameId)
  await reserveQuota(context, leadQuotas.integrations, visibleIntegrations(context))
  context.notifyChange(settingChanged)
  const statusReason = crmTypeOf(type)
    ? 'Its settings are missing: how the other system is reached, and by what it lets us in.'
    : 'The service has no way to systems of this type.'
  const made = { accountId, id: newId(leadIds.integration, now), created: now, modified: now, createdBy: userId, type }
  const row = { ...made, cnameId: cnameId || null, status: 'invalid', statusReason, state: 'active' } as const
  return shown(await db.insertInto('integrations').values(row).returningAll().executeTakeFirstOrThrow())
}

export async function update(context: Context, { id, state, cnameId }: IntegrationChanges) {
  const { db, accountId, now } = context
  await holdIntegration(context, id)
  if (cnameId) await requireDomain(context, cnameId)
  const changed = await db
    .updateTable('integrations')
    .set({ ...(state && { state }), ...(cnameId !== undefined && { cnameId: cnameId || null }), modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  context.notifyChange(settingChanged)
  return shown(changed)
}

/** Its links to leads and cases are deleted too; the external system keeps its data. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  await holdIntegration(context, id)
  const { numDeletedRows } = await db
    .deleteFrom('integrations')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Integration')
  context.notifyChange(settingChanged)
}

/** Supported systems and their settings. */
export const types = async () => ({ items: crmTypes, total: crmTypes.length })

async function requireDomain({ db, accountId }: Context, cnameId: string) {
  if (cnameId === '') return
  const domain = await db
    .selectFrom('cnames')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', cnameId)
    .executeTakeFirst()
  if (!domain) throw invalid(`cnameId names no domain: "${cnameId.slice(0, 40)}".`)
}

/** Assets an integration may use: the account's profiles, and boards visible to the caller. */
async function assetsOf(context: Context) {
  const { db, accountId } = context
  const credentials = await db
    .selectFrom('credentials')
    .select(['id', 'name', 'displayName', 'status', 'network'])
    .where('accountId', '=', accountId)
    .where('deleted', 'is', null)
    .where('boardOnly', '=', false)
    .orderBy('id')
    .limit(maximumAssets)
    .execute()
  const boards = await db
    .selectFrom('boards')
    .select(['id', 'name'])
    .where('accountId', '=', accountId)
    .where('status', '=', 'active')
    .where(withinTeams(context, 'boards.id'))
    .orderBy('id')
    .limit(maximumAssets)
    .execute()
  return { credentials, boards }
}

const maximumAssets = 2_000

/** Without the secret. */
export const shown = ({ secret, ...integration }: IntegrationRow) => integration

const visibleIntegrations = ({ db, accountId }: Context) =>
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
export function unusableReason({ type, state, status, statusReason }: IntegrationRow): string | undefined {
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

/** Runs an operation in the external system, before the transaction that records it. */
export async function runAction(io: ExternalIo, input: IntegrationAction): Promise<ActionResult> {
  const { step, outbound } = io
  const { integration, crm } = await step(async (context) => {
    const integration = await visibleIntegrations(context).where('id', '=', input.id).executeTakeFirst()
    if (!integration) throw listed('invalid', `id names no integration: "${input.id.slice(0, 40)}".`)
    return { integration, crm: openCrm(outbound, context.keyring, integration) }
  })
  const unusable = unusableReason(integration)
  if (unusable || !crm) throw listed('invalid', unusable ?? 'The integration lacks settings.')
  const action = actionOf(crm, input.actionName)
  const { payload = {} } = input
  refuseIncomplete(action, payload)
  try {
    return await action.run(payload)
  } catch (error) {
    if (!(error instanceof CrmFault)) throw error
    throw await refusalOf(io, integration, error)
  }
}

/** Links a record to its lead by email address. */
export async function linkRecord(context: Context, { id }: IntegrationAction, { record, person }: ActionResult) {
  const { db, accountId } = context
  context.about({ id })
  const linked = person?.id.slice(0, 255) ?? ''
  const email = person?.email.toLowerCase() ?? ''
  if (linked !== '' && email !== '')
    await sql`
      insert into lead_references (account_id, lead_id, integration_id, remote_identifier, linked_lead_id)
      select ${accountId}, l.id, ${id}, ${email}, ${linked} from leads l where l.account_id = ${accountId} and l.email = ${email}
      on conflict (account_id, integration_id, linked_lead_id) do nothing
      returning lead_id`.execute(db)
  return record
}

function actionOf({ actions }: Crm, name: string): CrmAction {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action) return action
  throw listed('invalid', `There is no action "${name.slice(0, 40)}". There are ${Object.keys(actions).join(', ')}.`)
}

function refuseIncomplete({ needs }: CrmAction, payload: Payload) {
  for (const [name, kind] of Object.entries(needs)) {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    const isText = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    if (value === undefined || value === '' || value === null)
      throw listed('invalid', `Missing required field: ${name}`)
    const isObject = typeof value === 'object' && !Array.isArray(value)
    if (kind === 'text' ? !isText : !isObject)
      throw listed('invalid', `${name} must be ${kind === 'text' ? 'a text of at least one letter' : 'an object'}.`)
  }
}

/** A rejection by the external system is a client error, and not worth an immediate retry. */
async function refusalOf({ step }: ExternalIo, integration: IntegrationRow, fault: CrmFault): Promise<Refusal> {
  if (fault.kind === 'signIn') await step((context) => markInvalid(context, integration, fault.message))
  if (fault.kind !== 'later') return listed(fault.kind === 'absent' ? 'missing' : 'invalid', fault.message)
  return new Refusal('unavailable', fault.message, { isListed: true, retryAfter: fault.retryAfter ?? 30 })
}

const listed = (kind: RefusalKind, message: string) => new Refusal(kind, message, { isListed: true })
