import { type Selectable, sql } from 'kysely'
import { CrmFault, type SavedCase } from '#areas/leads/crm/crm.ts'
import {
  type IntegrationRow,
  markInvalid,
  openCrm,
  requireIntegration,
  shareIntegration,
  unusableReason,
} from '#areas/leads/integration/integration.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { InboxCases } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { holdItem, type ItemRow, notifyItemChanged, requireItem } from '../item/item.ts'
import { addOwnEntries } from '../item/timeline.ts'

type CaseRow = Selectable<InboxCases>

/** An item has one case per integration. */
interface CaseKey {
  itemId: string
  integrationId: string
}

/** Details of a case in the timeline. */
interface CaseDetails {
  integrationId: string
  version: number
  status: CaseRow['status']
  remoteId?: string
  /** Why it failed, and what to do. */
  error?: string
}

interface CaseRequest {
  id: string
  integrationId: string
  caseOwner?: string | undefined
  contactId?: string | undefined
  description?: string | undefined
}

/** Requests a case for an item in an external system, or a change of the existing one; omitted fields stay unchanged. A job executes it. */
export async function createCase(context: Context, { id: itemId, integrationId, ...fields }: CaseRequest) {
  const { db, accountId, userId, now } = context
  const item = await holdItem(context, itemId)
  const integration = await shareIntegration(context, integrationId)
  if (!integration) throw invalid(`integration_id names no active integration: "${integrationId.slice(0, 40)}".`)
  const unusable = unusableReason(integration)
  if (unusable) throw invalid(`A case needs an active integration. ${unusable}`)
  const key = { itemId, integrationId }
  const before = await holdCase(context, key)
  const entry = {
    ...(fields.caseOwner !== undefined && { caseOwner: fields.caseOwner }),
    ...(fields.contactId !== undefined && { contactId: fields.contactId }),
    ...(fields.description !== undefined && { description: fields.description }),
  }
  const version = (before?.version ?? 0) + 1
  const requested = { ...entry, version, status: 'waiting', error: '', modified: now } as const
  if (before)
    await db
      .updateTable('inboxCases')
      .set(requested)
      .where('accountId', '=', accountId)
      .where('itemId', '=', itemId)
      .where('integrationId', '=', integrationId)
      .execute()
  else
    await db
      .insertInto('inboxCases')
      .values({ accountId, ...key, created: now, createdBy: userId, ...requested })
      .execute()
  const details: CaseDetails = { integrationId, version, status: 'waiting' }
  await addOwnEntries(context, [item], { type: 'case', content: fields.description ?? '', details })
  await enqueue(context, saveCase, { accountId, ...key }, { key: `${itemId}/${integrationId}` })
  notifyItemChanged(context, itemId)
}

type SaveCase = CaseKey & { accountId: string }

const second = 1000
const minute = 60 * second
const waits = [5 * second, minute, 10 * minute, 60 * minute, 360 * minute]

const saveCase = { name: 'inbox.save-case', queue: 'integrations' } as const

/** Creates or updates a case in the external system. The item id identifies the case there, so retries are idempotent. */
export const saveCaseJob = ({ outbound }: Pick<Installation, 'outbound'>) =>
  job<SaveCase>(saveCase.name, {
    ...saveCase,
    retryDelays: waits,
    timeout: 2 * minute,
    async run({ transaction, complete, attempt }, { accountId, ...key }) {
      const found = await transaction(accountId, async (context) => {
        const requested = await caseOf(context, key).executeTakeFirst()
        if (!requested || requested.savedVersion >= requested.version) return undefined
        const integration = await requireIntegration(context, key.integrationId)
        const crm = openCrm(outbound, context.keyring, integration)
        return { requested, integration, crm, item: await requireItem(context, key.itemId) }
      })
      if (!found) return void (await complete(accountId, async () => {}))
      const { requested, integration, crm, item } = found
      let saved: SavedCase | undefined
      let fault = unusableFault(integration)
      try {
        if (!fault) saved = await crm?.saveCase(requestedCase(item, requested))
      } catch (error) {
        if (!(error instanceof CrmFault)) throw error
        if (error.kind === 'later' && attempt <= waits.length) throw error
        fault = error
      }
      await complete(accountId, async (context) => {
        if (fault?.kind === 'signIn') await markInvalid(context, integration, fault.message)
        await end(context, requested, saved ?? fault ?? new CrmFault('refused', 'The integration lacks settings.'))
      })
    },
  })

function unusableFault(integration: IntegrationRow): CrmFault | undefined {
  const reason = unusableReason(integration)
  return reason === undefined ? undefined : new CrmFault('refused', reason)
}

const longestSubject = 200

const requestedCase = (item: ItemRow, { remoteId, description, caseOwner, contactId }: CaseRow) => ({
  key: item.id,
  remoteId,
  owner: caseOwner,
  contactId,
  subject: `${item.personName || item.personUsername || 'Somebody'} on ${item.network}`.slice(0, longestSubject),
  description: description || [item.text, item.url].filter(Boolean).join('\n\n'),
})

/** What to do after a failure. */
const remedies: { readonly [kind in CrmFault['kind']]: string } = {
  signIn: 'Give the integration new credentials, then ask for the case again.',
  absent: 'Check the contact and the owner, then ask for the case again.',
  refused: 'Mend what it says, then ask for the case again.',
  later: 'It was tried for hours. Ask for the case again when the other system answers.',
}

async function end(context: Context, { itemId, integrationId, version }: CaseRow, outcome: SavedCase | CrmFault) {
  const { db, accountId, now } = context
  const key = { itemId, integrationId }
  const current = await holdCase(context, key)
  if (!current) return
  const failed = outcome instanceof CrmFault
  const error = failed ? `${outcome.message} ${remedies[outcome.kind]}` : ''
  const isLast = current.version === version
  await db
    .updateTable('inboxCases')
    .set({
      ...(isLast && { status: failed ? 'failed' : 'saved', error }),
      // Later changes refer to the created case by its id.
      ...(!failed && { remoteId: outcome.remoteId, url: outcome.url }),
      savedVersion: version,
      modified: now,
    })
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('integrationId', '=', integrationId)
    .execute()
  const details = failed
    ? { status: 'failed' as const, error }
    : { status: 'saved' as const, remoteId: outcome.remoteId }
  await endEntries(context, key, { version, url: failed ? '' : outcome.url, ...details })
  if (!isLast) await enqueue(context, saveCase, { accountId, ...key }, { key: `${itemId}/${integrationId}` })
  notifyItemChanged(context, itemId)
}

const caseOf = ({ db, accountId }: Context, { itemId, integrationId }: CaseKey) =>
  db
    .selectFrom('inboxCases')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('integrationId', '=', integrationId)

/** Locks a case until commit. */
const holdCase = (context: Context, key: CaseKey): Promise<CaseRow | undefined> =>
  caseOf(context, key).modifyEnd(lockRows('inboxCases', 'update')).executeTakeFirst()

/** Updates the timeline entries of all requests up to a version. */
async function endEntries(
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
