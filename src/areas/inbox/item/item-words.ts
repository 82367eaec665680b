import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { wordsColumn } from './words.ts'

/** What was added to an item, to be found by its words; nothing where the words of all that is said in it must be gathered anew. */
export type AddedTexts = ReadonlyMap<string, readonly string[] | undefined>

/** Writes the words of items that the caller holds. */
export async function writeWords(context: Context, added: AddedTexts) {
  const more = [...added].flatMap(([id, texts]) => (texts && texts.length > 0 ? [{ id, texts }] : []))
  if (more.length > 0) await addWords(context, more)
  for (const [id, texts] of added) if (!texts) await gatherWords(context, id)
}

/** From then on an item is found by what was said first. */
const mostKept = 2_000

async function addWords({ db, accountId }: Context, added: readonly { id: string; texts: readonly string[] }[]) {
  const rows = added.map(({ id, texts }) => sql`(${id}, ${wordsColumn(accountId, texts)})`)
  await sql`
    update inbox_items i set words = i.words || a.words from (values ${sql.join(rows)}) as a (id, words)
    where i.account_id = ${accountId} and i.id = a.id and length(i.words) < ${mostKept}`.execute(db)
}

/** Of as much as is read of one item. */
const mostEntries = 500

async function gatherWords({ db, accountId }: Context, itemId: string) {
  const said = await db
    .selectFrom('inboxEntries')
    .select(['personName', 'personUsername', 'content'])
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('type', 'in', ['message', 'comment', 'reply', 'note'])
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(mostEntries)
    .execute()
  const texts = said.flatMap(({ personName, personUsername, content }) => [personName, personUsername, content])
  await db
    .updateTable('inboxItems')
    .set({ words: wordsColumn(accountId, texts) })
    .where('accountId', '=', accountId)
    .where('id', '=', itemId)
    .execute()
}
