import { emitInner } from '#areas/events/event.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { authorOf, type CountsFor, factsOf } from '../click/click-facts.ts'
import type { ClickRow } from '../click/click-row.ts'
import { announceConversion } from './conversion.events.ts'
import { convertedClick, type Trace } from './converted-click.ts'

/** That somebody reached a page with a tag. */
export interface Conversion extends Trace {
  tagId: string
  at: Date
  /** What it is worth; the tag's own value where the page says none. */
  value: string | undefined
  /** Who it was, in small letters; empty where nobody says so. */
  email: string
}

export type RecordOutcome = 'counted' | 'already' | 'no-click' | 'unknown-tag' | 'inactive-tag'

/** Counts a conversion with everything that follows from it: counters, lead, event. A click converts once for each tag. */
export async function recordConversion(context: Context, conversion: Conversion): Promise<RecordOutcome> {
  const { db, accountId } = context
  const { tagId, at, email } = conversion
  const tag = await db
    .selectFrom('conversionTags')
    .select(['status', 'value'])
    .where('accountId', '=', accountId)
    .where('id', '=', tagId)
    .executeTakeFirst()
  if (!tag) return 'unknown-tag'
  if (tag.status !== 'active') return 'inactive-tag'
  const click = await convertedClick(context, conversion, at)
  if (!click) return 'no-click'
  const key = { clickId: click.id, conversionTagId: tagId }
  const added = await db
    .insertInto('conversions')
    .values({ accountId, ...key, created: at, value: conversion.value ?? tag.value })
    .onConflict((on) => on.doNothing())
    .returning('clickId')
    .executeTakeFirst()
  // A page may come to know the address later than the conversion.
  if (email !== '') await noteEmail(context, key, email, click)
  if (!added) return 'already'
  const converted = await markClick(context, click, tagId, at)
  await count(context, converted, tagId, at)
  await announceConversion(context, converted)
  return 'counted'
}

interface Key {
  clickId: string
  conversionTagId: string
}

/** The first address stays. Whoever keeps leads hears of it now, so that the click names its lead when others are told. */
async function noteEmail(context: Context, key: Key, email: string, { network, campaignId }: ClickRow) {
  const noted = await oneConversion(context, key).set({ email }).where('email', '=', '').executeTakeFirst()
  if (noted.numUpdatedRows > 0n)
    await emitInner(context, 'conversionIdentified', { ...key, email, network, campaignId })
}

/** Says whose conversion it is, and whose click. */
export async function setLead(context: Context, key: Key, leadId: string) {
  const { db, accountId } = context
  await oneConversion(context, key).set({ leadId }).execute()
  await db
    .updateTable('clicks')
    .set({ leadId })
    .where('accountId', '=', accountId)
    .where('id', '=', key.clickId)
    .execute()
}

const oneConversion = ({ db, accountId }: Context, { clickId, conversionTagId }: Key) =>
  db
    .updateTable('conversions')
    .where('accountId', '=', accountId)
    .where('clickId', '=', clickId)
    .where('conversionTagId', '=', conversionTagId)

/** Of several tags the click names the last; the moment is that of the first. */
const markClick = ({ db, accountId }: Context, { id, converted }: ClickRow, conversionTagId: string, at: Date) =>
  db
    .updateTable('clicks')
    .set(({ fn, val }) => ({
      conversionTagId,
      converted: fn.coalesce('converted', val(converted ?? at)),
    }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Campaign, then what lies below it, counters last: the order of locks everywhere. */
async function count(context: Context, click: ClickRow, tagId: string, at: Date) {
  const { db, accountId } = context
  const link = await db
    .selectFrom('links')
    .leftJoin('posts', (join) => join.on('posts.accountId', '=', accountId).onRef('posts.id', '=', 'links.postId'))
    .select(['links.shareId', 'links.countsFor', 'posts.createdBy as author'])
    .where('links.accountId', '=', accountId)
    .where('links.id', '=', click.linkId)
    .executeTakeFirst()
  const countsFor = (link?.countsFor ?? {}) as CountsFor
  const author = authorOf(link?.author, countsFor)
  await addFacts(context, factsOf('converts', at, { ...click, author, isBoard: Boolean(link?.shareId), countsFor }))
  await db
    .updateTable('conversionTags')
    .set(({ eb }) => ({ conversions: eb('conversions', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', tagId)
    .execute()
}
