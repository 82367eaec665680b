import type { Context } from '#kernel/context.ts'
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
export const changesOf = ({ db, accountId }: Context, linkId: string) =>
  db
    .selectFrom('linkChanges')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('linkId', '=', linkId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute()
