import type { Context } from '#kernel/context.ts'
import { tellItems } from '../item/item.events.ts'
import { holdItem, type ItemRow } from '../item/item-row.ts'
import { writeWords } from '../item/item-words.ts'
import { addOwnEntries } from '../timeline/entry.ts'
import { changeItems } from './item-change.ts'
import { tellOfNote } from './letters.ts'

/** Leaves a note on a conversation, for the account's own people. */
export async function note(context: Context, { id, note: text }: { id: string; note: string }) {
  return { note: await addNote(context, await holdItem(context, id), text) }
}

/** The same on one that is held; who was told of something else by the same action gets no second letter. */
export async function addNote(context: Context, item: ItemRow, text: string, told: readonly string[] = []) {
  const [changed] = (await changeItems(context, [item])) as [ItemRow]
  const [id = ''] = await addOwnEntries(context, [item], { type: 'note', content: text })
  await writeWords(context, new Map([[item.id, [text]]]))
  const { userId: createdBy, now: created } = context
  const Note = { Id: id, Text: text, CreatedBy: createdBy }
  await tellItems(context, 'newNoteOnInboxItem', [{ item: changed, more: { Note } }])
  await tellOfNote(context, changed, text, told)
  return { id, type: 'note', created, content: text, createdBy }
}
