import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { may } from '#kernel/permissions.ts'
import { incrementQuery, type QuotaContext, QuotaExceeded, reserveQuota } from '#kernel/quotas/quotas.ts'
import type { CountsFor } from '../click/click-counters.ts'
import { linkIds, linkQuotas } from '../declarations.ts'
import { changeDestination, requireDestination } from './link.ts'
import { hashLength, longestDestination, newHash, plainName, shortUrl } from './link-url.ts'

/** Target of links: a post or share on one profile. */
export interface LinkTarget {
  /** Empty for a share. */
  postId: string
  credentialId: string
  campaignId: string
  messageId: string
  network: string
  share?: LinkedShare | undefined
}

/** A share, and what its clicks count for. */
interface LinkedShare {
  id: string
  countsFor: CountsFor
}

export interface RequestedLinks {
  place: LinkTarget
  urls: readonly string[]
  /** Maximum length of a short link under a custom domain; longer ones use the service's own host. */
  longest: number
}

interface MadeLink {
  hash: string
  host: string
}

/** Links of one target by destination URL. */
export type LinksByUrl = ReadonlyMap<string, MadeLink>

/**
 * Creates links of targets, all posts or all shares, each once: repeated calls return existing ones with their original host and parameters.
 * URLs under a custom domain of the installation get none. One statement, except under concurrency.
 */
export async function makeLinks(
  db: Db,
  accountId: string,
  now: Date,
  requested: readonly RequestedLinks[],
): Promise<LinksByUrl[]> {
  const links = linksByTarget(requested, await insert(db, accountId, now, requested))
  if (areComplete(links, requested)) return links
  // Rows created concurrently are visible now; URLs without a link aren't missing.
  return linksByTarget(requested, await insert(db, accountId, now, requested))
}

/**
 * The same in one statement including the quota. Undefined if that isn't sufficient: the quota is exceeded, the same links are created
 * concurrently, or a URL gets none.
 */
async function makeLinksAtOnce(
  context: QuotaContext,
  now: Date,
  requested: readonly RequestedLinks[],
): Promise<LinksByUrl[] | undefined> {
  const { db, accountId } = context
  const links = linksByTarget(
    requested,
    await insert(db, accountId, now, requested, incrementQuery(context, linkQuotas.links, countOf(requested))),
  )
  return areComplete(links, requested) ? links : undefined
}

const countOf = (requested: readonly RequestedLinks[]) => requested.reduce((sum, { urls }) => sum + urls.length, 0)

const areComplete = (links: readonly LinksByUrl[], requested: readonly RequestedLinks[]) =>
  links.every((made, index) => made.size === requested[index]?.urls.length)

/** Hash collision: 62^8 is large, not infinite. The caller retries. */
const isTakenHash = (error: unknown) => isDuplicate(error, 'link_hashes_pkey') || isDuplicate(error, 'links_by_hash')

/** Existing links only. */
export async function linksOf(
  db: Db,
  accountId: string,
  { postId, share, credentialId }: LinkTarget,
): Promise<LinksByUrl> {
  const rows = await db
    .selectFrom('links')
    .select(['originalUrl', 'hash', 'host'])
    .where('accountId', '=', accountId)
    .$if(share === undefined, (links) => links.where('postId', '=', postId).where('postId', '<>', sql.lit('')))
    .$if(share !== undefined, (links) =>
      links.where('shareId', '=', share?.id ?? '').where('shareId', '<>', sql.lit('')),
    )
    .where('credentialId', '=', credentialId)
    .execute()
  return new Map(rows.map(({ originalUrl, ...link }) => [originalUrl, link]))
}

/** Length of a short link under the service's own host. */
export const ownLength = (base: string) => shortUrl(base, { host: '', hash: '0'.repeat(hashLength) }).length

interface LinkOfTarget extends MadeLink {
  postId: string
  shareId: string
  credentialId: string
  originalUrl: string
}

/**
 * With `room`, the statement also reserves quota, and creates nothing if that fails. Known links are looked up one by one: a join could be
 * planned as a scan of all links while they are few, and that plan is kept when they are many.
 */
