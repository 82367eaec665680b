import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { longestTag } from './tag-shape.ts'

export interface TagName {
  id: string
  name: string
}

/** Tags of these names, in whatever case; those that are not there are made. They are held: who would delete one waits. */
export async function ensureTags(context: Context, names: readonly string[]): Promise<TagName[]> {
  const long = names.find((name) => name.length > longestTag)
  if (long) throw invalid(`A tag has at most ${longestTag} characters; "${long.slice(0, 40)}…" has ${long.length}.`)
  const known = await holdTags(context, names)
  const absent = names.filter((name) => !known.some(({ wanted }) => wanted === name))
  if (absent.length === 0) return each(known)
  await makeTags(context, absent)
  const found = await holdTags(context, names)
  const gone = names.find((name) => !found.some(({ wanted }) => wanted === name))
  if (gone !== undefined) throw conflict(`The tag "${gone}" was deleted just now. Try again.`)
  return each(found)
}

/** Those among them that are there, each once, held. */
export const findTags = async (context: Context, names: readonly string[]) => each(await holdTags(context, names))

interface Found extends TagName {
  /** As it was asked for. */
  wanted: string
}

async function holdTags({ db, accountId }: Context, names: readonly string[]): Promise<Found[]> {
  if (names.length === 0) return []
  const { rows } = await sql<Found>`
    select w.name as wanted, c.id, c.value as name from unnest(${names}::text[]) as w (name)
    join conversation_tags c on c.account_id = ${accountId} and lower(c.value) = lower(w.name)
    where c.account_id = ${accountId} order by c.id ${heldRows('conversationTags', 'key share', 'c')}`.execute(db)
  return rows
}

/** In one order, so that nobody who makes the same at this moment waits in a circle. */
async function makeTags(context: Context, names: readonly string[]) {
  const { db, accountId, userId, now } = context
  const existing = db.selectFrom('conversationTags').where('accountId', '=', accountId)
  await reserveQuota(context, 'conversationTags', existing, names.length)
  const rows = names
    .toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
    .map((value) => ({
      accountId,
      id: newId('conversationTag', now),
      created: now,
      modified: now,
      createdBy: userId,
      value,
    }))
  await db
    .insertInto('conversationTags')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute()
}

const each = (found: readonly Found[]): TagName[] => [
  ...new Map(found.map(({ id, name }) => [id, { id, name }])).values(),
]
