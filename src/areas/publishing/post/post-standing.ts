import type { Context } from '#kernel/context.ts'
import { may } from '#kernel/permissions.ts'
import { draftOf, isScheduled, type PlannedStatus, type PostRow } from './post-row.ts'

type Standing = Pick<PostRow, 'approveStatus'> & { status: PlannedStatus }

/** How a post stands that is to have this status: who may not approve gets a draft that waits for somebody who may. */
export function standing({ role }: Context, wanted: PlannedStatus, before: PostRow['approveStatus']): Standing {
  if (!isScheduled(wanted)) return { status: wanted, approveStatus: before }
  if (may(role, 'approve')) return { status: wanted, approveStatus: 'Approved' }
  return { status: draftOf(wanted), approveStatus: 'Pending' }
}

/** What lies in the past is meant for now. */
export const atLeastNow = ({ now }: Context, moment: Date) => (moment > now ? moment : now)
