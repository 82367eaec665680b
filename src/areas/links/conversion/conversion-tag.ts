import type { Selectable } from 'kysely'
import { settingChanged } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import type { ConversionTags } from '#kernel/database/tables.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { linkIds, linkQuotas } from '../declarations.ts'
import type { ConversionTagChanges, ConversionTagDraft } from './conversion-tag-shape.ts'

export const search = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, own(context), page, { size: 500 })

export async function get(context: Context, { id }: { id: string }) {
  const tag = await own(context).where('id', '=', id).executeTakeFirst()
  if (!tag) throw missing('Conversion tag')
  return withSnippet(context, tag)
}

export async function create(context: Context, draft: ConversionTagDraft) {
  const { db, accountId, userId, now } = context
  const id = newId(linkIds.conversionTag, now)
  await reserveQuota(context, linkQuotas.conversionTags, own(context))
  context.notifyChange(settingChanged)
  const made = { accountId, id, created: now, modified: now, createdBy: userId }
  // Pages name a tag without its account.
  await db.insertInto('conversionTagAccounts').values({ tag: id, account: accountId }).execute()
  const row = await db
    .insertInto('conversionTags')
    .values({ ...made, ...draft, status: 'active' })
    .returningAll()
    .executeTakeFirstOrThrow()
  return withSnippet(context, row)
}

/** Existing conversions keep their value. */
export async function update(context: Context, { id, ...changes }: ConversionTagChanges) {
  const { db, accountId, now } = context
  const row = await db
    .updateTable('conversionTags')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw missing('Conversion tag')
  context.notifyChange(settingChanged)
  return withSnippet(context, row)
}

export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  // Locked, so that nothing is counted for it meanwhile.
  const tag = await own(context).where('id', '=', id).modifyEnd(lockRows('conversionTags', 'update')).executeTakeFirst()
  if (!tag) throw missing('Conversion tag')
  if (tag.conversions > 0)
    throw conflict(
      `${tag.conversions} conversions were counted for this tag and would lose it. Set its status to inactive instead.`,
    )
  await db.deleteFrom('conversionTags').where('accountId', '=', accountId).where('id', '=', id).execute()
  await db.deleteFrom('conversionTagAccounts').where('tag', '=', id).execute()
  context.notifyChange(settingChanged)
}

async function withSnippet(context: Context, tag: Selectable<ConversionTags>) {
  return { ...tag, snippet: await snippetOf(context, tag.id) }
}

const own = ({ db, accountId }: Context) =>
  db.selectFrom('conversionTags').selectAll().where('accountId', '=', accountId)

/**
 * HTML snippet for the page that visitors reach when they convert. It loads from the domain of the account's links, because the
 * visitor's cookie belongs to it.
 */
async function snippetOf(context: Context, tagId: string): Promise<string> {
  const { host, clickParameter } = await linksOfAccount(context)
  const base = host ? `https://${host}` : context.shortUrl
  const parameter = clickParameter && clickParameter !== 'click' ? ` data-parameter="${escaped(clickParameter)}"` : ''
  return [
    `<script async src="${escaped(base)}/conversion.js" data-tag="${tagId}"${parameter}></script>`,
    `<noscript><img src="${escaped(base)}/conversion.gif?tag=${tagId}" width="1" height="1" alt=""></noscript>`,
  ].join('\n')
}

async function linksOfAccount({ db, accountId }: Context) {
  const settings = await db
    .selectFrom('linkSettings')
    // A domain that isn't served can't be used.
    .leftJoin('shortHosts', (join) =>
      join
        .onRef('shortHosts.cname', '=', 'linkSettings.cnameId')
        .onRef('shortHosts.account', '=', 'linkSettings.accountId'),
    )
    .select(['linkSettings.clickParameter', 'shortHosts.host'])
    .where('linkSettings.accountId', '=', accountId)
    .where('linkSettings.campaignId', '=', '')
    .executeTakeFirst()
  return { host: settings?.host, clickParameter: settings?.clickParameter }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
