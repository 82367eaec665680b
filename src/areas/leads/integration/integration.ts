import { sql } from 'kysely'
import { settingChanged } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing, Refusal, type RefusalKind } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { type ActionResult, type Crm, type CrmAction, CrmFault, type Payload } from '../crm/crm.ts'
import { crmTypeOf, crmTypes } from '../crm/crms.ts'
import { leadIds, leadQuotas } from '../declarations.ts'
import {
  holdIntegration,
  type IntegrationRow,
  markInvalid,
  openCrm,
  requireIntegration,
  shown,
  uselessReason,
  visibleIntegrations,
} from './integration-row.ts'
import type { IntegrationAction, IntegrationChanges, IntegrationDraft } from './integration-shape.ts'

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
    .limit(mostAssets)
    .execute()
  const boards = await db
    .selectFrom('boards')
    .select(['id', 'name'])
    .where('accountId', '=', accountId)
    .where('status', '=', 'active')
    .where(withinTeams(context, 'boards.id'))
    .orderBy('id')
    .limit(mostAssets)
    .execute()
  return { credentials, boards }
}

const mostAssets = 2_000

/** Runs an operation in the external system, before the transaction that records it. */
export async function perform(io: ExternalIo, input: IntegrationAction): Promise<ActionResult> {
  const { step, outbound } = io
  const { integration, crm } = await step(async (context) => {
    const integration = await visibleIntegrations(context).where('id', '=', input.id).executeTakeFirst()
    if (!integration) throw listed('invalid', `id names no integration: "${input.id.slice(0, 40)}".`)
    return { integration, crm: openCrm(outbound, context.keyring, integration) }
  })
  const useless = uselessReason(integration)
  if (useless || !crm) throw listed('invalid', useless ?? 'The integration lacks settings.')
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
export async function note(context: Context, { id }: IntegrationAction, { record, person }: ActionResult) {
  const { db, accountId } = context
  context.about({ id })
  const linked = person?.id.slice(0, 255) ?? ''
  const email = person?.email.toLowerCase() ?? ''
  if (linked !== '' && email !== '')
    await sql`
      insert into lead_remotes (account_id, lead_id, integration_id, remote_identifier, linked_lead_id)
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
