import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { settingChanged } from '#kernel/hints/hint.ts'
import { newId } from '#kernel/ids.ts'
import { makeRoom } from '#kernel/room/room.ts'
import { crmTypeOf, crmTypes } from '../crm/crms.ts'
import { holdIntegration, requireIntegration, shown, visibleIntegrations } from './integration-row.ts'
import type { IntegrationChanges, IntegrationDraft } from './integration-shape.ts'

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

/** It has to be told how to reach the other system before anything can be asked of it. */
export async function create(context: Context, { type, cnameId = '' }: IntegrationDraft) {
  const { db, accountId, userId, now } = context
  await requireDomain(context, cnameId)
  await makeRoom(context, 'integrations', visibleIntegrations(context))
  context.hint(settingChanged)
  const statusReason = crmTypeOf(type)
    ? 'Its settings are missing: how the other system is reached, and by what it lets us in.'
    : 'The service has no way to systems of this type.'
  const made = { accountId, id: newId('integration', now), created: now, modified: now, createdBy: userId, type }
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
  context.hint(settingChanged)
  return shown(changed)
}

/** What it knew of leads and cases goes with it; the other system keeps what it has. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  await holdIntegration(context, id)
  const { numDeletedRows } = await db
    .deleteFrom('integrations')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Integration')
  context.hint(settingChanged)
}

/** The kinds of systems that can be talked to, and what has to be known for it. */
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

/** What an integration may work with: the account's profiles, and the boards that the caller sees. */
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
