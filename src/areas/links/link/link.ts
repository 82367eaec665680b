import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { type Counters, countersOf, withCounters } from '#areas/counters/counter.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { Links } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { linkIds } from '../declarations.ts'
import { checkDestination, finalUrl, hostsOf, isHash, paramsOf, plainName, shortUrl } from './link-url.ts'

export type LinkRow = Selectable<Links>

const mostIds = 100

/** Account of a hash. */
export async function ownerOf(shared: Db, { hash }: { hash: string }): Promise<string> {
  const known = isHash(hash)
    ? await shared.selectFrom('linkHashes').select('account').where('hash', '=', hash).executeTakeFirst()
    : undefined
  if (!known) throw missing('Link')
  return known.account
}

/** Public fields of a link; disabled ones aren't found. */
export async function getPublic(context: Context, { hash }: { hash: string }) {
  const link = await findByHash(context, { hash })
  if (link.disabled) throw missing('Link')
  const final = destinationOf(link)
  return { ...link, finalUrl: final, params: paramsOf(final) }
}

function destinationOf({ longUrl, params }: LinkRow): string {
  try {
    return finalUrl(longUrl, params as Record<string, string>)
  } catch {
    throw missing('Link')
  }
}

/** For any caller, and for the operator. */
export async function findByHash(context: Context, { hash }: { hash: string }) {
  const { db, accountId } = context
  const link = await db
    .selectFrom('links')
    .selectAll()
    .select(numbersOf(context))
    .where('accountId', '=', accountId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (!link) throw missing('Link')
  return shown(context, link)
}

interface Search {
  hash?: string | undefined
  credentialIds?: string[] | undefined
  ids?: string[] | undefined
  page: Page
}

export async function search(context: Context, { hash = '', credentialIds = [], ids = [], page }: Search) {
  if (ids.length > mostIds) throw invalid(`ids must not hold more than ${mostIds} ids.`)
  const [credentialId, ...others] = credentialIds
  const matching = counted(context)
    .$if(hash !== '', (rows) => rows.where('hash', '=', hash))
    // For one profile the index is in this order.
    .$if(others.length === 0 && credentialId !== undefined, (rows) =>
      rows.where('credentialId', '=', credentialId ?? ''),
    )
    .$if(others.length > 0, (rows) => rows.where('credentialId', 'in', credentialIds))
    .$if(ids.length > 0, (rows) => rows.where('id', 'in', ids))
  const { items, total } = await paginate(matching, page)
  return { items: items.map((link) => shown(context, link)), total }
}

/** Changes the destination; redirectors follow immediately. */
export async function changeDestination(context: Context, { id, longUrl }: { id: string; longUrl: string }) {
  const { db, accountId, now } = context
  await requireDestination(context, 'longUrl', longUrl)
  const before = await lockLink(context, id)
  if (before.longUrl === longUrl) return { items: [await get(context, id)], total: 1 }
  const link = await db
    .updateTable('links')
    .set({ longUrl, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordChange(context, { linkId: id, what: 'destination', before: before.longUrl, after: longUrl })
  await updateHash(context, link)
  return { items: [await get(context, id)], total: 1 }
}

/** Rejects an invalid destination; the message names the parameter. */
export async function requireDestination(context: Context, name: string, url: string) {
  const problem = checkDestination(url, await ownHosts(context, url))
  if (problem) throw invalid(`${name} cannot be used. ${problem}`)
}

/** Locks a link until commit. */
async function lockLink(context: Context, id: string): Promise<LinkRow> {
  const link = await visible(context).where('id', '=', id).modifyEnd(lockRows('links', 'update')).executeTakeFirst()
  if (!link) throw missing('Link')
  return link
}

/** A visible link with its counters. */
export async function get(context: Context, id: string) {
  return shown(context, await counted(context).where('id', '=', id).executeTakeFirstOrThrow())
}

type CountedLink = LinkRow & { postlogId: string; counters: Partial<Counters> }

export const shown = ({ shortUrl: base }: Context, link: CountedLink) => ({
  ...withCounters(link),
  shortUrl: shortUrl(base, link),
})

/** With their counters. */
export const counted = (context: Context) => visible(context).select(numbersOf(context))

const numbersOf = (context: Context) => [
  countersOf(context, 'link', 'links.id'),
  // Post and profile identify the postlog, which is created after the link.
  sql<string>`coalesce((
    select g.id from postlogs g where g.account_id = ${context.accountId} and g.post_id = links.post_id
      and g.credential_id = links.credential_id and g.post_id <> ''), '')`.as('postlogId'),
]

/** Links are visible to users who see their campaign. */
export const visible = (context: Context) =>
  context.db
    .selectFrom('links')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'links.campaign_id'))

/** The service's own hosts, and the URL's custom domain if it belongs to this installation. */
async function ownHosts({ db, publicUrl, shortUrl: base }: Context, url: string): Promise<Set<string>> {
  const own = hostsOf([publicUrl, base])
  const host = nameIn(url)
  const known =
    host === ''
      ? undefined
      : await db.selectFrom('shortHosts').select('host').where('host', '=', host).executeTakeFirst()
  return known ? own.add(known.host) : own
}

function nameIn(url: string): string {
  try {
    return plainName(new URL(url))
  } catch {
    return ''
  }
}

/** Disables a link: visitors see a notice. */
export async function disable(context: Context, { id, reason = '' }: { id: string; reason?: string | undefined }) {
  const link = await lockLink(context, id)
  if (link.disabled) throw conflict('The link is switched off already.')
  await recordChange(context, { linkId: id, what: 'disabled', before: '', after: reason })
  return setDisabled(context, id, { disabled: context.now, disabledReason: reason })
}

export async function enable(context: Context, { id }: { id: string }) {
  const link = await lockLink(context, id)
  if (!link.disabled) throw conflict('The link is not switched off.')
  const last = await lastDisabling(context, id)
  // Changes by the operator have no user.
  if (last?.userId === '' && context.userId !== '')
    throw conflict('The link was switched off by the operator of this service; only the operator can switch it on.')
  await recordChange(context, { linkId: id, what: 'enabled', before: link.disabledReason, after: '' })
  return setDisabled(context, id, { disabled: null, disabledReason: '' })
}

/** Changes of a link, newest first. */
export async function changes(context: Context, { id }: { id: string }) {
  if (!(await visible(context).where('id', '=', id).executeTakeFirst())) throw missing('Link')
  return changesOf(context, id)
}

async function setDisabled(context: Context, id: string, current: { disabled: Date | null; disabledReason: string }) {
  const link = await context.db
    .updateTable('links')
    .set({ ...current, modified: context.now })
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await updateHash(context, link)
  return get(context, id)
}

interface Change {
  linkId: string
  what: 'destination' | 'disabled' | 'enabled'
  before: string
  after: string
}

const recordChange = ({ db, accountId, userId, now }: Context, change: Change) =>
  db
    .insertInto('linkChanges')
    .values({ accountId, id: newId(linkIds.linkChange, now), at: now, userId, ...change })
    .execute()

/** Changes of a link, newest first. */
const changesOf = (context: Context, linkId: string) =>
  listedWithTotal(context.db, changeRows(context, linkId), { size: 100 })

/** The last time it was disabled, and by whom. */
const lastDisabling = (context: Context, linkId: string) =>
  changeRows(context, linkId).where('what', '=', 'disabled').limit(1).executeTakeFirst()

const changeRows = ({ db, accountId }: Context, linkId: string) =>
  db
    .selectFrom('linkChanges')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('linkId', '=', linkId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')

/** NOTIFY channel for changed links: a hash, `host:` and a domain, or empty for everything. */
export const linksChannel = 'links'

/** Invalidates a link in every redirector; call in the changing transaction. */
const linkChanged = (context: Context, hash: string) => context.announce(linksChannel, hash)

export const hostChanged = (context: Context, host: string) => context.announce(linksChannel, `host:${host}`)

/** For changes that affect all links of an account. */
export const allLinksChanged = (context: Context) => context.announce(linksChannel, '')

/**
 * Updates the hash lookup of a link and invalidates it in every redirector; call in the changing
 * transaction.
 */
async function updateHash(
  context: Context,
  { hash, longUrl, disabled }: Pick<Selectable<Links>, 'hash' | 'longUrl' | 'disabled'>,
) {
  await context.db
    .updateTable('linkHashes')
    .set({ longUrl, disabled: disabled !== null, changed: sql<Date>`now()` })
    .where('hash', '=', hash)
    .execute()
  await linkChanged(context, hash)
}
