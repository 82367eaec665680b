import { sql } from 'kysely'
import { incrementCounters } from '#areas/counters/increments.ts'
import { emitInner } from '#areas/events/event.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import type { ClickRow } from '../click/click.ts'
import { authorOf, type CountsFor, incrementsOf } from '../click/click-counters.ts'
import { announceConversion } from './conversion.events.ts'

/** A visitor reached a page with a tag. */
export interface Conversion extends Trace {
  tagId: string
  at: Date
  /** Undefined for the tag's own value. */
  value: string | undefined
  /** Lowercase; empty if unknown. */
  email: string
}

export type RecordOutcome = 'counted' | 'already' | 'no-click' | 'unknown-tag' | 'inactive-tag'

/** Records a conversion with its counters, lead and event. A click converts once per tag. */
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
  // A page may learn the email address after the conversion.
  if (email !== '') await recordEmail(context, key, email, click)
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

/** The first email address stays. Leads react to it in this transaction, so that the click in the event names its lead. */
async function recordEmail(context: Context, key: Key, email: string, { network, campaignId }: ClickRow) {
  const updated = await oneConversion(context, key).set({ email }).where('email', '=', '').executeTakeFirst()
  if (updated.numUpdatedRows > 0n)
    await emitInner(context, 'conversionIdentified', { ...key, email, network, campaignId })
}

/** Sets the lead of a conversion and its click. */
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

/** The click has the last of several tags, and the time of the first. */
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

/** Lock order: campaign, its contents, counters last. */
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
  await incrementCounters(
    context,
    incrementsOf('converts', at, { ...click, author, isBoard: Boolean(link?.shareId), countsFor }),
  )
  await db
    .updateTable('conversionTags')
    .set(({ eb }) => ({ conversions: eb('conversions', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('id', '=', tagId)
    .execute()
}

/** How a page identifies the click; each may be empty. */
interface Trace {
  click: string
  visitor: string
}

const visitorMemory = 90 * day
const repeatedWithin = 30_000

/** The click of a conversion: the one named by the page, or else the visitor's last one of the past 90 days. */
async function convertedClick(context: Context, { click: id, visitor }: Trace, at: Date) {
  const named = id === '' ? undefined : await clickById(context, id)
  if (named?.class === 'human') return named
  if (named?.class === 'duplicate') return countedInstead(context, named)
  if (named || visitor === '') return undefined
  const since = new Date(at.getTime() - visitorMemory)
  return ofVisitor(context, visitor)
    .where('created', '>', since)
    .where('created', '<=', at)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

const clickById = ({ db, accountId }: Context, id: string) =>
  db.selectFrom('clicks').selectAll().where('accountId', '=', accountId).where('id', '=', id).executeTakeFirst()

/** A repeated click arrives with its own id, but the first one counts. */
const countedInstead = (context: Context, { visitorId, linkId, created }: ClickRow) =>
  ofVisitor(context, visitorId)
    .where('linkId', '=', linkId)
    .where('created', '>', new Date(created.getTime() - repeatedWithin))
    .where('created', '<', new Date(created.getTime() + repeatedWithin))
    .orderBy('created', 'desc')
    .limit(1)
    .executeTakeFirst()

const ofVisitor = ({ db, accountId }: Context, visitor: string) =>
  db
    .selectFrom('clicks')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('class', '=', sql.lit('human'))
    .where('visitorId', '=', visitor)

/** Maximum number of a visitor's latest clicks. */
const mostClicks = 100

/** Assigns the visitor's unassigned clicks to the lead. Returns them, oldest first. */
export async function claimClicks({ db, accountId }: Context, clickId: string, leadId: string): Promise<ClickRow[]> {
  const { rows } = await sql<ClickRow>`
    with visitor as materialized (
      select visitor_id from clicks where account_id = ${accountId} and id = ${clickId} and visitor_id <> ''),
    wanted as materialized (
      select id from clicks where account_id = ${accountId} and class = 'human' and visitor_id in (select visitor_id from visitor)
        and lead_id in ('', ${leadId})
      order by created desc, id desc limit ${mostClicks})
    update clicks set lead_id = ${leadId} where account_id = ${accountId} and (id = ${clickId} or id in (select id from wanted))
    returning *`.execute(db)
  return rows.sort((one, other) => one.created.getTime() - other.created.getTime() || (one.id < other.id ? -1 : 1))
}

/** Moves clicks and conversions to another lead of the same person; to none if `to` is empty. */
export async function moveLead({ db, accountId }: Context, from: string, to: string) {
  // Literal, to match the partial indexes.
  await db
    .updateTable('clicks')
    .set({ leadId: to })
    .where('accountId', '=', accountId)
    .where('leadId', '=', from)
    .where('leadId', '<>', sql.lit(''))
    .where('class', '=', sql.lit('human'))
    .execute()
  await db
    .updateTable('conversions')
    .set({ leadId: to })
    .where('accountId', '=', accountId)
    .where('leadId', '=', from)
    .where('leadId', '<>', sql.lit(''))
    .execute()
}

/** Clicks and conversions with an email address; they stay counted without a lead. */
export const conversionsPersonalData: PersonalDataLocation = {
  name: 'clicks',
  collect({ db, accountId }, { leadId }, most) {
    const clicks = db
      .selectFrom('clicks')
      .leftJoin('conversions', (join) =>
        join.onRef('conversions.clickId', '=', 'clicks.id').on('conversions.accountId', '=', accountId),
      )
      .select(['clicks.id', 'clicks.created', 'clicks.linkId', 'clicks.network', 'clicks.userAgent'])
      .select(['clicks.country', 'clicks.city', 'clicks.organization'])
      .select(['conversions.conversionTagId', 'conversions.created as converted'])
      .select(['conversions.email', 'conversions.value'])
      .where('clicks.accountId', '=', accountId)
      .where('clicks.leadId', '=', leadId)
      .where('clicks.leadId', '<>', sql.lit(''))
      .where('clicks.class', '=', sql.lit('human'))
      .orderBy('clicks.id', 'desc')
    return listedWithTotal(db, clicks.limit(most), { size: 500, id: 'clicks.id' })
  },
  async forget(context, { leadId, emails }) {
    const { db, accountId } = context
    for (const [column, values] of [
      ['leadId', [leadId]],
      ['email', emails],
    ] as const)
      if (values.length > 0)
        await db
          .updateTable('conversions')
          .set({ email: '' })
          .where('accountId', '=', accountId)
          .where(column, 'in', values)
          // Literal, to match the partial indexes.
          .where(column, '<>', sql.lit(''))
          .execute()
    await moveLead(context, leadId, '')
    return undefined
  },
}
