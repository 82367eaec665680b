import { sql } from 'kysely'
import { addSends, type NewSend, removeSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { takeSlot } from '../../queue/slot-taking.ts'
import { isQueued, isScheduled, type PostRow } from '../post-row.ts'

/**
 * Writes down what is to be sent of a post, anew: one send for each profile, and one for the comment there. Only for a post of
 * which nothing was sent; whoever is preparing one of the old ones finds it gone. Gives the moment of the first send.
 */
export async function planSends(context: Context, post: PostRow): Promise<Date> {
  const before = await removeSends(context, [post.id])
  const kept = new Map(
    before.flatMap(({ kind, credentialId, slot }) => (kind === 'post' ? [[credentialId, slot]] : [])),
  )
  const { paused, hasComment } = await conditionsOf(context, post)
  const scheduled = isScheduled(post.status)
  const about = { contentId: post.id, groupId: post.campaignId, network: post.network }
  const state = scheduled ? 'waiting' : 'idle'

  const sends: NewSend[] = []
  // In the order of their ids: each takes a slot in its profile's queue, one after the other.
  for (const credentialId of [...post.credentialIds].sort()) {
    const slot = isQueued(post.status) ? await slotFor(context, post, credentialId, kept.get(credentialId)) : null
    const planned = slot ?? post.startDateTime
    const due = scheduled && !paused ? planned : null
    sends.push({ ...about, credentialId, kind: 'post', state, planned, due, slot })
    if (hasComment) sends.push({ ...about, credentialId, kind: 'first-comment', state: 'idle', planned })
  }
  await addSends(context, sends)
  const moments = sends.map(({ planned }) => planned.getTime())
  return moments.length > 0 ? new Date(Math.min(...moments)) : post.startDateTime
}

/** A slot it has already is kept while it lies ahead and the post is not to go out later. */
async function slotFor(context: Context, post: PostRow, credentialId: string, kept: Date | null | undefined) {
  if (kept && kept > context.now && kept >= post.startDateTime) return kept
  const after = post.startDateTime > context.now ? new Date(post.startDateTime.getTime() - 1) : context.now
  return takeSlot(context, credentialId, after)
}

async function conditionsOf({ db, accountId }: Context, { campaignId, id }: PostRow) {
  const { rows } = await sql<{ paused: boolean; hasComment: boolean }>`
    select c.status = 'paused' as paused, exists (
      select from first_comments f where f.account_id = ${accountId} and f.post_id = ${id}) as has_comment
    from campaigns c where c.account_id = ${accountId} and c.id = ${campaignId} ${heldRows('campaigns', 'share', 'c')}`.execute(
    db,
  )
  return rows[0] ?? { paused: false, hasComment: false }
}
