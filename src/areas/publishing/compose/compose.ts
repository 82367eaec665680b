import { forget as forgetDraft } from '#areas/account/draft/draft.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { Refusal } from '#kernel/errors.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import { place, shownNew, write as writeMessage } from '../message/message-create.ts'
import { holdCampaigns, lockProfiles } from '../post/change/post-lock.ts'
import { submitPost, write as writePost } from '../post/plan/post-create.ts'
import { refuseEnded } from '../post/plan/post-targets.ts'
import { isQueued } from '../post/post-row.ts'
import { withDetails } from '../post/read/post-details.ts'
import type { Composition } from './compose-shape.ts'

/**
 * Makes every message and every post of a composition, or nothing: by the functions that `POST /message` and `POST /post` are. What all parts
 * share is held first and in order, so that two who compose never wait for each other in a circle. Each part is tried, so that whoever
 * composes hears of all problems at once.
 */
export async function compose(context: Context, composition: Composition) {
  const { campaignId, tagIds, workflowId = '', draftId = '', parts } = composition
  const problems = gatherProblems(parts)
  await requireCampaign(context, campaignId)
  const [campaign] = await holdCampaigns(context, [campaignId])
  refuseEnded(campaign)
  await holdFiles(context, composition)

  const messages = await problems.each(
    parts.map((part) => () => writeMessage(context, { ...contentOf(part), campaignId })),
  )
  await holdAllProfiles(context, composition)
  const posts = await problems.each(
    parts.map((part, index) => async () => {
      const message = messages[index]?.row
      return message && writePost(context, message, { ...planOf(composition, part), workflowId })
    }),
  )
  const waiting = await problems.each(
    posts.map((post) => async () => (post && workflowId !== '' ? submitPost(context, post.id, workflowId) : post)),
  )
  problems.refuse()

  const made = messages.flatMap((message) => message ?? [])
  await place(
    context,
    made.map(({ row }) => row),
    tagIds,
  )
  if (draftId !== '') await forgetDraft(context, draftId)
  const details = await withDetails(
    context,
    waiting.flatMap((post) => post ?? []),
  )
  const [only] = details
  context.about(only && details.length === 1 ? { id: only.id } : { id: campaignId, count: details.length })
  return {
    items: details.map((post, index) => ({
      message: shownNew(context, made[index] as NonNullable<(typeof made)[0]>),
      post,
    })),
  }
}

type Part = Composition['parts'][number]

function contentOf({ network, message, title, linkUrl, linkTitle, description, imageUrl, media }: Part) {
  return { network, message, title, linkUrl, linkTitle, description, imageUrl, media }
}

const planOf = ({ status, startDateTime }: Composition, part: Part) => ({
  credentialIds: part.credentialIds,
  targetingPresetId: part.targetingPresetId,
  firstComment: part.firstComment,
  status: part.status ?? status,
  startDateTime: part.startDateTime ?? startDateTime,
})

/** Those of all parts at once: each part finds out for itself whether its own are there. */
async function holdFiles({ db, accountId }: Context, { parts }: Composition) {
  const ids = [...new Set(parts.flatMap(({ media = [] }) => media))]
  if (ids.length === 0) return
  await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(heldRows('media', 'key share'))
    .execute()
}

async function holdAllProfiles(context: Context, { parts, status = 'pending' }: Composition) {
  const ids = [...new Set(parts.flatMap(({ credentialIds }) => credentialIds))]
  const queued = parts.some((part) => isQueued(part.status ?? status))
  if (ids.length > 0) await lockProfiles(context, ids, queued)
}

/** Does something for every part, and keeps what is wrong with each: its first problem is told, and nothing more is tried with it. */
function gatherProblems(parts: readonly Part[]) {
  const found = new Map<number, Refusal>()
  return {
    async each<Made>(steps: readonly (() => Promise<Made>)[]): Promise<(Made | undefined)[]> {
      const made: (Made | undefined)[] = []
      for (const [index, step] of steps.entries()) {
        if (found.has(index)) {
          made.push(undefined)
          continue
        }
        try {
          made.push(await step())
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          found.set(index, error)
          made.push(undefined)
        }
      }
      return made
    },
    /** Undoes whatever was made. */
    refuse() {
      const [first] = found.values()
      if (!first) return
      const sentences = [...found].map(([index, { message }]) => [String(index), message] as const)
      const whole = sentences.map(([index, sentence]) => `${parts[Number(index)]?.network}: ${sentence}`).join(' ')
      throw new Refusal(first.kind, whole, { beside: { Parts: Object.fromEntries(sentences) } })
    },
  }
}
