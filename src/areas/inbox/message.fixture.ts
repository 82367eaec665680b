import { newId } from '#kernel/ids.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount } from '../../../tests/support/service.ts'
import { inboxIds } from './declarations.ts'

interface Writing {
  network?: string
  credentialId?: string
  personId: string
  personName: string
  personUsername?: string
  text: string
  itemId?: string
}

/** Inserts a received message into the inbox: a new item, or another entry of one. Returns the item's id. */
export async function insertMessage(databaseUrl: string, given: Writing, account = demoAccount): Promise<string> {
  const now = new Date()
  const { network = 'LinkedIn', credentialId = '003-1-2414183', personUsername = '' } = given
  const { personId, personName, text } = given
  const id = given.itemId ?? newId(inboxIds.inboxItem, now)
  if (!given.itemId)
    await ownerQuery(
      databaseUrl,
      `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, remote_key, event_date,
        last_activity, person_id, person_name, person_username, text, entries, words)
      values ($1, $2, now(), now(), $3, $4, 'Post', 'owned', 'comment:' || $2, now(), now(), $5, $6, $7, $8, 1, array_to_tsvector($9))`,
      [
        account,
        id,
        credentialId,
        network,
        personId,
        personName,
        personUsername,
        text,
        [...new Set(`${personName} ${text}`.toLowerCase().split(/[^\p{L}\p{N}]+/u))]
          .filter(Boolean)
          .map((word) => `${account}:${word}`),
      ],
    )
  await ownerQuery(
    databaseUrl,
    `insert into inbox_entries (account_id, id, item_id, type, created, is_own, credential_id, remote_id, person_id, person_name, person_username, content)
    values ($1, $2, $3, 'comment', now(), false, $4, $2, $5, $6, $7, $8)`,
    [account, newId(inboxIds.inboxEntry, now), id, credentialId, personId, personName, personUsername, text],
  )
  return id
}
