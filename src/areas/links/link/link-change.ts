import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { newId } from '#kernel/ids.ts'

interface Change {
  linkId: string
  what: 'destination' | 'disabled' | 'enabled'
  before: string
  after: string
}

/** Writes down who changed a link. */
export const noteChange = ({ db, accountId, userId, now }: Context, change: Change) =>
  db
    .insertInto('linkChanges')
    .values({ accountId, id: newId('linkChange', now), at: now, userId, ...change })
    .execute()

/** What was done to a link, the latest first. */
export const changesOf = (context: Context, linkId: string) =>
  listedWithTotal(context.db, changes(context, linkId), { size: 100 })

/** When it was switched off for the last time, and by whom. */
export const lastDisabling = (context: Context, linkId: string) =>
  changes(context, linkId).where('what', '=', 'disabled').limit(1).executeTakeFirst()

const changes = ({ db, accountId }: Context, linkId: string) =>
  db
    .selectFrom('linkChanges')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('linkId', '=', linkId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
