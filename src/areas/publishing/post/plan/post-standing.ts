import type { Item } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { draftOf, isDraft, isScheduled, type PlannedStatus, type PostRow } from '../post-row.ts'

type Standing = Pick<PostRow, 'approveStatus'> & { status: PlannedStatus }

/** How a new post stands: who may not approve gets a draft that waits for somebody who may. */
export function newStanding({ role }: Context, wanted: PlannedStatus): Standing {
  if (!isScheduled(wanted) || may(role, 'approve')) return { status: wanted, approveStatus: 'Approved' }
  return { status: draftOf(wanted), approveStatus: 'Pending' }
}

interface Change {
  wanted: PlannedStatus
  /** Something else would be published, or elsewhere; another time alone is no such change. */
  saysOther: boolean
}

/** How a post stands after a change, and whether its approvers have to see it, again or anew. */
export function standingAfter(
  { role }: Context,
  post: PostRow,
  item: Item | undefined,
  { wanted, saysOther }: Change,
): Standing & { isForApprovers: boolean } {
  const schedules = isScheduled(wanted) && isDraft(post.status)
  const mayApprove = may(role, 'approve')
  const isForApprovers = item !== undefined && concernsApprovers(item, { schedules, saysOther, mayApprove })
  const [draft, before] = [draftOf(wanted), post.approveStatus]
  if (isForApprovers) return { status: draft, approveStatus: 'Pending', isForApprovers }
  if (item && item.status !== 'approved') return { status: draft, approveStatus: before, isForApprovers }
  if (!isScheduled(wanted)) return { status: wanted, approveStatus: before, isForApprovers }
  if (!mayApprove && (schedules || saysOther)) return { status: draft, approveStatus: 'Pending', isForApprovers }
  return { status: wanted, approveStatus: 'Approved', isForApprovers }
}

interface Attempt {
  schedules: boolean
  saysOther: boolean
  mayApprove: boolean
}

/** What waits or was rejected is scheduled by its approvers alone, and what they approved is not changed without them. */
function concernsApprovers({ status }: Item, { schedules, saysOther, mayApprove }: Attempt): boolean {
  if (status === 'pending') return schedules || saysOther
  if (status === 'rejected') return schedules
  return saysOther || (schedules && !mayApprove)
}

/**
 * When something goes out that was planned for this moment. What lies a little in the past is meant for now; what lies further
 * back is more likely a slip, and nobody can call back what is published.
 */
export function startFrom({ now, lateness }: Context, moment: Date): Date {
  if (moment >= now) return moment
  if (now.getTime() - moment.getTime() <= lateness) return now
  const understood = moment.toISOString().slice(0, 19).replace('T', ' ')
  throw invalid(
    `startDateTime is ${understood} UTC, which has passed. Give a moment to come, in Unix seconds or as YYYY-MM-DD HH:MM:SS.`,
  )
}
