import type { Selectable } from 'kysely'
import type { Fact } from '#areas/figures/add-facts.ts'
import { placed, profilePost } from '#areas/figures/figure.ts'
import type { Clicks } from '#kernel/database/tables.ts'

/** Classification of a visit. Only `human` counts. */
export const clickClasses = ['human', 'bot', 'preview', 'head', 'prefetch', 'duplicate'] as const

export type ClickClass = (typeof clickClasses)[number]

export type ClickRow = Selectable<Clicks>

/** Counted entities by metric kind. */
export type CountsFor = Fact['of']

/** What a click or conversion counts for; empty values don't count. */
interface Counted {
  accountId: string
  messageId: string
  postId: string
  credentialId: string
  linkId: string
  campaignId: string
  network: string
  country: string
  /** Author of the post, or the advocate of a share. */
  author: string
  /** Whether it came through a share. */
  isBoard: boolean
  /** Additional entities given when the link was created. */
  countsFor: CountsFor
}

/** Increments of a click or conversion; must match click.recount.ts. */
export function factsOf(name: 'clicks' | 'converts', at: Date, counted: Counted): Fact[] {
  const { messageId: message, postId: post, credentialId, linkId: link, isBoard, countsFor } = counted
  const { campaignId: campaign, network, author, country } = counted
  const attributes = placed(counted.accountId, { campaign, network, author, country, profile: credentialId })
  const of = { ...countsFor, ...attributes, message, post, 'profile-post': profilePost(post, credentialId), link }
  const board = { name: name === 'clicks' ? ('boardClicks' as const) : ('boardConverts' as const), at }
  const { board: boardId = '', advocate = '' } = countsFor
  return [
    { name, at, of },
    ...(isBoard ? [{ ...board, of: { ...attributes, message, board: boardId, advocate } }] : []),
  ]
}

/** Author of the post, or the advocate. */
export const authorOf = (postAuthor: string | null | undefined, { advocate = '' }: CountsFor): string =>
  postAuthor ?? advocate.split(' ')[1] ?? ''