async function insert(
  db: Db,
  accountId: string,
  now: Date,
  requested: readonly RequestedLinks[],
  room?: RawBuilder<unknown>,
): Promise<LinkOfTarget[]> {
  const rows = requested.flatMap(({ place: target, urls, longest }) => urls.map((url) => ({ ...target, url, longest })))
  const column = <Value>(read: (row: (typeof rows)[number]) => Value) => rows.map(read)
  const utm = (name: string, standard: ReturnType<typeof sql>) =>
    sql`nullif(coalesce(${sql.ref(`own.${name}`)}, ${sql.ref(`account.${name}`)}, ${standard}), '')`
  const isShare = requested.some(({ place: target }) => target.share)
  const found = await sql<LinkOfTarget>`
    with ${room ? sql`${room},` : sql``} wanted as (
      select * from unnest(${column(() => newId(linkIds.link, now))}::text[], ${column(newHash)}::text[], ${column(({ postId }) => postId)}::text[],
        ${column(({ credentialId }) => credentialId)}::text[], ${column(({ campaignId }) => campaignId)}::text[],
        ${column(({ messageId }) => messageId)}::text[], ${column(({ network }) => network)}::text[], ${column(({ url }) => url)}::text[],
        ${column(({ url }) => plainName(new URL(url)))}::text[], ${column(({ longest }) => longest)}::int[],
        ${column(({ share }) => share?.id ?? '')}::text[], ${column(({ share }) => JSON.stringify(share?.countsFor ?? {}))}::jsonb[])
        as w (id, hash, post_id, credential_id, campaign_id, message_id, network, url, target, longest, share_id, counts_for)),
    made as (
      insert into links (account_id, id, created, modified, hash, campaign_id, message_id, post_id, credential_id, network, host,
        share_id, counts_for, original_url, long_url, params)
      select ${accountId}, w.id, ${now}, ${now}, w.hash, w.campaign_id, w.message_id, w.post_id, w.credential_id, w.network,
        coalesce(custom.host, ''), w.share_id, w.counts_for, w.url, w.url, jsonb_strip_nulls(jsonb_build_object(
          'utm_source', ${utm('utm_source', sql`lower(w.network)`)}, 'utm_medium', ${utm('utm_medium', sql`'social'`)},
          'utm_campaign', ${utm('utm_campaign', sql`c.name`)}, 'utm_term', ${utm('utm_term', sql`''`)},
          'utm_content', ${utm('utm_content', sql`''`)}))
      from wanted w ${room ? sql`cross join room` : sql``}
      join campaigns c on c.account_id = ${accountId} and c.id = w.campaign_id
      left join link_settings account on account.account_id = ${accountId} and account.campaign_id = ''
      left join link_settings own on own.account_id = ${accountId} and own.campaign_id = w.campaign_id
      left join cnames domain on domain.account_id = ${accountId} and domain.id = account.cname_id
      left join short_hosts custom on custom.host = domain.name and custom.account = ${accountId}
        and length(custom.host) + ${'https://'.length + 1 + hashLength} <= w.longest
      where not exists (select from short_hosts h where h.host = w.target)
      on conflict ${isShare ? ofShare : ofPost} do nothing
      returning id, hash, host, post_id, share_id, credential_id, original_url, long_url, params),
    named as (insert into link_hashes (hash, account, link, long_url, params)
      select hash, ${accountId}, id, long_url, params::text from made)
    select post_id, share_id, credential_id, original_url, hash, host from made
    union all
    select known.* from wanted w cross join lateral (
      select l.post_id, l.share_id, l.credential_id, l.original_url, l.hash, l.host from links l
      where l.account_id = ${accountId} and l.credential_id = w.credential_id
        and ${isShare ? sql`l.share_id = w.share_id and l.share_id <> ''` : sql`l.post_id = w.post_id and l.post_id <> ''`}
        and md5(l.original_url) = md5(w.url) and l.original_url = w.url
      limit 1) known`.execute(db)
  return found.rows
}

