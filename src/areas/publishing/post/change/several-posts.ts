import type { Context } from '#kernel/context.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import type { Outside } from '#kernel/outside.ts'
import { remove } from '../post.ts'
import { changeCampaign } from './post-campaign.ts'
import { update } from './post-update.ts'

export const postActions = ['move', 'change-campaign', 'delete'] as const

interface Changes {
  action: (typeof postActions)[number]
  items: readonly { id: string; startDateTime?: Date | undefined }[]
  campaignId?: string | undefined
}

export interface Changed {
  id: string
  /** Why it was refused; empty where it was done. */
  problem: string
}

/** Does the same with several posts, one after the other, each by itself: what is refused keeps no other from being changed. */
export async function changeSeveral(outside: Outside, changes: Changes): Promise<Changed[]> {
  if (changes.action === 'change-campaign' && !changes.campaignId) throw invalid('campaignId must be given.')
  if (changes.action === 'move' && changes.items.some(({ startDateTime }) => !startDateTime))
    throw invalid('startDateTime must be given for each of the items.')
  const answers: Changed[] = []
  for (const item of changes.items) {
    const problem = await outside
      .step((context) => changeOne(context, changes, item))
      .then(() => '')
      .catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error
        return error.message
      })
    answers.push({ id: item.id, problem })
  }
  return answers
}

async function changeOne(context: Context, { action, campaignId = '' }: Changes, item: Changes['items'][number]) {
  const { id, startDateTime } = item
  if (action === 'move') await update(context, { id, startDateTime })
  else if (action === 'change-campaign') await changeCampaign(context, { id, campaignId })
  else await remove(context, { id })
}

/** Says to the audit log how many there were. */
export async function tellSeveral(context: Context, answers: readonly Changed[]) {
  const changed = answers.filter(({ problem }) => problem === '')
  const [first = answers[0]] = changed
  if (first) context.about({ id: first.id, count: changed.length })
  return { items: answers }
}
