import type { Context } from '#kernel/context.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import type { Outside } from '#kernel/outside.ts'
import { expectedOf, tagOf } from '#kernel/unchanged.ts'
import { remove } from '../post.ts'
import { changeCampaign } from './post-campaign.ts'
import { update } from './post-update.ts'

export const postActions = ['move', 'change-campaign', 'delete'] as const

interface Changes {
  action: (typeof postActions)[number]
  items: readonly {
    id: string
    startDateTime?: Date | undefined
    /** As its caller knows it; it stays as it is where somebody else changed it meanwhile. */
    ifMatch?: string | undefined
  }[]
  campaignId?: string | undefined
}

export interface Changed {
  id: string
  /** Why it was refused; empty where it was done. */
  problem: string
  /** As it is known now; empty where it was refused or is gone. */
  tag: string
}

/** Does the same with several posts, one after the other, each by itself: what is refused keeps no other from being changed. */
export async function changeSeveral(outside: Outside, changes: Changes): Promise<Changed[]> {
  if (changes.action === 'change-campaign' && !changes.campaignId) throw invalid('campaignId must be given.')
  if (changes.action === 'move' && changes.items.some(({ startDateTime }) => !startDateTime))
    throw invalid('startDateTime must be given for each of the items.')
  const answers: Changed[] = []
  for (const item of changes.items) {
    const outcome = await outside
      .step((context) => changeOne({ ...context, expected: expectedOf(item.ifMatch || undefined) }, changes, item))
      .then((changed) => ({ problem: '', tag: changed ? tagOf(changed.modified) : '' }))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error
        return { problem: error.message, tag: '' }
      })
    answers.push({ id: item.id, ...outcome })
  }
  return answers
}

async function changeOne(
  context: Context,
  { action, campaignId = '' }: Changes,
  item: Changes['items'][number],
): Promise<{ modified: Date } | undefined> {
  const { id, startDateTime } = item
  if (action === 'move') return update(context, { id, startDateTime })
  if (action === 'change-campaign') return changeCampaign(context, { id, campaignId })
  await remove(context, { id })
  return undefined
}

/** Says to the audit log how many there were. */
export async function tellSeveral(context: Context, answers: readonly Changed[]) {
  const changed = answers.filter(({ problem }) => problem === '')
  const [first = answers[0]] = changed
  if (first) context.about({ id: first.id, count: changed.length })
  return { items: answers }
}
