import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { ClickRow } from '../click/click-row.ts'

/** By what a page tells which click has led to it; each may be empty. */
export interface Trace {
  click: string
  visitor: string
}

const day = 24 * 60 * 60 * 1000
const remembered = 90 * day
const repeatedWithin = 30_000

/** The click that a conversion belongs to: the one the page names, else the visitor's last one of the past 90 days. */
export async function convertedClick(context: Context, { click: id, visitor }: Trace, at: Date) {
  const named = id === '' ? undefined : await clickById(context, id)
  if (named?.class === 'human') return named
  if (named?.class === 'duplicate') return countedInstead(context, named)
  if (named || visitor === '') return undefined
  const since = new Date(at.getTime() - remembered)
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

/** Who clicks twice arrives with the second click, but the first one counts. */
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
