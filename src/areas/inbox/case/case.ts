import { shareIntegration, uselessReason } from '#areas/leads/integration/integration.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { holdItem, notifyItemChanged } from '../item/item.ts'
import { addOwnEntries } from '../timeline/timeline.ts'
import { type CaseDetails, holdCase } from './case-row.ts'
import { saveCase } from './save-case.job.ts'

export interface CaseWish {
  id: string
  integrationId: string
  caseOwner?: string | undefined
  contactId?: string | undefined
  description?: string | undefined
}

/** Requests a case for an item in an external system, or a change of the existing one; omitted fields stay unchanged. A job executes it. */
export async function createCase(context: Context, { id: itemId, integrationId, ...wish }: CaseWish) {
  const { db, accountId, userId, now } = context
  const item = await holdItem(context, itemId)
  const integration = await shareIntegration(context, integrationId)
  if (!integration) throw invalid(`integration_id names no active integration: "${integrationId.slice(0, 40)}".`)
  const useless = uselessReason(integration)
  if (useless) throw invalid(`A case needs an active integration. ${useless}`)
  const key = { itemId, integrationId }
  const before = await holdCase(context, key)
  const entry = {
    ...(wish.caseOwner !== undefined && { caseOwner: wish.caseOwner }),
    ...(wish.contactId !== undefined && { contactId: wish.contactId }),
    ...(wish.description !== undefined && { description: wish.description }),
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
  await addOwnEntries(context, [item], { type: 'case', content: wish.description ?? '', details })
  await enqueue(context, saveCase, { accountId, ...key }, { key: `${itemId}/${integrationId}` })
  notifyItemChanged(context, itemId)
}
