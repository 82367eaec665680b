import type { Context } from '#kernel/context.ts'
import type { ItemRow } from '../../item/item-row.ts'
import type { EntryRow } from '../../timeline/entry.ts'
import type { Heard } from '../heard.ts'
import type { Batch } from './batch.ts'

/** What was said has other words now, or is told once more with a name; what is older than the words we have changes nothing. */
export function changeWords({ now }: Context, batch: Batch, entry: EntryRow, heard: Heard) {
  if (entry.removed) return
  const item = batch.items.get(entry.itemId)
  if (entry.personId === heard.person.id && entry.personName === '' && heard.person.name !== '') {
    const named = { personName: heard.person.name, personUsername: entry.personUsername || heard.person.username }
    Object.assign(entry, named)
    if (item?.personId === entry.personId && item.personName === '') Object.assign(item, named)
    changed(batch, entry)
  }
  if (heard.edited === '') return
  const edited = new Date(heard.edited)
  const isOlder = edited < (entry.edited ?? entry.created)
  const isSame = entry.content === heard.text && JSON.stringify(entry.media) === JSON.stringify(heard.media)
  if (isOlder || isSame) return
  const language = batch.languages.get(heard.text) ?? ''
  if (item && isShown(item, entry)) {
    Object.assign(item, { text: heard.text, media: heard.media, language, modified: now })
  }
  Object.assign(entry, { content: heard.text, media: heard.media, language, edited })
  changed(batch, entry)
}

/** What was taken back at the network: that it was there stays, what it said does not. */
export function removeWords({ now }: Context, batch: Batch, entry: EntryRow) {
  if (entry.removed) return
  const item = batch.items.get(entry.itemId)
  if (item && isShown(item, entry)) Object.assign(item, { text: '', media: [], language: '', modified: now })
  Object.assign(entry, { content: '', media: [], language: '', removed: now })
  changed(batch, entry)
}

/** Of threads lists show the last message from outside, of everything else what began it. */
const isShown = (item: ItemRow, entry: EntryRow) =>
  item.itemType === 'Conversation'
    ? !entry.isOwn && entry.created.getTime() === item.lastActivity.getTime() && entry.content === item.text
    : entry.content === item.text && entry.created.getTime() === item.eventDate.getTime()

function changed(batch: Batch, entry: EntryRow) {
  if (!batch.newEntries.includes(entry)) batch.changedEntries.add(entry)
  batch.words.set(entry.itemId, undefined)
}
