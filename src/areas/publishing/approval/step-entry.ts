import type { Context } from '#kernel/context.ts'
import type { Step } from '../workflow/workflow-step.ts'
import { tellApprovers } from './approval-mail.ts'
import { changeItem, type Item } from './item.ts'

/** An item, which the caller holds, comes to a step: whoever decides there is told. */
export async function enterStep(context: Context, item: Item, step: Step): Promise<Item> {
  const entered = await changeItem(context, item, { stepId: step.id })
  await tellApprovers(context, entered, step)
  return entered
}
