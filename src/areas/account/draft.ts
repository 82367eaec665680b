import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { accountQuotas } from './declarations.ts'

export const kinds = ['post', 'reply', 'note'] as const
type Kind = (typeof kinds)[number]

/** More than a user works on at the same time; older ones are abandoned. */
const mostOfOne = 100

const summaryColumns = ['id', 'kind', 'title', 'created', 'modified', 'version'] as const

export function list(context: Context, { kind, page }: { kind?: Kind | undefined; page: Page }) {
  const matching = own(context)
    .select(summaryColumns)
    .$if(kind !== undefined, (rows) => rows.where('kind', '=', kind as Kind))
  return paginate(matching, page)
}

export async function get(context: Context, { id }: { id: string }) {
  const draft = await own(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!draft) throw missing('Draft')
  return draft
}

interface Writing {
  id: string
  kind?: Kind | undefined
  title?: string | undefined
  content: string
  /** The version the change is based on; omit it to overwrite unconditionally. */
  version?: number | undefined
}

/** Saves a draft under an id chosen by the client. Saving over a newer version is refused, and the stored one is kept. */
export async function save(context: Context, { id, kind = 'post', title = '', content, version }: Writing) {
  // Not a valid id, so no draft can exist under it.
  if (!/^[\w-]{1,64}$/.test(id)) throw missing('Draft')
  const { db, accountId, userId, now } = context
  const changed =
    version === undefined || version > 0
      ? await db
          .updateTable('drafts')
          .set({ kind, title, content, modified: now, version: sql`version + 1` })
          .where('accountId', '=', accountId)
          .where('userId', '=', userId)
          .where('id', '=', id)
          .$if(version !== undefined, (row) => row.where('version', '=', version as number))
          .returning(summaryColumns)
          .executeTakeFirst()
      : undefined
  if (changed) return changed
  // A draft deleted in the meantime, for example because it was sent, is not restored by saving it again.
  if (version) throw elsewhere()
  await reserveDraft(context)
  const made = await db
    .insertInto('drafts')
    .values({ accountId, userId, id, created: now, modified: now, kind, title, content })
    .onConflict((on) => on.doNothing())
    .returning(summaryColumns)
    .executeTakeFirst()
  if (!made) throw elsewhere()
  return made
}

/** Idempotent: a client that sends its content need not know whether a draft was stored. */
export const forget = ({ db, accountId, userId }: Context, id: string) =>
  db
    .deleteFrom('drafts')
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()

export async function remove(context: Context, { id }: { id: string }) {
  const { numDeletedRows } = await forget(context, id)
  if (numDeletedRows === 0n) throw missing('Draft')
}

/** For a user who was deleted. */
export const forgetAll = ({ db, accountId }: Context, userId: string) =>
  db.deleteFrom('drafts').where('accountId', '=', accountId).where('userId', '=', userId).execute()

const day = 24 * 60 * 60 * 1000
/** After this time a draft counts as abandoned. */
const lifetime = 180 * day

/** Deletes drafts that were not changed for half a year. */
export const forgetOldDraftsJob = job<Record<string, never>>('account.forget-old-drafts', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, forgetOld)),
})

const forgetOld = ({ db, accountId, now }: Context) =>
  db
    .deleteFrom('drafts')
    .where('accountId', '=', accountId)
    .where('modified', '<', new Date(now.getTime() - lifetime))
    .execute()

const elsewhere = () =>
  conflict('The draft was saved or removed elsewhere meanwhile. Read it again before you save over it.')

/** Exact for the account; concurrent saves of one user may exceed the per-user limit by one. */
async function reserveDraft(context: Context) {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${own(context).select('id').limit(mostOfOne)}) those`.execute(context.db)
  if ((rows[0]?.count ?? 0) >= mostOfOne)
    throw conflict(`You have ${mostOfOne} drafts, which is the most. Delete some that you do not need.`)
  const { db, accountId } = context
  await reserveQuota(context, accountQuotas.drafts, db.selectFrom('drafts').where('accountId', '=', accountId))
}

/** Drafts are private to their author, even from admins. */
const own = ({ db, accountId, userId }: Context) =>
  db.selectFrom('drafts').where('accountId', '=', accountId).where('userId', '=', userId)
