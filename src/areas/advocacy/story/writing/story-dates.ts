import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

const day = 24 * 60 * 60 * 1000

/** What a board whose setting nobody can read does. */
const usual = { count: 6, unit: 'months' }

/** When something ends that begins at this moment, by a board's setting: `in_6_months`, `in_10_days`. */
export function expirationFrom(from: Date, defaultExpiration: string): Date {
  const [, digits, word] = /^in_(\d{1,4})_(day|week|month)s?$/.exec(defaultExpiration) ?? []
  const { count, unit } = word ? { count: Number(digits), unit: `${word}s` } : usual
  if (unit !== 'months') return new Date(from.getTime() + count * day * (unit === 'weeks' ? 7 : 1))
  return monthsAfter(from, count)
}

/** The last day of a month that is shorter than the day's number. */
function monthsAfter(from: Date, months: number): Date {
  const moment = new Date(from)
  const wanted = moment.getUTCDate()
  moment.setUTCDate(1)
  moment.setUTCMonth(moment.getUTCMonth() + months)
  const last = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate()
  moment.setUTCDate(Math.min(wanted, last))
  return moment
}

interface Given {
  publishDatetime?: Date | undefined
  expirationDatetime?: Date | undefined
}

/** From when to when a new story is out. */
export function datesOf({ now }: Pick<Context, 'now'>, given: Given, defaultExpiration: string) {
  const publishDate = given.publishDatetime ?? now
  const expirationDate = given.expirationDatetime ?? expirationFrom(publishDate, defaultExpiration)
  requireOrder(publishDate, expirationDate)
  return { publishDate, expirationDate }
}

export function requireOrder(publishDate: Date, expirationDate: Date) {
  if (expirationDate > publishDate) return
  throw invalid(
    `expirationDatetime (${said(expirationDate)} UTC) must lie after publishDatetime (${said(publishDate)} UTC).`,
  )
}

const said = (moment: Date) => moment.toISOString().slice(0, 19).replace('T', ' ')
