import { useState } from 'react'
import { say } from '../../../ui/layers/toasts.tsx'
import { told, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import type { Item } from './item.ts'

/** What shows where something stands. */
export const showing = [
  ...(['GET /workflow-item', 'GET /workflow-item/{id}', 'GET /workflow-item/{id}/changes'] as const),
  ...(['v2 GET /workflow-item-note', 'GET /overview', 'POST /calendar', 'v2 GET /post/{id}'] as const),
] as const

interface Decision {
  items: readonly Pick<Item, 'Id' | 'StepId' | 'Round'>[]
  isApprove: boolean
  note?: string
  /** Told what was decided; what was refused is not among it. */
  done?: (ids: readonly string[]) => void
}

/**
 * Decides on one or several. Each is decided at the step and on the words that were looked at, and has an answer of its own: why one was
 * refused stands with it until it is tried again.
 */
export function useDeciding() {
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const { mutate, isPending } = useChange('POST /workflow-items', {
    stale: showing,
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const decide = ({ items, isApprove, note = '', done }: Decision) => {
    if (isPending || items.length === 0) return
    const sent = items.map(({ Id, StepId, Round }) => ({ id: Id, stepId: StepId, round: Round }))
    mutate(
      { items: sent, isApprove, ...(note && { note }) },
      {
        onSuccess: ({ Items }) => {
          const refused = Items.filter(({ Problem }) => Problem !== '')
          const decided = Items.filter(({ Problem }) => Problem === '')
          setProblems(new Map(refused.map(({ Id, Problem }) => [Id, Problem])))
          tell(decided, refused, isApprove)
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

function tell(decided: readonly Answer[], refused: readonly Answer[], isApprove: boolean) {
  const w = words.approvals
  const [only] = decided
  if (decided.length === 1 && refused.length === 0 && only) say(w.approvedAs[only.Status] ?? w.approved(1))
  else if (decided.length > 0) say(isApprove ? w.approved(decided.length) : w.rejected(decided.length))
  if (refused.length === 1 && decided.length === 0) say(refused[0]?.Problem ?? '', { kind: 'problem' })
  else if (refused.length > 0) say(w.refusedCount(refused.length), { kind: 'problem' })
}
