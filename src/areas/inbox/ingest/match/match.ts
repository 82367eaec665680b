import type { Context } from '#kernel/context.ts'
import { newId } from '#kernel/ids.ts'
import { inboxIds } from '../../declarations.ts'
import type { ItemRow } from '../../item/item-row.ts'
import type { EntryRow } from '../../timeline/timeline.ts'
import type { Received } from '../received.ts'
import type { Arrival, Batch, Outcome } from './batch.ts'
import { homeOf, isMessage, isOwn, under } from './home.ts'

/** How long an activity waits for its parent, and the profile's own content for a reply. */
const minutes = 60_000
const patience = 3 * minutes
const longPatience = 7 * 24 * 60 * minutes

type End = Omit<Outcome, 'dedupeKey'>

const done: End = { state: 'done' }
const nothingKnown: End = { state: 'done', reason: 'What it is about is not in the inbox.' }

/** Matches one activity to an item in memory; everything is written afterwards. */
export function match(context: Context, batch: Batch, arrival: Arrival): End {
  const { kind, edited } = arrival.heard
  if (kind === 'removed') return onKnown(context, batch, arrival, (entry) => removeWords(context, batch, entry))
  if (kind === 'reaction' || kind === 'share') return addReaction(context, batch, arrival)
  const known = batch.entries.get(arrival.heard.remoteId)
  if (known) {
    changeWords(context, batch, known, arrival.heard)
    return done
  }
  const { now } = context
  if (edited !== '' && !isOverdue(arrival, now)) return wait(arrival, arrival.heard.remoteId, patience)
  if (batch.replies.has(arrival.heard.remoteId)) return done
  return addWords(context, batch, arrival)
}

const isOverdue = ({ due }: Arrival, now: Date) => due !== null && due <= now

/** The deadline counts from the first time it was received. */
function wait({ received, due }: Arrival, waitsFor: string, ms: number): End {
  return { state: 'waiting', waitsFor, due: due ?? new Date(received.getTime() + ms) }
}

/** For activities that change an existing entry: they wait until the entry is received. */
function onKnown(context: Context, batch: Batch, arrival: Arrival, act: (entry: EntryRow) => void): End {
  const entry = batch.entries.get(arrival.heard.remoteId)
  if (!entry) return isOverdue(arrival, context.now) ? nothingKnown : wait(arrival, arrival.heard.remoteId, patience)
  act(entry)
  return done
}

function addReaction(context: Context, batch: Batch, arrival: Arrival): End {
  const { heard, dedupeKey } = arrival
  const target = heard.parentId || heard.postId
  const entry = batch.entries.get(target)
  const item = entry && batch.items.get(entry.itemId)
  // Metrics of our own posts come from the network's analytics.
  if (!item) {
    if (target === '' || batch.posts.has(target) || isOverdue(arrival, context.now)) return nothingKnown
    return wait(arrival, target, patience)
  }
  const type = heard.kind === 'share' ? 'share' : 'like'
  add(context, batch, item, heard, { type, remoteId: dedupeKey, parentRemoteId: target, isOwn: isOwn(heard, batch) })
  return done
}

function addWords(context: Context, batch: Batch, arrival: Arrival): End {
  const home = homeOf(batch, arrival, context.now)
  if (!home) return nothingKnown
  if ('waitsFor' in home) {
    const { remoteId } = arrival.heard
    if (home.untilAnswered && isOverdue(arrival, context.now)) return nothingKnown
    if (home.waitsFor === under(remoteId)) {
      batch.parked.set(remoteId, arrival)
      batch.known.add(remoteId)
    }
    return wait(arrival, home.waitsFor, home.untilAnswered ? longPatience : patience)
  }
  if ('item' in home) {
    continueItem(context, batch, home.item, arrival.heard)
    return done
  }
  const { key, itemType, with: said } = home.begins
  const item = beginItem(context, batch, key, itemType, arrival.heard)
  if (said) {
    addSaid(context, batch, item, said.heard)
    batch.parked.delete(said.heard.remoteId)
    batch.outcomes.push({ dedupeKey: said.dedupeKey, state: 'done' })
  }
  addSaid(context, batch, item, arrival.heard)
  batch.told.push({ event: 'newInboxItem', told: { item: { ...item } } })
  return done
}

/** A new item with its first entry. */
function beginItem(
  { accountId, now }: Context,
  batch: Batch,
  remoteKey: string,
  itemType: ItemRow['itemType'],
  heard: Received,
): ItemRow {
  const { network, credentialId } = batch
  const at = new Date(heard.at)
  const post = batch.posts.get(heard.postId)
  // If the post itself mentions us, it is the first entry.
  const itself = heard.postId === heard.remoteId ? heard : undefined
  const item: ItemRow = {
    accountId,
    id: newId(inboxIds.inboxItem, now),
    created: now,
    modified: now,
    credentialId,
    network,
    itemType,
    status: 'open',
    assigneeId: '',
    remoteKey,
    url: heard.url,
    eventDate: at,
    lastActivity: at,
    entries: 0,
    origin: itemType === 'Post' || itemType === 'Reply' ? 'owned' : 'external',
    ...personIn(heard),
    postRemoteId: heard.postId,
    postUrl: post?.url ?? itself?.url ?? '',
    postText: post?.text ?? itself?.text ?? '',
    postMedia: post?.media ?? itself?.media ?? [],
    postlogId: post?.postlogId ?? null,
    text: heard.text,
    media: heard.media,
    language: batch.languages.get(heard.text) ?? '',
  }
  batch.items.set(item.id, item)
  batch.itemsByKey.set(remoteKey, item)
  batch.newItems.push(item)
  batch.known.add(remoteKey)
  return item
}

