import type { Context } from '#kernel/context.ts'
import { conflict, Refusal } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { type Approvables, approvableOf } from '../approvable.ts'
import { decide } from '../decision/decision.ts'
import { changeItem, findItem, lockItem, visible } from '../item/item.ts'
import { askedAt } from '../item/people.ts'
import { ask } from '../item/telling.ts'
import { stepOf } from '../workflow/workflow-step.ts'
import { approvalsOf } from './review-list.ts'

export interface Decided {
  id: string
  /** The new status; empty if it was refused. */
  status: string
  /** The reason for the refusal. */
  problem: string
}

interface Decisions {
  items: readonly { id: string; stepId?: string | undefined; round?: number | undefined }[]
  isApprove: boolean
  note?: string | undefined
}

/** Decides on several items independently: a refusal does not affect the others. */
export async function decideSeveral(
  outside: ExternalIo,
  approvables: Approvables,
  { items, isApprove, note }: Decisions,
): Promise<Decided[]> {
  const answers: Decided[] = []
  for (const { id, stepId, round } of items) {
    const answer = await outside
      .step(async (context) => {
        if (round !== undefined) await refuseOtherWords(context, id, round)
        return decide(context, approvables, { id, stepId, isApprove, note })
      })
      .then(({ status }) => ({ id, status, problem: '' }))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error
        return { id, status: '', problem: error.message }
      })
    answers.push(answer)
  }
  return answers
}

/** Records the number of decisions in the audit log. */
export async function tellSeveral(context: Context, answers: readonly Decided[]) {
  const decided = answers.filter(({ problem }) => problem === '')
  const [first = answers[0]] = decided
  if (first) context.about({ id: first.id, count: decided.length })
  return { items: answers }
}

/** The caller has reviewed the content of one round; a decision must not apply to another. */
async function refuseOtherWords(context: Context, id: string, round: number) {
  const item = await visible(context).select('round').where('id', '=', id).executeTakeFirst()
  if (item && item.round !== round)
    throw conflict('It was changed since you looked at it. Look at it again before you decide.')
}

const day = 24 * 60 * 60 * 1000

/** Reminds the approvers who have not decided at the item's step by email; at most once a day. */
export async function remind(context: Context, approvables: Approvables, { id }: { id: string }) {
  const { now, userId } = context
  const item = await lockItem(context, await findItem(context, id))
  const approvable = approvableOf(approvables, item.entityId)
  const wait = item.reminded ? item.reminded.getTime() + day - now.getTime() : 0
  if (wait > 0)
    throw new Refusal('limited', 'They were reminded less than a day ago. Once a day is enough.', {
      retryAfter: Math.ceil(wait / 1000),
    })
  const approved = await approvalsOf(context, [item])
  const people = (await askedAt(context, item)).filter((one) => one.id !== userId && !approved.has(item, one.id))
  if (!approvable || people.length === 0) throw conflict('Nobody else is missing at its step.')
  const step = await stepOf(context, item.stepId)
  await ask(context, approvable, item, { step, people, opening: 'still asks' })
  await changeItem(context, item, { reminded: now })
  return { reminded: people }
}
