import type { Context } from '#kernel/context.ts'
import { newId } from '#kernel/ids.ts'
import { inboxIds } from '../declarations.ts'
import type { ItemRow } from '../item/item.ts'
import type { EntryRow } from '../item/timeline.ts'
import { type Batch, isMessage, isOwn, matchItem, type Outcome, type ReceivedActivity, under } from './batch.ts'
import type { Received } from './received.ts'

/** How long an activity waits for its parent, and the profile's own content for a reply. */
const minutes = 60_000
const parentTimeout = 3 * minutes
const replyTimeout = 7 * 24 * 60 * minutes

type End = Omit<Outcome, 'dedupeKey'>

const done: End = { state: 'done' }
const nothingKnown: End = { state: 'done', reason: 'What it is about is not in the inbox.' }

/** Matches one activity to an item in memory; everything is written afterwards. */
export function processActivity(context: Context, batch: Batch, incoming: ReceivedActivity): End {
  const { kind, edited } = incoming.activity
  if (kind === 'removed') return changeKnown(context, batch, incoming, (entry) => removeText(context, batch, entry))
  if (kind === 'reaction' || kind === 'share') return addReaction(context, batch, incoming)
  const known = batch.entries.get(incoming.activity.remoteId)
  if (known) {
    changeText(context, batch, known, incoming.activity)
    return done
  }
  const { now } = context
  if (edited !== '' && !isOverdue(incoming, now)) return wait(incoming, incoming.activity.remoteId, parentTimeout)
  if (batch.replies.has(incoming.activity.remoteId)) return done
  return addMessage(context, batch, incoming)
}

const isOverdue = ({ due }: ReceivedActivity, now: Date) => due !== null && due <= now

/** The deadline counts from the first time it was received. */
function wait({ received, due }: ReceivedActivity, waitsFor: string, ms: number): End {
  return { state: 'waiting', waitsFor, due: due ?? new Date(received.getTime() + ms) }
}

/** For activities that change an existing entry: they wait until the entry is received. */
function changeKnown(context: Context, batch: Batch, incoming: ReceivedActivity, act: (entry: EntryRow) => void): End {
  const entry = batch.entries.get(incoming.activity.remoteId)
  if (!entry)
    return isOverdue(incoming, context.now) ? nothingKnown : wait(incoming, incoming.activity.remoteId, parentTimeout)
  act(entry)
  return done
}

function addReaction(context: Context, batch: Batch, incoming: ReceivedActivity): End {
  const { activity, dedupeKey } = incoming
  const target = activity.parentId || activity.postId
  const entry = batch.entries.get(target)
  const item = entry && batch.items.get(entry.itemId)
  // Metrics of our own posts come from the network's analytics.
  if (!item) {
    if (target === '' || batch.posts.has(target) || isOverdue(incoming, context.now)) return nothingKnown
    return wait(incoming, target, parentTimeout)
  }
  const type = activity.kind === 'share' ? 'share' : 'like'
  add(context, batch, item, activity, {
    type,
    remoteId: dedupeKey,
    parentRemoteId: target,
    isOwn: isOwn(activity, batch),
  })
  return done
}

function addMessage(context: Context, batch: Batch, incoming: ReceivedActivity): End {
  const match = matchItem(batch, incoming, context.now)
  if (!match) return nothingKnown
  if ('waitsFor' in match) {
    const { remoteId } = incoming.activity
    if (match.untilAnswered && isOverdue(incoming, context.now)) return nothingKnown
    if (match.waitsFor === under(remoteId)) {
      batch.parked.set(remoteId, incoming)
      batch.known.add(remoteId)
    }
    return wait(incoming, match.waitsFor, match.untilAnswered ? replyTimeout : parentTimeout)
  }
  if ('item' in match) {
    continueItem(context, batch, match.item, incoming.activity)
    return done
  }
  const { key, itemType, with: message } = match.begins
  const item = beginItem(context, batch, key, itemType, incoming.activity)
  if (message) {
    addMessageEntry(context, batch, item, message.activity)
    batch.parked.delete(message.activity.remoteId)
    batch.outcomes.push({ dedupeKey: message.dedupeKey, state: 'done' })
  }
  addMessageEntry(context, batch, item, incoming.activity)
  batch.events.push({ event: 'newInboxItem', data: { item: { ...item } } })
  return done
}

/** A new item with its first entry. */
function beginItem(
  { accountId, now }: Context,
  batch: Batch,
  remoteKey: string,
  itemType: ItemRow['itemType'],
  activity: Received,
): ItemRow {
  const { network, credentialId } = batch
  const at = new Date(activity.at)
  const post = batch.posts.get(activity.postId)
  // If the post itself mentions us, it is the first entry.
  const itself = activity.postId === activity.remoteId ? activity : undefined
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
    url: activity.url,
    eventDate: at,
    lastActivity: at,
    entries: 0,
    origin: itemType === 'Post' || itemType === 'Reply' ? 'owned' : 'external',
    ...personIn(activity),
    postRemoteId: activity.postId,
    postUrl: post?.url ?? itself?.url ?? '',
    postText: post?.text ?? itself?.text ?? '',
    postMedia: post?.media ?? itself?.media ?? [],
    postlogId: post?.postlogId ?? null,
    text: activity.text,
    media: activity.media,
    language: batch.languages.get(activity.text) ?? '',
  }
  batch.items.set(item.id, item)
  batch.itemsByKey.set(remoteKey, item)
  batch.newItems.push(item)
  batch.known.add(remoteKey)
  return item
}

