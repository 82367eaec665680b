import { forget as forgetDraft } from '#areas/account/draft.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { Refusal } from '#kernel/errors.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import { addToCampaign, attachMedia, insertMessage, type NewMessage, newMessageView } from '../message/message-write.ts'
import { isQueued, lockCampaigns, lockProfiles, requireActiveCampaign } from './post.ts'
import { createPost, submitNewPost } from './post-create.ts'
import { withDetails } from './post-queries.ts'
import type { Composition } from './post-shape.ts'

/**
 * Creates all messages and posts of a composition or none, with the functions behind `POST /message` and `POST /post`. Everything the parts
 * share is locked first and in order, which prevents deadlocks. All parts are attempted, so that the caller gets all problems in one
 * response.
 */
export async function compose(context: Context, composition: Composition) {
  const { campaignId, tagIds, workflowId = '', draftId = '', parts } = composition
  const problems = collectProblems(parts)
  await requireCampaign(context, campaignId)
  const [campaign] = await lockCampaigns(context, [campaignId])
  requireActiveCampaign(campaign)

  const written = await problems.each(parts, (part) => insertMessage(context, { ...contentOf(part), campaignId }))
  await lockContents(
    context,
    written.flatMap((message) => message ?? []),
  )
  const messages = await problems.each(written, async (message) => {
    await attachMedia(context, message)
    return message
  })
  await lockAllProfiles(context, composition)
  const planned = await problems.each(messages, ({ row }, index) =>
    createPost(context, row, { ...planOf(composition, parts[index] as Part), workflowId }),
  )
  const posts = await problems.each(planned, (post) => submitNewPost(context, post, workflowId))
  const made = problems.refuseAny(messages)
  await addToCampaign(
    context,
    made.map(({ row }) => row),
    tagIds,
  )
  if (draftId !== '') await forgetDraft(context, draftId)
  const details = await withDetails(context, problems.refuseAny(posts))
  const [only] = details
  context.about(only && details.length === 1 ? { id: only.id } : { id: campaignId, count: details.length })
  return {
    items: made.map((message, index) => ({
      message: newMessageView(context, message),
      post: details[index] as Details,
    })),
  }
}

type Details = Awaited<ReturnType<typeof withDetails>>[number]
type Part = Composition['parts'][number]

/** The fields of a part that belong to its message. */
const contentOf = ({
  credentialIds: _profiles,
  targetingPresetId: _audience,
  firstComment: _comment,
  status: _status,
  startDateTime: _moment,
  ...content
}: Part) => content

const planOf = ({ status, startDateTime }: Composition, part: Part) => ({
  credentialIds: part.credentialIds,
  targetingPresetId: part.targetingPresetId,
  firstComment: part.firstComment,
  status: part.status ?? status,
  startDateTime: part.startDateTime ?? startDateTime,
})

/** Locks the new messages before their media. No other transaction can see them yet, and later locks on them keep to the lock order. */
async function lockContents({ db, accountId }: Context, written: readonly NewMessage[]) {
  const ids = written.map(({ row }) => row.id)
  const mediaIds = [...new Set(written.flatMap(({ media }) => media.map(({ id }) => id)))]
  const held = (table: 'messages' | 'media', named: readonly string[]) =>
    db.selectFrom(table).select('id').where('accountId', '=', accountId).where('id', 'in', named).orderBy('id')
  if (ids.length > 0) await held('messages', ids).modifyEnd(lockRows('messages', 'share')).execute()
  if (mediaIds.length > 0) await held('media', mediaIds).modifyEnd(lockRows('media', 'key share')).execute()
}

async function lockAllProfiles(context: Context, { parts, status = 'pending' }: Composition) {
  const ids = [...new Set(parts.flatMap(({ credentialIds }) => credentialIds))]
  const queued = parts.some((part) => isQueued(part.status ?? status))
  if (ids.length > 0) await lockProfiles(context, ids, queued)
}

/** Runs a step for every part and collects refusals. A part's first refusal is reported, and its further steps are skipped. */
function collectProblems(parts: readonly Part[]) {
  const found = new Map<number, Refusal>()
  const refuse = () => {
    const [first] = found.values()
    if (!first) return
    const sentences = [...found]
      .sort(([one], [other]) => one - other)
      .map(([index, { message }]) => [index, message] as const)
    const message = sentences.map(([index, sentence]) => `${parts[index]?.network}: ${sentence}`).join(' ')
    throw new Refusal(first.kind, message, { beside: { Parts: Object.fromEntries(sentences) } })
  }
  return {
    async each<From, Made>(
      from: readonly (From | undefined)[],
      step: (one: From, index: number) => Promise<Made>,
    ): Promise<(Made | undefined)[]> {
      const made: (Made | undefined)[] = []
      for (const [index, one] of from.entries()) {
        made.push(undefined)
        if (one === undefined) continue
        try {
          made[index] = await step(one, index)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          found.set(index, error)
        }
      }
      return made
    },
    /** The results of all parts; throws if any part was refused, which rolls back the transaction. */
    refuseAny<Made>(made: readonly (Made | undefined)[]): Made[] {
      refuse()
      return made.filter((one) => one !== undefined)
    },
  }
}
