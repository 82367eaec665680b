import type { Context } from '#kernel/context.ts'
import { conflict, Refusal } from '#kernel/errors.ts'
import type { Outside } from '#kernel/outside.ts'
import type { Approvables } from '../approvable.ts'
import { decide } from '../decision/decision.ts'
import { visible } from '../item/item.ts'

export interface Decided {
  id: string
  /** Where it stands now; empty where it was refused. */
  status: string
  /** Why it was refused. */
  problem: string
}

interface Decisions {
  items: readonly { id: string; stepId?: string | undefined; round?: number | undefined }[]
  isApprove: boolean
  note?: string | undefined
}

/** Decides on several items, one after the other, each by itself: what is refused keeps no other from being decided. */
export async function decideSeveral(
  outside: Outside,
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

/** Says to the audit log what was decided. */
export async function tellSeveral(context: Context, answers: readonly Decided[]) {
  const decided = answers.filter(({ problem }) => problem === '')
  const [first = answers[0]] = decided
  if (first) context.about({ id: first.id, count: decided.length })
  return { items: answers }
}

/** Whoever decides has read the words of a round; of another they have not. */
async function refuseOtherWords(context: Context, id: string, round: number) {
  const item = await visible(context).select('round').where('id', '=', id).executeTakeFirst()
  if (item && item.round !== round)
    throw conflict('It was changed since you looked at it. Look at it again before you decide.')
}