/** Adds to an existing item; incoming content reopens a closed one. */
function continueItem(context: Context, batch: Batch, item: ItemRow, activity: Received) {
  addMessageEntry(context, batch, item, activity)
  if (isOwn(activity, batch)) return
  show(batch, item, activity)
  const wasClosed = item.status === 'closed'
  item.status = 'open'
  const event = item.itemType === 'Conversation' ? 'newDirectMessageOnInboxItem' : 'newCommentOnInboxItem'
  batch.events.push({ event, data: { item: { ...item }, more: { Text: activity.text } } })
  if (!wasClosed) return
  batch.reopened.add(item.id)
  const change = { from: 'closed', to: 'open' }
  addEntry(context, batch, item, { type: 'status', isOwn: true, created: context.now, details: change })
  batch.events.push({
    event: 'inboxItemStatusChange',
    data: { item: { ...item }, more: { Status: { From: change.from, To: change.to } } },
  })
}

/** Lists show the last message of threads, and the first entry of everything else, even if it was received later. */
function show(batch: Batch, item: ItemRow, activity: Received) {
  const at = new Date(activity.at)
  const isThread = item.itemType === 'Conversation'
  const isRoot = !isThread && item.remoteKey.endsWith(`:${activity.remoteId}`)
  if (isThread ? at >= item.lastActivity : isRoot) {
    Object.assign(item, {
      text: activity.text,
      media: activity.media,
      language: batch.languages.get(activity.text) ?? '',
    })
    if (isRoot) Object.assign(item, personIn(activity), { url: activity.url || item.url, eventDate: at })
  }
  if (isThread && at < item.eventDate) item.eventDate = at
  if (at > item.lastActivity) item.lastActivity = at
  if (item.personId === activity.person.id && item.personName === '') item.personName = activity.person.name
}

/** Adds an entry with text and author. */
function addMessageEntry(context: Context, batch: Batch, item: ItemRow, activity: Received) {
  const own = isOwn(activity, batch)
  const type = isMessage(activity) ? 'message' : own ? 'reply' : 'comment'
  add(context, batch, item, activity, {
    type,
    remoteId: activity.remoteId,
    parentRemoteId: activity.parentId,
    isOwn: own,
  })
  const terms = batch.searchTerms.get(item.id)
  if (terms || !batch.searchTerms.has(item.id))
    batch.searchTerms.set(item.id, [...(terms ?? []), activity.person.name, activity.person.username, activity.text])
}

type Kind = Pick<EntryRow, 'type' | 'remoteId' | 'parentRemoteId' | 'isOwn'>

/** Adds an incoming entry and queues its events. */
function add(context: Context, batch: Batch, item: ItemRow, activity: Received, kind: Kind) {
  const { person } = activity
  const entry = addEntry(context, batch, item, {
    ...kind,
    created: new Date(activity.at),
    content: activity.text,
    media: activity.media,
    url: activity.url,
    ...personIn(activity),
    language: batch.languages.get(activity.text) ?? '',
    edited: activity.edited === '' ? null : new Date(activity.edited),
  })
  if (kind.type !== 'like' && kind.type !== 'share') {
    batch.entries.set(entry.remoteId, entry)
    batch.known.add(entry.remoteId)
  }
  if (kind.isOwn) return
  batch.arrived.push({
    itemId: item.id,
    entryId: entry.id,
    kind: entryTypeOf(activity),
    network: item.network,
    credentialId: item.credentialId,
    personId: person.id,
    personName: person.name,
    personUsername: person.username,
    personPicture: person.picture,
    text: activity.text,
    postlogId: item.postlogId ?? '',
    at: activity.at,
  })
}

const entryTypeOf = ({ kind }: Received) =>
  kind === 'reaction' ? 'like' : (kind as 'comment' | 'reply' | 'mention' | 'message' | 'share')

function addEntry({ accountId, now }: Context, batch: Batch, item: ItemRow, given: Partial<EntryRow>): EntryRow {
  const noUser = { personId: '', personName: '', personUsername: '', personPicture: '' }
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
    ...noUser,
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
function changeText({ now }: Context, batch: Batch, entry: EntryRow, activity: Received) {
  if (entry.removed) return
  const item = batch.items.get(entry.itemId)
  if (entry.personId === activity.person.id && entry.personName === '' && activity.person.name !== '') {
    const named = { personName: activity.person.name, personUsername: entry.personUsername || activity.person.username }
    Object.assign(entry, named)
    if (item?.personId === entry.personId && item.personName === '') Object.assign(item, named)
    changed(batch, entry)
  }
  if (activity.edited === '') return
  const edited = new Date(activity.edited)
  const isOlder = edited < (entry.edited ?? entry.created)
  const isSame = entry.content === activity.text && JSON.stringify(entry.media) === JSON.stringify(activity.media)
  if (isOlder || isSame) return
  const language = batch.languages.get(activity.text) ?? ''
  if (item && isShown(item, entry)) {
    Object.assign(item, { text: activity.text, media: activity.media, language, modified: now })
  }
  Object.assign(entry, { content: activity.text, media: activity.media, language, edited })
  changed(batch, entry)
}

/** Removes the text of content that was deleted on the network; the entry stays. */
function removeText({ now }: Context, batch: Batch, entry: EntryRow) {
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
  batch.searchTerms.set(entry.itemId, undefined)
}
