import { CrmFault, type SavedCase } from '#areas/leads/crm/crm.ts'
import {
  type IntegrationRow,
  markInvalid,
  openCrm,
  requireIntegration,
  uselessReason,
} from '#areas/leads/integration/integration.ts'
import type { Context } from '#kernel/context.ts'
import type { Installation } from '#kernel/installation.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { type ItemRow, notifyItemChanged, requireItem } from '../item/item.ts'
import { type CaseKey, type CaseRow, endEntries, findCase, holdCase } from './case-row.ts'

type SaveCase = CaseKey & { accountId: string }

const second = 1000
const minute = 60 * second
const waits = [5 * second, minute, 10 * minute, 60 * minute, 360 * minute]

/** Job name and queue, for callers that enqueue it. */
export const saveCase = { name: 'inbox.save-case', queue: 'integrations' } as const

/** Creates or updates a case in the external system. The item id identifies the case there, so retries are idempotent. */
export const saveCaseJob = ({ outbound }: Pick<Installation, 'outbound'>) =>
  job<SaveCase>(saveCase.name, {
    ...saveCase,
    retryDelays: waits,
    timeout: 2 * minute,
    async run({ transaction, complete, attempt }, { accountId, ...key }) {
      const found = await transaction(accountId, async (context) => {
        const requested = await findCase(context, key)
        if (!requested || requested.savedVersion >= requested.version) return undefined
        const integration = await requireIntegration(context, key.integrationId)
        const crm = openCrm(outbound, context.keyring, integration)
        return { wanted: requested, integration, crm, item: await requireItem(context, key.itemId) }
      })
      if (!found) return void (await complete(accountId, async () => {}))
      const { wanted: requested, integration, crm, item } = found
      let saved: SavedCase | undefined
      let fault = uselessFault(integration)
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

function uselessFault(integration: IntegrationRow): CrmFault | undefined {
  const reason = uselessReason(integration)
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
