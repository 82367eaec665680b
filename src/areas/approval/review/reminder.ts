import type { Context } from '#kernel/context.ts'
import { conflict, Refusal } from '#kernel/errors.ts'
import { type Approvables, approvableOf } from '../approvable.ts'
import { findItem, lockItem } from '../item/item.ts'
import { changeItem } from '../item/item-change.ts'
import { askedAt } from '../item/people.ts'
import { ask } from '../item/telling.ts'
import { stepOf } from '../workflow/workflow-step.ts'
import { approvalsOf } from './missing-people.ts'

const day = 24 * 60 * 60 * 1000

/** Mails those who are missing at the item's step that it still waits for them; once a day. */
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
