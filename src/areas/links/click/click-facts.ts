import type { Selectable } from 'kysely'
import type { Fact } from '#areas/figures/add-facts.ts'
import { placed, profilePost } from '#areas/figures/figure.ts'
import type { Clicks } from '#kernel/database/tables.ts'

/** What a visit to a short link was. Only `human` counts. */
export const clickClasses = ['human', 'bot', 'preview', 'head', 'prefetch', 'duplicate'] as const

export type ClickClass = (typeof clickClasses)[number]

export type ClickRow = Selectable<Clicks>

/** Things by the kind of their figures. */
export type CountsFor = Fact['of']

/** What one click, or one conversion, counts for; what is empty is nothing. */
interface Counted {
  accountId: string
  messageId: string
  postId: string
  credentialId: string
  linkId: string
  campaignId: string
  network: string
  country: string
  /** Who wrote the post; of what an advocate shared, the advocate. */
  author: string
  /** Whether it came through something an advocate shared. */
  isBoard: boolean
  /** What else it counts for, as whoever made the link said. */
  countsFor: CountsFor
}

/** A click or a conversion as the facts that follow from it; click.recount.ts says the same in SQL. */
export function factsOf(name: 'clicks' | 'converts', at: Date, counted: Counted): Fact[] {
  const { messageId: message, postId: post, credentialId, linkId: link, isBoard, countsFor } = counted
  const { campaignId: campaign, network, author, country } = counted
  const place = placed(counted.accountId, { campaign, network, author, country, profile: credentialId })
  const of = { ...countsFor, ...place, message, post, 'profile-post': profilePost(post, credentialId), link }
  const board = { name: name === 'clicks' ? ('boardClicks' as const) : ('boardConverts' as const), at }
  const { board: boardId = '', advocate = '' } = countsFor
  return [{ name, at, of }, ...(isBoard ? [{ ...board, of: { ...place, message, board: boardId, advocate } }] : [])]
}

/** Who brought visitors through a link: whoever wrote the post, or the advocate. */
export const authorOf = (postAuthor: string | null | undefined, { advocate = '' }: CountsFor): string =>
  postAuthor ?? advocate.split(' ')[1] ?? ''
