import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { Refusal, type RefusalKind } from '#kernel/errors.ts'
import type { Outside } from '#kernel/outside.ts'
import { type ActionResult, type Crm, type CrmAction, CrmFault, type Payload } from '../crm/crm.ts'
import { type IntegrationRow, markInvalid, openCrm, uselessReason, visibleIntegrations } from './integration-row.ts'
import type { IntegrationAction } from './integration-shape.ts'

/** Asks the other system for something; the transaction that notes it comes later. */
export async function perform(outside: Outside, asked: IntegrationAction): Promise<ActionResult> {
  const { step, outbound } = outside
  const { integration, crm } = await step(async (context) => {
    const integration = await visibleIntegrations(context).where('id', '=', asked.id).executeTakeFirst()
    if (!integration) throw listed('invalid', `id names no integration: "${asked.id.slice(0, 40)}".`)
    return { integration, crm: openCrm(outbound, context.keyring, integration) }
  })
  const useless = uselessReason(integration)
  if (useless || !crm) throw listed('invalid', useless ?? 'The integration lacks settings.')
  const action = actionOf(crm, asked.actionName)
  const { payload = {} } = asked
  refuseIncomplete(action, payload)
  try {
    return await action.run(payload)
  } catch (error) {
    if (!(error instanceof CrmFault)) throw error
    throw await refusalOf(outside, integration, error)
  }
}

/** Notes which lead a record is of, where the address tells. */
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

/** What the other system refuses is no fault of ours, and no reason to try again at once. */
async function refusalOf({ step }: Outside, integration: IntegrationRow, fault: CrmFault): Promise<Refusal> {
  if (fault.kind === 'signIn') await step((context) => markInvalid(context, integration, fault.message))
  if (fault.kind !== 'later') return listed(fault.kind === 'absent' ? 'missing' : 'invalid', fault.message)
  return new Refusal('unavailable', fault.message, { isListed: true, retryAfter: fault.retryAfter ?? 30 })
}

const listed = (kind: RefusalKind, message: string) => new Refusal(kind, message, { isListed: true })
