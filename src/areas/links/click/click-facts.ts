import type { Fact } from '#areas/figures/add-facts.ts'
import { profilePost } from '#areas/figures/figure.ts'

/** Things by the kind of their figures. */
export type CountsFor = Fact['of']

/** What one click, or one conversion, counts for; what is empty is nothing. */
export interface Counted {
  messageId: string
  postId: string
  credentialId: string
  linkId: string
  campaignId: string
  /** Whether it came through something an advocate shared. */
  isBoard: boolean
  /** What else it counts for, as whoever made the link said. */
  countsFor: CountsFor
}

/** A click or a conversion as the facts that follow from it. */
export function factsOf(name: 'clicks' | 'converts', at: Date, counted: Counted): Fact[] {
  const {
    campaignId: campaign,
    messageId: message,
    postId: post,
    credentialId,
    linkId: link,
    isBoard,
    countsFor,
  } = counted
  const of = { ...countsFor, campaign, message, post, 'profile-post': profilePost(post, credentialId), link }
  const board = { name: name === 'clicks' ? ('boardClicks' as const) : ('boardConverts' as const), at }
  return [{ name, at, of }, ...(isBoard ? [{ ...board, of: { campaign, message } }] : [])]
}
