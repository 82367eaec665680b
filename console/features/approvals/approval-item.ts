import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { parseOptionalTimestamp } from '@/time/days.ts'
import type { Status } from '@/ui/badges.tsx'
import { toast } from '@/ui/toasts.tsx'

export type Item = Body<'GET /workflow-item'>['Items'][number]
export type Changes = Body<'GET /workflow-item/{id}/changes'>

export const views = ['to-decide', 'waiting', 'sent', 'decided'] as const
export type View = (typeof views)[number]

/** A story can be for several networks, separated by commas. */
export const networksOf = ({ Network }: Pick<Item, 'Network'>) => Network.split(', ').filter(Boolean)

export const kindOf = ({ StoryId, PostId }: Pick<Item, 'StoryId' | 'PostId'>) =>
  StoryId ? 'story' : PostId ? 'post' : 'message'

export const dueOf = ({ Due }: Pick<Item, 'Due'>) => parseOptionalTimestamp(Due)
export const remindedAt = ({ Reminded }: Pick<Item, 'Reminded'>) => parseOptionalTimestamp(Reminded)

/** Maps the status of an approval to a status badge of posts. */
export const itemStatus = ({ Status: status }: Pick<Item, 'Status'>): Status =>
  status === 'approved' ? 'sent' : status === 'rejected' ? 'failed' : 'waiting'

export const statusText = ({ Status: status }: Pick<Item, 'Status'>) =>
  texts.approvals.status[status as keyof typeof texts.approvals.status] ?? status

/** The latest decision with the text it was made on. */
export function lastDecision({ Rounds }: Changes) {
  const round = Rounds.find(({ Decisions }) => Decisions.length > 0)
  const decision = round?.Decisions.at(-1)
  return round && decision && { round, decision }
}

/** Routes that show the approval status of an item. */
export const affectedRoutes = [
  ...(['GET /workflow-item', 'GET /workflow-item/{id}', 'GET /workflow-item/{id}/changes'] as const),
  ...(['v2 GET /workflow-item-note', 'GET /overview', 'POST /calendar', 'v2 GET /post/{id}'] as const),
] as const

interface Decision {
  items: readonly Pick<Item, 'Id' | 'StepId' | 'Round'>[]
  isApprove: boolean
  note?: string
  /** Called with the ids that were decided, without the rejected requests. */
  done?: (ids: readonly string[]) => void
}

/**
 * Decides on one or several items. Each decision applies to the step and version that was shown and has its own result; an error stays with
 * its item until the retry.
 */
export function useDecisions() {
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const { mutate, isPending } = useApiMutation('POST /workflow-items', {
    invalidates: affectedRoutes,
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const decide = ({ items, isApprove, note = '', done }: Decision) => {
    if (isPending || items.length === 0) return
    const sent = items.map(({ Id, StepId, Round }) => ({ id: Id, stepId: StepId, round: Round }))
    mutate(
      { items: sent, isApprove, ...(note && { note }) },
      {
        onSuccess: ({ Items }) => {
          const failed = Items.filter(({ Problem }) => Problem !== '')
          const decided = Items.filter(({ Problem }) => Problem === '')
          setProblems(new Map(failed.map(({ Id, Problem }) => [Id, Problem])))
          announceResult(decided, failed, isApprove)
          done?.(decided.map(({ Id }) => Id))
        },
      },
    )
  }
  return { decide, isDeciding: isPending, problems }
}

interface Answer {
  Status: string
  Problem: string
}

function announceResult(decided: readonly Answer[], failed: readonly Answer[], isApprove: boolean) {
  const t = texts.approvals
  const [only] = decided
  if (decided.length === 1 && failed.length === 0 && only) toast(t.approvedAs[only.Status] ?? t.approved(1))
  else if (decided.length > 0) toast(isApprove ? t.approved(decided.length) : t.rejected(decided.length))
  if (failed.length === 1 && decided.length === 0) toast(failed[0]?.Problem ?? '', { kind: 'problem' })
  else if (failed.length > 0) toast(t.refusedCount(failed.length), { kind: 'problem' })
}
