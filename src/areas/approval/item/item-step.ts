import { sql } from 'kysely'
import { isShownTo } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import { type Approvable, type Approvables, approvableOf, type Description, describeOne } from '../approvable.ts'
import { type Approver, abandonedSteps, defaultStep, type Step } from '../workflow/workflow.ts'
import { askedAt } from './approvers.ts'
import { authorsOf, changeItem, type Item } from './item.ts'

const excerptLength = 500

/**
 * Moves an item to a step and notifies its approvers. If all approvers of the step are gone, the item moves to the default workflow
 * instead. The caller has locked the item, its workflow and the default one.
 */
export async function enterStep(
  context: Context,
  approvable: Approvable | undefined,
  item: Item,
  step: Step,
): Promise<Item> {
  const isAbandoned = (await abandonedSteps(context, [step])).length > 0
  const reached = isAbandoned ? await defaultStep(context) : step
  const entered = await changeItem(context, item, {
    workflowId: reached.workflowId,
    stepId: reached.id,
    waitingSince: context.now,
    reminded: null,
  })
  await notifyApprovers(context, approvable, entered, reached)
  return entered
}

/**
 * Restarts items in the default workflow because their step or workflow was removed. The caller has locked them and the default workflow.
 */
export async function moveToDefault(context: Context, approvables: Approvables, items: readonly Item[]) {
  if (items.length === 0) return
  const step = await defaultStep(context)
  for (const item of items) await enterStep(context, approvableOf(approvables, item.entityId), item, step)
}

/** Notifies the user who submitted the content of the decision. */
export async function notifyCreator(context: Context, approvable: Approvable, item: Item, note: string) {
  const creator = await userOf(context, item.createdBy)
  const about = await describeOne(context, approvable, item.entityId)
  if (creator?.status !== 'active' || !about || !(await sees(context, item.createdBy, about))) return
  const decider = (await userOf(context, context.userId))?.name ?? 'Somebody'
  const subject = `${decider} ${item.status} ${named(item, approvable)}`
  const text = `${subject} that you sent to approval (${item.id}).
${note && `\nNote: ${note}\n`}
${content(about)}
`
  await queueMail(context, { to: creator.email, subject, text })
}

/** Notifies the approvers of a step, with one email each. */
async function notifyApprovers(context: Context, approvable: Approvable | undefined, item: Item, step: Step) {
  if (approvable)
    await askToDecide(context, approvable, item, { step, people: await askedAt(context, item), opening: 'asks' })
}

interface Request {
  step: Step
  people: readonly Approver[]
  opening: 'asks' | 'still asks'
}

/** Asks users to decide on an item at its step. */
export async function askToDecide(
  context: Context,
  approvable: Approvable,
  item: Item,
  { step, people, opening }: Request,
) {
  const about = await describeOne(context, approvable, item.entityId)
  if (!about || people.length === 0) return
  const asker = (await userOf(context, item.createdBy))?.name ?? 'Somebody'
  const subject = `${asker} ${opening} you to approve ${named(item, approvable)}`
  const text = `${subject}, at the step "${step.name}".

${content(about)}

To approve it, call POST /v2/workflow-item/${item.id}; to reject it, the same with action=reject and a note.
How to call the interface: ${context.publicUrl}/docs
`
  for (const { email } of people) await queueMail(context, { to: email, subject, text })
}

/** "a LinkedIn post"; a story may be for no network yet. */
const named = ({ network }: Item, { noun }: Approvable) => ['a', network, noun].filter(Boolean).join(' ')

/** The campaign may have been assigned to a team, or the content moved to another one, since it was submitted. */
async function sees({ db, accountId }: Context, userId: string, { scopeId }: Description): Promise<boolean> {
  const shown = isShownTo({ accountId }, sql`u.id`, sql`${scopeId}`)
  const { rows } = await sql`
    select from users u where u.account_id = ${accountId} and u.id = ${userId} and (u.role = 'admin' or ${shown})`.execute(
    db,
  )
  return rows.length > 0
}

const content = ({ network, planned, text }: Description) =>
  `Network: ${network || 'none yet'}\nPlanned: ${planned}\n\n${shortened(text)}`

/** By code points, so that none is cut in half. */
function shortened(text: string): string {
  const characters = [...text]
  return characters.length > excerptLength ? `${characters.slice(0, excerptLength).join('')}…` : text
}

const userOf = async (context: Context, id: string) => (await authorsOf(context, [id]))[0]
