import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { hintItem, holdItems } from '../item/item-row.ts'

/** How people see whoever was deleted. */
const nobody = 'Deleted person'

/** Where a post names us it is theirs, too. */
const ownPost = sql.join(
  [
    ['post_text', ''],
    ['post_url', ''],
    ['post_media', '[]'],
  ].map(([column, empty]) => {
    const isTheirs = sql`item_type = 'Mention' and remote_key = 'mention:' || post_remote_id`
    return sql`${sql.ref(column as string)} = case when ${isTheirs} then ${sql.lit(empty)} else ${sql.ref(column as string)} end`
  }),
)

/** Blanks what somebody wrote in items: that it was there stays. They are held from now on. */
export async function forgetAuthor(context: Context, itemIds: readonly string[], personId: string) {
  const { db, accountId, now } = context
  await holdItems(context, itemIds)
  // Whoever hears of it once more must not fill it again: what was removed stays so.
  await sql`
    update inbox_entries set person_id = '', person_name = ${nobody}, person_username = '', person_picture = '', content = '',
      media = '[]', url = '', language = '', details = '{}', removed = coalesce(removed, ${now})
    where account_id = ${accountId} and item_id = any (${itemIds}) and person_id = ${personId} and not is_own`.execute(
    db,
  )
  await sql`
    update inbox_entries set person_id = '' where account_id = ${accountId} and item_id = any (${itemIds}) and person_id = ${personId}`.execute(
    db,
  )
  await sql`
    update inbox_replies set person_id = '', thread_remote_id = ''
    where account_id = ${accountId} and item_id = any (${itemIds}) and person_id = ${personId}`.execute(db)
  // A thread is known by whom it is with: who writes again begins another.
  await sql`
    update inbox_items set person_id = '', person_name = ${nobody}, person_username = '', person_picture = '', text = '', media = '[]',
      url = '', language = '', modified = ${now},
      remote_key = case when item_type = 'Conversation' then 'forgotten:' || id else remote_key end, ${ownPost}
    where account_id = ${accountId} and id = any (${itemIds}) and person_id = ${personId}`.execute(db)
  for (const id of itemIds) hintItem(context, id)
}
