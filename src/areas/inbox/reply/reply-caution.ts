import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import type { ItemRow } from '../item/item-row.ts'

/** What the writer has seen of the conversation; nothing where they do not say. */
export interface Seen {
  lastEntryId: string
}

/** The same words twice within this time are a slip. */
const shortTime = 5 * 60_000

interface Answer {
  id: string
  createdBy: string
  name: string | null
  content: string
}

/**
 * Refuses an answer that the writer might not give if they knew: another of us answered since they looked, or somebody said just the same a
 * moment ago. The item is held, so that of two at the same moment the second is told of the first.
 */
export async function refuseAnotherAnswer(context: Context, item: ItemRow, text: string, { lastEntryId }: Seen) {
  if (lastEntryId !== '') await requireEntry(context, item.id, lastEntryId)
  const other = lastEntryId === '' ? undefined : await answerSince(context, item.id, lastEntryId)
  if (other) throw overtaken(other, `${other.name || 'Somebody'} answered while you were writing`)
  const same = await sameAnswer(context, item.id, text)
  if (same)
    throw overtaken(
      same,
      `${same.createdBy === context.userId ? 'You' : same.name || 'Somebody'} said just this a moment ago`,
    )
}

const overtaken = ({ id, createdBy, content }: Answer, what: string) =>
  new Refusal('conflict', `${what}: "${shortened(content)}". To send yours all the same, say anyway.`, {
    beside: { Reply: { EntryId: id, CreatedBy: createdBy } },
  })

/** By characters, so that none is cut in half. */
const shortened = (text: string) => {
  const characters = [...text.slice(0, 300)]
  return characters.length > 140 ? `${characters.slice(0, 140).join('')}…` : text
}

async function requireEntry({ db, accountId }: Context, itemId: string, id: string) {
  const entry = await db
    .selectFrom('inboxEntries')
    .select('id')
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!entry) throw invalid(`lastEntryId names ${id.slice(0, 40)}, which is no entry of this conversation.`)
}

/** The last thing another of us said after the entry that was seen; on the network itself, too. */
async function answerSince({ db, accountId, userId }: Context, itemId: string, seenId: string) {
  const { rows } = await sql<Answer>`
    select e.id, e.created_by, u.name, e.content from inbox_entries seen
    join inbox_entries e on e.account_id = ${accountId} and e.item_id = seen.item_id and (e.created, e.id) > (seen.created, seen.id)
    left join users u on u.account_id = ${accountId} and u.id = e.created_by
    where seen.account_id = ${accountId} and seen.item_id = ${itemId} and seen.id = ${seenId} and e.account_id = ${accountId}
      and ${isAnswer} and e.created_by <> ${userId}
    order by e.created desc, e.id desc limit 1`.execute(db)
  return rows[0]
}

async function sameAnswer({ db, accountId, now }: Context, itemId: string, text: string) {
  const { rows } = await sql<Answer>`
    select e.id, e.created_by, u.name, e.content from inbox_entries e
    left join users u on u.account_id = ${accountId} and u.id = e.created_by
    where e.account_id = ${accountId} and e.item_id = ${itemId} and e.created > ${new Date(now.getTime() - shortTime)}
      and ${isAnswer} and e.content = ${text}
    order by e.created desc, e.id desc limit 1`.execute(db)
  return rows[0]
}

/** What did not reach the network is no answer. */
const isAnswer = sql`e.is_own and e.type in ('message', 'comment', 'reply') and e.removed is null
  and coalesce(e.details ->> 'status', '') not in ('failed', 'withdrawn')`