/** Uniqueness of a link, as in the indexes. */
const ofPost = sql`(account_id, post_id, credential_id, md5(original_url)) where post_id <> ''`
const ofShare = sql`(account_id, share_id, md5(original_url)) where share_id <> ''`

function linksByTarget(requested: readonly RequestedLinks[], rows: readonly LinkOfTarget[]): LinksByUrl[] {
  const targets = new Map<string, Map<string, MadeLink>>()
  for (const { postId, shareId, credentialId, originalUrl, hash, host } of rows) {
    const target = [postId, shareId, credentialId].join(' ')
    targets.set(target, (targets.get(target) ?? new Map()).set(originalUrl, { hash, host }))
  }
  return requested.map(
    ({ place: target }) =>
      targets.get([target.postId, target.share?.id ?? '', target.credentialId].join(' ')) ?? new Map(),
  )
}

/**
 * Creates the links of posts within the quota. Beyond it only existing ones are returned: a post is sent with its original URLs
 * rather than not at all.
 */
export async function linksWithin(
  { database, accountLimits }: Pick<Installation, 'database' | 'accountLimits'>,
  accountId: string,
  now: Date,
  requested: readonly RequestedLinks[],
): Promise<LinksByUrl[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await makeWithin({ database, accountLimits }, accountId, now, requested)
    } catch (error) {
      if (!isTakenHash(error) || attempt === maximumAttempts) throw error
    }
  }
}

const maximumAttempts = 5

async function makeWithin(
  { database, accountLimits }: Pick<Installation, 'database' | 'accountLimits'>,
  accountId: string,
  now: Date,
  requested: readonly RequestedLinks[],
): Promise<LinksByUrl[]> {
  const connection = database.forAccount(accountId)
  const links = await makeLinksAtOnce({ db: connection, accountId, accountLimits }, now, requested)
  if (links) return links
  try {
    return await database.transaction(accountId, async (db) => {
      const existing = db.selectFrom('links').where('accountId', '=', accountId)
      await reserveQuota({ db, accountId, accountLimits }, linkQuotas.links, existing, countOf(requested))
      return makeLinks(db, accountId, now, requested)
    })
  } catch (error) {
    if (!(error instanceof QuotaExceeded)) throw error
    return Promise.all(requested.map(({ place: target }) => linksOf(connection, accountId, target)))
  }
}

interface Campaign {
  id: string
  /** Current link of its URL. */
  linkId: string | null
  /** Empty to remove it. */
  url: string
}

/**
 * Link of a campaign's URL: the existing one with a new destination, or a new one. Replaced links keep their destination, also
 * for users who may not approve, since they may be in use anywhere.
 */
export async function campaignLink(context: Context, { id, linkId, url }: Campaign): Promise<string | null> {
  if (url === '') return null
  await requireDestination(context, 'url', url)
  if (!linkId || !may(context.role, 'approve')) return makeLink(context, id, url)
  await changeDestination(context, { id: linkId, longUrl: url })
  return linkId
}

/** Short URL for people; empty if there is none. */
export async function campaignShortUrl(context: Context, linkId: string | null): Promise<string> {
  if (linkId === null) return ''
  const link = await context.db
    .selectFrom('links')
    .select(['host', 'hash'])
    .where('accountId', '=', context.accountId)
    .where('id', '=', linkId)
    .executeTakeFirst()
  return link ? shortUrl(context.shortUrl, link) : ''
}

async function makeLink(context: Context, campaignId: string, url: string): Promise<string> {
  const { db, accountId, now } = context
  await reserveQuota(context, linkQuotas.links, db.selectFrom('links').where('accountId', '=', accountId))
  const target = { postId: '', credentialId: '', campaignId, messageId: '', network: '' }
  const [made] = await makeLinks(db, accountId, now, [{ place: target, urls: [url], longest: longestDestination }])
  const { id } = await db
    .selectFrom('links')
    .select('id')
    .where('accountId', '=', accountId)
    .where('hash', '=', made?.get(url)?.hash ?? '')
    .executeTakeFirstOrThrow()
  return id
}
