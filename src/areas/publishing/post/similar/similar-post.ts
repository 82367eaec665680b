import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { wordsOf } from '../../message/message-content.ts'
import { visible } from '../change/post-lock.ts'

const week = 7 * 24 * 60 * 60 * 1000
const most = 20

interface Wanted {
  message: string
  credentialIds: readonly string[]
  startDateTime?: Date | undefined
  /** The post that is being changed: it is like itself. */
  postId?: string | undefined
}

/** Posts with the same words on any of these profiles, a week before and after: networks take repetition badly, and so do readers. */
export async function findSimilar(context: Context, { message, credentialIds, startDateTime, postId = '' }: Wanted) {
  const words = wordsOf(message)
  if (words === '' || credentialIds.length === 0) return { items: [], total: 0 }
  const { accountId, now } = context
  const at = (startDateTime ?? now).getTime()
  // The index of words is asked first: few messages say the same, however many posts there are.
  const saying = sql<boolean>`message_id in (
    select m.id from messages m where m.account_id = ${accountId} and m.words = ${words} and m.words <> ''
      and ${withinTeams(context, 'm.campaign_id')})`
  const found = await visible(context)
    .where(saying)
    .where(sql<boolean>`credential_ids && ${credentialIds}::text[]`)
    .where('startDateTime', '>=', new Date(at - week))
    .where('startDateTime', '<=', new Date(at + week))
    .where('id', '<>', postId)
    .where('status', '<>', 'error')
    .orderBy('startDateTime')
    .orderBy('id')
    .limit(most)
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
