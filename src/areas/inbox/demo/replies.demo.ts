import type { Insertable, InsertObject } from 'kysely'
import { demoId } from '#areas/account/demo-days.demo.ts'
import type { DB, InboxEntries } from '#kernel/database/tables.ts'
import type { DemoItem } from './demo-item.demo.ts'

type Entry = Insertable<InboxEntries>

const second = 1000

/** What an entry says of an answer that is out. */
export const sent = (number: number) => ({
  replyId: demoId('0ir', number),
  details: JSON.stringify({ status: 'sent', error: '' }),
})

/** The answers among what was said in an item, oldest first. */
export function repliesIn({ network, type }: DemoItem, entries: readonly Entry[]): InsertObject<DB, 'inboxReplies'>[] {
  const kind = type === 'Conversation' ? 'message' : 'comment'
  let since: Date | undefined
  return entries.flatMap((entry) => {
    const created = entry.created as Date
    if (!entry.isOwn) since ??= created
    if (!entry.replyId) return []
    const out = new Date(created.getTime() + 4 * second)
    const responseSeconds = since ? Math.floor((out.getTime() - since.getTime()) / second) : null
    since = undefined
    return [
      {
        accountId: entry.accountId,
        id: entry.replyId,
        itemId: entry.itemId,
        credentialId: entry.credentialId,
        created,
        createdBy: entry.createdBy ?? '',
        network,
        kind,
        text: entry.content ?? '',
        parentRemoteId: entry.parentRemoteId ?? '',
        remoteId: entry.remoteId ?? '',
        status: 'sent',
        sent: out,
        responseSeconds,
      },
    ]
  })
}
