import { sql } from 'kysely'
import { type Db, later } from '../database/database.ts'
import type { Work } from './agenda.ts'

/**
 * What is due within so many milliseconds is told at once and found by looks ahead of its time, so that it is taken at its moment. It must
 * be longer than the time between two looks.
 */
const soon = 15_000

/** Whose work it is, of which kind, and when it is due. */
export interface Notice extends Work {
  /** Empty where a channel has only one. */
  readonly kind: string
}

/** Tells all processes where to look, when the transaction commits. A hint: the next look finds the work without it. */
export async function tell(db: Db, channel: string, now: Date, { kind, account, due }: Notice) {
  if (due.getTime() > now.getTime() + soon) return
  // No part of it has a space.
  await later(db, sql`select pg_notify(${channel}, ${`${kind} ${account} ${due.getTime()}`})`)
}

/** Nothing where it cannot be read: an older version may have written it. */
export function readNotice(payload: string | undefined): Notice | undefined {
  const [kind = '', account, due] = payload?.split(' ') ?? []
  const moment = new Date(Number(due))
  if (account === undefined || due === undefined || Number.isNaN(moment.getTime())) return undefined
  return { kind, account, due: moment }
}