/** Adds to an existing item; incoming content reopens a closed one. */
function continueItem(context: Context, batch: Batch, item: ItemRow, heard: Received) {
  addSaid(context, batch, item, heard)
  if (isOwn(heard, batch)) return
  show(batch, item, heard)
  const wasClosed = item.status === 'closed'
  item.status = 'open'
  const event = item.itemType === 'Conversation' ? 'newDirectMessageOnInboxItem' : 'newCommentOnInboxItem'
  batch.told.push({ event, told: { item: { ...item }, more: { Text: heard.text } } })
  if (!wasClosed) return
  batch.reopened.add(item.id)
  const change = { from: 'closed', to: 'open' }
  addEntry(context, batch, item, { type: 'status', isOwn: true, created: context.now, details: change })
  batch.told.push({
    event: 'inboxItemStatusChange',
    told: { item: { ...item }, more: { Status: { From: change.from, To: change.to } } },
  })
}

/** Lists show the last message of threads, and the first entry of everything else, even if it was received later. */
function show(batch: Batch, item: ItemRow, heard: Received) {
  const at = new Date(heard.at)
  const isThread = item.itemType === 'Conversation'
  const isRoot = !isThread && item.remoteKey.endsWith(`:${heard.remoteId}`)
  if (isThread ? at >= item.lastActivity : isRoot) {
    Object.assign(item, { text: heard.text, media: heard.media, language: batch.languages.get(heard.text) ?? '' })
    if (isRoot) Object.assign(item, personIn(heard), { url: heard.url || item.url, eventDate: at })
  }
  if (isThread && at < item.eventDate) item.eventDate = at
  if (at > item.lastActivity) item.lastActivity = at
  if (item.personId === heard.person.id && item.personName === '') item.personName = heard.person.name
}

/** Adds an entry with text and author. */
function addSaid(context: Context, batch: Batch, item: ItemRow, heard: Received) {
  const own = isOwn(heard, batch)
  const type = isMessage(heard) ? 'message' : own ? 'reply' : 'comment'
  add(context, batch, item, heard, { type, remoteId: heard.remoteId, parentRemoteId: heard.parentId, isOwn: own })
  const words = batch.words.get(item.id)
  if (words || !batch.words.has(item.id))
    batch.words.set(item.id, [...(words ?? []), heard.person.name, heard.person.username, heard.text])
}

type Kind = Pick<EntryRow, 'type' | 'remoteId' | 'parentRemoteId' | 'isOwn'>

/** Adds an incoming entry and queues its events. */
function add(context: Context, batch: Batch, item: ItemRow, heard: Received, kind: Kind) {
  const { person } = heard
  const entry = addEntry(context, batch, item, {
    ...kind,
    created: new Date(heard.at),
    content: heard.text,
    media: heard.media,
    url: heard.url,
    ...personIn(heard),
    language: batch.languages.get(heard.text) ?? '',
    edited: heard.edited === '' ? null : new Date(heard.edited),
  })
  if (kind.type !== 'like' && kind.type !== 'share') {
    batch.entries.set(entry.remoteId, entry)
    batch.known.add(entry.remoteId)
  }
  if (kind.isOwn) return
  batch.arrived.push({
    itemId: item.id,
    entryId: entry.id,
    kind: arrivedAs(heard),
    network: item.network,
    credentialId: item.credentialId,
    personId: person.id,
    personName: person.name,
    personUsername: person.username,
    personPicture: person.picture,
    text: heard.text,
    postlogId: item.postlogId ?? '',
    at: heard.at,
  })
}

const arrivedAs = ({ kind }: Received) =>
  kind === 'reaction' ? 'like' : (kind as 'comment' | 'reply' | 'mention' | 'message' | 'share')

function addEntry({ accountId, now }: Context, batch: Batch, item: ItemRow, given: Partial<EntryRow>): EntryRow {
  const nobody = { personId: '', personName: '', personUsername: '', personPicture: '' }
  const entry = {
    accountId,
    id: newId(inboxIds.inboxEntry, now),
    itemId: item.id,
    credentialId: item.credentialId,
    createdBy: '',
    remoteId: '',
    parentRemoteId: '',
    content: '',
    media: [],
    url: '',
    language: '',
    details: {},
    replyId: '',
    edited: null,
    removed: null,
    ...nobody,
    ...given,
  } as EntryRow
  batch.newEntries.push(entry)
  item.entries += 1
  item.modified = now
  return entry
}

const personIn = ({ person }: Received) => ({
  personId: person.id,
  personName: person.name,
  personUsername: person.username,
  personPicture: person.picture,
})

/** Updates the text, or adds a missing author; a version older than the stored one is ignored. */
function changeWords({ now }: Context, batch: Batch, entry: EntryRow, heard: Received) {
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

/** Removes the text of content that was deleted on the network; the entry stays. */
function removeWords({ now }: Context, batch: Batch, entry: EntryRow) {
  if (entry.removed) return
  const item = batch.items.get(entry.itemId)
  if (item && isShown(item, entry)) Object.assign(item, { text: '', media: [], language: '', modified: now })
  Object.assign(entry, { content: '', media: [], language: '', removed: now })
  changed(batch, entry)
}

/** Lists show the last incoming message of threads, and the first entry of everything else. */
const isShown = (item: ItemRow, entry: EntryRow) =>
  item.itemType === 'Conversation'
    ? !entry.isOwn && entry.created.getTime() === item.lastActivity.getTime() && entry.content === item.text
    : entry.content === item.text && entry.created.getTime() === item.eventDate.getTime()

function changed(batch: Batch, entry: EntryRow) {
  if (!batch.newEntries.includes(entry)) batch.changedEntries.add(entry)
  batch.words.set(entry.itemId, undefined)
}
