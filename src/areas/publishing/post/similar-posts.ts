import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { wordsOf } from '../message/message-content.ts'
import { visiblePosts } from './post.ts'

const week = 7 * 24 * 60 * 60 * 1000
const maxResults = 20

interface SimilarOptions {
  message: string
  credentialIds: readonly string[]
  startDateTime?: Date | undefined
  /** The post being edited, which is excluded. */
  postId?: string | undefined
}

/** Posts with the same text on any of these profiles within a week: networks penalise duplicates. */
export async function findSimilar(
  context: Context,
  { message, credentialIds, startDateTime, postId = '' }: SimilarOptions,
) {
  const words = wordsOf(message)
  if (words === '' || credentialIds.length === 0) return { items: [], total: 0 }
  const { accountId, now } = context
  const at = (startDateTime ?? now).getTime()
  // Starts from the index on the text: few messages match, however many posts there are.
  const saying = sql<boolean>`message_id in (
    select m.id from messages m where m.account_id = ${accountId} and m.words = ${words} and m.words <> ''
      and ${withinTeams(context, 'm.campaign_id')})`
  const found = await visiblePosts(context)
    .where(saying)
    .where(sql<boolean>`credential_ids && ${credentialIds}::text[]`)
    .where('startDateTime', '>=', new Date(at - week))
    .where('startDateTime', '<=', new Date(at + week))
    .where('id', '<>', postId)
    .where('status', '<>', 'error')
    .orderBy('startDateTime')
    .orderBy('id')
    .limit(maxResults)
    .execute()
  const items = found.map(({ id, campaignId, network, startDateTime: moment, status, credentialIds: ids }) => {
    return {
      id,
      campaignId,
      network,
      at: moment,
      status,
      credentialIds: ids.filter((one) => credentialIds.includes(one)),
    }
  })
  return { items, total: items.length }
}
