import { emit } from '#areas/events/event.ts'
import { sampleIds, sampleReferences } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, shape, text, wireForm } from '#kernel/wire/fields.ts'
import { approvalEvents } from '../declarations.ts'
import { type Item, withBoard } from './item.ts'

const ItemOfEvent = shape(undefined, {
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
})

const toWire = wireForm(ItemOfEvent)

type ApprovalEvent = 'newApprovalItem' | 'approvalItemApproved' | 'approvalItemRejected'

/**
 * Emits a webhook event for an item with the user and their note. Its scopes are the campaign or board of the content, and the workflow.
 */
export const announceItem = (context: Context, event: ApprovalEvent, item: Item, note: string) =>
  emit(context, approvalEvents[event], {
    scopes: [item.scopeId, item.workflowId],
    data: toWire({ ...withBoard(item), workflowItemId: item.id, note, userId: context.userId }),
  })

/** A story has its own id and its board's; the contract omits the message. */
const story = { StoryID: sampleIds.story, BoardID: sampleIds.board, PostID: '', MessageID: '' }
const about = (known: Partial<ReturnType<typeof toWire>>) => sampleOf(ItemOfEvent, { ...sampleReferences, ...known })

export const itemSamples = {
  newApprovalItem: about({ Status: 'pending' }),
  approvalItemApproved: about({ ...story, Status: 'approved', Note: 'Good to go.' }),
  approvalItemRejected: about({ Status: 'rejected', Note: 'Please name the station.' }),
} satisfies { [event in ApprovalEvent]: object }
