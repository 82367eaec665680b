import { contributor, daysFrom, demoId, owner, publisher } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'
import type { Item } from './item/item.ts'

const workflows = ['Quick check', 'Editorial and legal']

const steps: [workflow: number, position: number, name: string, everyone: boolean][] = [
  [1, 1, 'Check', false],
  [2, 1, 'Editor', false],
  [2, 2, 'Legal', true],
]

/** The content of a demo item. */
type Content = Pick<Item, 'entityId' | 'scopeId' | 'network'> & Partial<Pick<Item, 'postId' | 'messageId' | 'storyId'>>

/** Creates two workflows with pending items at each of their steps. */
export async function seedApproval(context: Context, waiting: readonly Content[]) {
  const { db, accountId } = context
  const at = daysFrom(context)
  const made = (days: number) => ({ accountId, created: at(days) })
  await db
    .insertInto('workflows')
    .values(
      workflows.map((name, index) => {
        return { ...made(-80), id: demoId('cwf', index + 1), modified: at(-80), createdBy: owner, name }
      }),
    )
    .execute()
  await db
    .insertInto('workflowSteps')
    .values(
      steps.map(([workflow, position, name, mustBeApprovedByEveryone], index) => ({
        ...made(-80),
        id: demoId('cws', index + 1),
        workflowId: demoId('cwf', workflow),
        position,
        name,
        mustBeApprovedByEveryone,
      })),
    )
    .execute()
  const approvers = steps.flatMap((_, index) =>
    [owner, publisher].map((userId) => ({ stepId: demoId('cws', index + 1), userId })),
  )
  await db
    .insertInto('workflowApprovers')
    .values(approvers.map((approver) => ({ accountId, ...approver })))
    .execute()
  await seedItems(context, waiting)
}

/** Items of another area's content, pending in the first workflow or decided there; their numbers follow those of posts. */
export async function seedMoreItems(context: Context, contents: readonly (Content & Pick<Item, 'status'>)[]) {
  const { db, accountId } = context
  const at = daysFrom(context)
  const place = { accountId, workflowId: demoId('cwf', 1), stepId: demoId('cws', 1), createdBy: contributor }
  const items = contents.map((content, index) => ({
    ...place,
    ...content,
    id: demoId('cwi', 101 + index),
    created: at(-2),
    modified: at(-1),
    waitingSince: at(-2),
  }))
  await db.insertInto('workflowItems').values(items).execute()
  const decided = items.filter(({ status }) => status !== 'pending')
  await db
    .insertInto('workflowDecisions')
    .values(
      decided.map(({ id: itemId, status, stepId }) => ({
        accountId,
        itemId,
        round: 1,
        stepId,
        userId: publisher,
        created: at(-1),
        isApprove: status === 'approved',
      })),
    )
    .execute()
}

async function seedItems(context: Context, waiting: readonly Content[]) {
  const { db, accountId } = context
  const at = daysFrom(context)
  const items = waiting.map((about, index) => {
    const step = index % steps.length
    const place = { workflowId: demoId('cwf', steps[step]?.[0] ?? 1), stepId: demoId('cws', step + 1) }
    const made = {
      accountId,
      id: demoId('cwi', index + 1),
      created: at(-1),
      modified: at(-1),
      waitingSince: at(-0.5),
      createdBy: contributor,
    }
    return { ...made, ...about, ...place, status: 'pending' as const }
  })
  await db.insertInto('workflowItems').values(items).execute()
  // Items at the last step, which everyone has to approve, were approved by one user at the previous step.
  const approved = items.filter(({ stepId }) => stepId === demoId('cws', 3))
  await db
    .insertInto('workflowDecisions')
    .values(
      approved.map(({ id: itemId }) => {
        return {
          accountId,
          itemId,
          round: 1,
          stepId: demoId('cws', 2),
          userId: publisher,
          created: at(-0.5),
          isApprove: true,
        }
      }),
    )
    .execute()
}
