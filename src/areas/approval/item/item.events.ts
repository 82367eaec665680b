import { emit } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { shape, text, wireForm } from '#kernel/wire/fields.ts'
import { type Item, withBoard } from './item.ts'

const toWire = wireForm(
  shape(undefined, {
    WorkflowItemID: text,
    WorkflowID: text,
    StepID: text,
    Status: text,
    StoryID: text,
    BoardID: text,
    PostID: text,
    MessageID: text,
    Network: text,
    Note: text,
    UserID: text,
  }),
)

type ApprovalEvent = 'newApprovalItem' | 'approvalItemApproved' | 'approvalItemRejected'

/** Tells webhooks of an item, and who did that with which note. */
export const announceItem = (context: Context, event: ApprovalEvent, item: Item, note: string) =>
  emit(context, event, toWire({ ...withBoard(item), workflowItemId: item.id, note, userId: context.userId }))
