import { inboxIds } from '#areas/inbox/declarations.ts'
import { newId } from '#kernel/ids.ts'
import { ownerQuery } from './database/owner.ts'

const demoAccount = '001demo00000001'
const linkedInPage = '003-1-2414183'

/** Inbox content inserted as rows, as if it had been received. */
export interface PlacedItem {
  account?: string
  network?: string
  credentialId?: string
  itemType?: 'Conversation' | 'Post' | 'Mention' | 'Reply'
  status?: 'open' | 'closed'
  assigneeId?: string
  /** Network id of the first entry. */
  remoteId?: string
  postRemoteId?: string
  personId?: string
  personName?: string
  text?: string
  eventDate?: Date
}

export interface Placed {
  id: string
  entryId: string
}

const keyWords = { Conversation: 'thread', Post: 'comment', Mention: 'mention', Reply: 'reply' }

/** An item with its first entry, included in the counters. */
export async function placeItem(databaseUrl: string, given: PlacedItem = {}): Promise<Placed> {
  const now = new Date()
  const [id, entryId] = [newId(inboxIds.inboxItem, now), newId(inboxIds.inboxEntry, now)]
  const itemType = given.itemType ?? 'Post'
  const { account = demoAccount, remoteId = `remote-${id}`, eventDate = now } = given
  const { network = 'LinkedIn', credentialId = linkedInPage } = given
  const { status = 'open', assigneeId = '', text = 'Is it open on Sunday?' } = given
  const { personId = '7000000000000001', personName = 'Robin Field', postRemoteId = 'urn:li:share:1' } = given
  await ownerQuery(
    databaseUrl,
    `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, status, assignee_id, remote_key,
      event_date, last_activity, person_id, person_name, post_remote_id, text, language, entries)
    values ($1, $2, now(), now(), $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, 'en', 1)`,
    [
      account,
      id,
      credentialId,
      network,
      itemType,
      itemType === 'Post' ? 'owned' : 'external',
      status,
      assigneeId,
      `${keyWords[itemType]}:${remoteId}`,
      eventDate,
      personId,
      personName,
      postRemoteId,
      text,
    ],
  )
  await ownerQuery(
    databaseUrl,
    `insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items) values ($1, $2, $3, $4, $5, $6, 1)
    on conflict (account_id, credential_id, network, item_type, status, assignee_id) do update set items = inbox_item_counts.items + 1`,
    [account, credentialId, network, itemType, status, assigneeId],
  )
  const entry = { account, id: entryId, itemId: id, credentialId, remoteId, personId, text, at: eventDate }
  await placeEntry(databaseUrl, { ...entry, type: itemType === 'Conversation' ? 'message' : 'comment' })
  return { id, entryId }
}

export interface PlacedEntry {
  account?: string
  id?: string
  itemId: string
  credentialId?: string
  remoteId?: string
  parentRemoteId?: string
  personId?: string
  text?: string
  type?: string
  at?: Date
  isOwn?: boolean
}

/** Another entry of an item. */
export async function placeEntry(databaseUrl: string, given: PlacedEntry): Promise<string> {
  const at = given.at ?? new Date()
  const { account = demoAccount, id = newId(inboxIds.inboxEntry, at), credentialId = linkedInPage } = given
  const { itemId, remoteId = `remote-${id}`, parentRemoteId = '', personId = '', text = 'And on Monday?' } = given
  const { type = 'comment', isOwn = false } = given
  await ownerQuery(
    databaseUrl,
    `insert into inbox_entries (account_id, id, item_id, type, created, is_own, credential_id, remote_id, parent_remote_id, person_id, content)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [account, id, itemId, type, at, isOwn, credentialId, remoteId, parentRemoteId, personId, text],
  )
  return id
}

/** A reply that the network rejected. */
export async function placeReply(databaseUrl: string, account: string, itemId: string): Promise<string> {
  const id = newId(inboxIds.inboxReply, new Date())
  await ownerQuery(
    databaseUrl,
    `insert into inbox_replies (account_id, id, item_id, created, created_by, credential_id, network, kind, text, status, error)
    select account_id, $3, id, now(), '', credential_id, network, 'comment', 'No', 'failed', 'No' from inbox_items where account_id = $1 and id = $2`,
    [account, itemId, id],
  )
  return id
}
