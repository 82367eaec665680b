import { setTimeout as sleep } from 'node:timers/promises'
import { change, systemActor } from '#kernel/change.ts'
import { type Clock, minute } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import { isId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { isWaiting } from '../click/click-bundle.ts'
import { linkIds } from '../declarations.ts'
import { classByUserAgent } from '../redirect/request-class.ts'
import { type Conversion, type RecordOutcome, recordConversion } from './conversion.ts'
import { isAmount } from './conversion-tag-shape.ts'

/** Parameters of a page, unvalidated. */
interface PageReport {
  tag: string
  value: string
  email: string
  click: string
  visitor: string
  userAgent: string
}

/** `waiting`: it is counted once its click is. */
export type ConversionOutcome = RecordOutcome | 'invalid-value' | 'waiting'

const patience = 2_000
const pollEvery = 100
const mostWaiting = 100

/** Counts conversions reported by pages. */
export function openConversions(installation: Installation): (report: PageReport) => Promise<ConversionOutcome> {
  const { database, clock } = installation
  const tagOf = openTagCache(database, clock)
  let waiting = 0

  /** A visitor may arrive before the click is counted. Returns whether it is. */
  const untilCounted = async (account: string, { click, visitor }: PageReport): Promise<boolean> => {
    const trace = { click, visitor }
    if (!(await isWaiting(database.forUnauthenticated(''), account, trace))) return true
    if (waiting >= mostWaiting) return false
    waiting++
    try {
      for (let waited = 0; waited < patience; waited += pollEvery) {
        await sleep(pollEvery)
        if (!(await isWaiting(database.forUnauthenticated(''), account, trace))) return true
      }
      return false
    } finally {
      waiting--
    }
  }

  return async (report) => {
    const tag = await tagOf(report.tag)
    if (!tag) return 'unknown-tag'
    if (!tag.isActive) return 'inactive-tag'
    if (report.value !== '' && !isAmount(report.value)) return 'invalid-value'
    const click = isId(linkIds.click, report.click) ? report.click : ''
    if ((click === '' && report.visitor === '') || classByUserAgent(report.userAgent).class !== 'human')
      return 'no-click'
    const conversion: Conversion = {
      tagId: report.tag,
      at: clock.now(),
      click,
      visitor: report.visitor,
      value: report.value === '' ? undefined : report.value,
      email: normalEmail(report.email),
    }
    const isCounted = await untilCounted(tag.account, { ...report, click })
    return change(installation, systemActor(tag.account, clock.now()), async (context) => {
      if (isCounted) return recordConversion(context, conversion)
      await enqueue(context, countConversionJob, {
        account: tag.account,
        ...conversion,
        at: conversion.at.toISOString(),
      })
      return 'waiting'
    })
  }
}

const second = 1_000

type LateConversion = Omit<Conversion, 'at'> & { account: string; at: string }

/** Counts a conversion whose click wasn't counted yet. */
export const countConversionJob = job<LateConversion>('links.count-conversion', {
  queue: 'housekeeping',
  retryDelays: [2 * second, 10 * second, minute, 10 * minute, 60 * minute, 360 * minute],
  async run({ shared, complete }, { account, at, ...conversion }) {
    if (await isWaiting(shared, account, conversion)) throw new Error('The click has not been counted yet.')
    await complete(account, (context) => recordConversion(context, { ...conversion, at: new Date(at) }))
  },
})

/** Invalid email addresses are ignored. */
function normalEmail(text: string): string {
  const email = text.trim().toLowerCase()
  const [, domain = ''] = address.exec(email) ?? []
  return email.length <= 254 && domain.slice(1, -1).includes('.') ? email : ''
}

const address = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([^\s@<>()[\]\\,;:"\p{Cc}]+)$/u

interface KnownTag {
  account: string
  isActive: boolean
}

const mostCached = 10_000
/** Cache lifetime of tags, including unknown ones, since a page may be loaded often. */
const cachedFor = 5_000

/** Finds the account of a tag, usually from the cache. */
function openTagCache({ forUnauthenticated }: Database, clock: Clock) {
  const cached = new Map<string, { tag: KnownTag | undefined; until: number }>()

  const read = async (id: string): Promise<KnownTag | undefined> => {
    const owner = await forUnauthenticated('')
      .selectFrom('conversionTagAccounts')
      .select('account')
      .where('tag', '=', id)
      .executeTakeFirst()
    if (!owner) return undefined
    const tag = await forUnauthenticated(owner.account)
      .selectFrom('conversionTags')
      .select('status')
      .where('accountId', '=', owner.account)
      .where('id', '=', id)
      .executeTakeFirst()
    return tag && { account: owner.account, isActive: tag.status === 'active' }
  }
  return async (id: string): Promise<KnownTag | undefined> => {
    if (!isId(linkIds.conversionTag, id)) return undefined
    const now = clock.now().getTime()
    const known = cached.get(id)
    if (known && known.until > now) return known.tag
    const tag = await read(id)
    if (cached.size >= mostCached) cached.clear()
    cached.set(id, { tag, until: now + cachedFor })
    return tag
  }
}
