import { type RawBuilder, sql } from 'kysely'
import { dimensionCounters, profilePost, type Recount } from '#areas/counters/counter.ts'
import type { Increment } from '#areas/counters/increments.ts'

/** Counted entities by metric kind. */
export type CountsFor = Increment['of']

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

/** Increments of a click or conversion; must match the recounts below. */
export function incrementsOf(name: 'clicks' | 'converts', at: Date, counted: Counted): Increment[] {
  const { messageId: message, postId: post, credentialId, linkId: link, isBoard, countsFor } = counted
  const { campaignId: campaign, network, author, country } = counted
  const attributes = dimensionCounters(counted.accountId, { campaign, network, author, country, profile: credentialId })
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

/** Must match `incrementsOf`. */
export const clickRecount: Recount = {
  names: ['clicks', 'boardClicks'],
  increments: (accountId, from, to) =>
    counted(
      accountId,
      ['clicks', 'boardClicks'],
      sql`select k.*, k.created as at from clicks k where k.account_id = ${accountId} and k.class = 'human' and k.created >= ${from} and k.created < ${to}`,
    ),
  first: (accountId) => sql`select min(created) from clicks where account_id = ${accountId} and class = 'human'`,
}

export const conversionRecount: Recount = {
  names: ['converts', 'boardConverts'],
  increments: (accountId, from, to) =>
    counted(
      accountId,
      ['converts', 'boardConverts'],
      sql`select k.*, v.created as at from conversions v join clicks k on k.account_id = ${accountId} and k.id = v.click_id
        where v.account_id = ${accountId} and v.created >= ${from} and v.created < ${to}`,
    ),
  first: (accountId) => sql`select min(created) from conversions where account_id = ${accountId}`,
}

function counted(accountId: string, [name, boardName]: [string, string], clicks: RawBuilder<unknown>) {
  return sql`
    select o.name, c.at, o.kind, o.id, 1 as amount from (
      select k.*, coalesce(nullif(k.campaign_id, ''), '-') as in_campaign, coalesce(nullif(k.network, ''), '-') as on_network,
        coalesce(nullif(k.credential_id, ''), '-') as on_profile, coalesce(nullif(k.country, ''), '-') as in_country,
        coalesce(nullif(coalesce(p.created_by, split_part(l.counts_for->>'advocate', ' ', 2)), ''), '-') as author,
        coalesce(l.share_id, '') as share_id, l.counts_for
      from (${clicks}) k
      left join links l on l.account_id = ${accountId} and l.id = k.link_id
      left join posts p on p.account_id = ${accountId} and p.id = k.post_id) c
    cross join lateral (values
      (${name}, 'account', ${accountId}), (${name}, 'campaign', c.in_campaign), (${name}, 'network', c.on_network),
      (${name}, 'profile', c.on_profile), (${name}, 'country', c.in_country), (${name}, 'author', c.author),
      (${name}, 'cell', c.in_campaign || ' ' || c.on_network || ' ' || c.author || ' ' || c.on_profile),
      (${name}, 'message', c.message_id), (${name}, 'post', c.post_id), (${name}, 'link', c.link_id),
      (${name}, 'profile-post', case when c.post_id <> '' then c.post_id || ' ' || c.credential_id else '' end),
      (${name}, 'share', c.counts_for->>'share'), (${name}, 'story', c.counts_for->>'story'),
      (${name}, 'board', c.counts_for->>'board'), (${name}, 'advocate', c.counts_for->>'advocate'),
      (${boardName}, 'account', case when c.share_id <> '' then ${accountId} end),
      (${boardName}, 'campaign', case when c.share_id <> '' then c.in_campaign end),
      (${boardName}, 'network', case when c.share_id <> '' then c.on_network end),
      (${boardName}, 'profile', case when c.share_id <> '' then c.on_profile end),
      (${boardName}, 'country', case when c.share_id <> '' then c.in_country end),
      (${boardName}, 'author', case when c.share_id <> '' then c.author end),
      (${boardName}, 'cell', case when c.share_id <> '' then c.in_campaign || ' ' || c.on_network || ' ' || c.author || ' ' || c.on_profile end),
      (${boardName}, 'message', case when c.share_id <> '' then c.message_id end),
      (${boardName}, 'board', case when c.share_id <> '' then c.counts_for->>'board' end),
      (${boardName}, 'advocate', case when c.share_id <> '' then c.counts_for->>'advocate' end)) o (name, kind, id)`
}
