import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { factsOf } from '../click/click-facts.ts'
import type { ClickRow } from '../click/click-row.ts'
import { announceConversion } from './conversion.events.ts'
import { convertedClick, type Trace } from './converted-click.ts'
import type { LeadFinder } from './lead-finder.ts'

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
export async function recordConversion(
  context: Context,
  conversion: Conversion,
  findLead: LeadFinder | undefined,
): Promise<RecordOutcome> {
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
  const key = { accountId, clickId: click.id, conversionTagId: tagId }
  const added = await db
    .insertInto('conversions')
    .values({ ...key, created: at, value: conversion.value ?? tag.value })
    .onConflict((on) => on.doNothing())
    .returning('clickId')
    .executeTakeFirst()
  // A page may come to know the address later than the conversion.
  const leadId = email === '' ? undefined : await noteEmail(context, key, email, findLead)
  if (!added) return 'already'
  const converted = await markClick(context, click, tagId, at, leadId)
  await count(context, converted, tagId, at)
  await announceConversion(context, converted)
  return 'counted'
}

interface Key {
  accountId: string
  clickId: string
  conversionTagId: string
}

/** The first address stays. */
async function noteEmail(context: Context, key: Key, email: string, findLead: LeadFinder | undefined) {
  const { db } = context
  const conversion = () =>
    db
      .updateTable('conversions')
      .where('accountId', '=', key.accountId)
      .where('clickId', '=', key.clickId)
      .where('conversionTagId', '=', key.conversionTagId)
  const noted = await conversion().set({ email }).where('email', '=', '').returning('clickId').executeTakeFirst()
  const leadId = noted && (await findLead?.(context, { email, ...key }))
  if (!leadId) return undefined
  await conversion().set({ leadId }).execute()
  await db
    .updateTable('clicks')
    .set({ leadId })
    .where('accountId', '=', key.accountId)
    .where('id', '=', key.clickId)
    .execute()
  return leadId
}

/** Of several tags the click names the last; the moment is that of the first. */
const markClick = (
  { db, accountId }: Context,
  { id, converted }: ClickRow,
  conversionTagId: string,
  at: Date,
  leadId: string | undefined,
) =>
  db
    .updateTable('clicks')
    .set(({ fn, val }) => ({
      conversionTagId,
      converted: fn.coalesce('converted', val(converted ?? at)),
      ...(leadId && { leadId }),
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
    .select('shareId')
    .where('accountId', '=', accountId)
    .where('id', '=', click.linkId)
    .executeTakeFirst()
  await addFacts(context, factsOf('converts', at, { ...click, isBoard: Boolean(link?.shareId) }))
  await db
    .updateTable('conversionTags')
    .set(({ eb }) => ({ conversions: eb('conversions', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', tagId)
    .execute()
}
