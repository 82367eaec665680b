import { type SqlBool, sql } from 'kysely'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import type { MessageRow } from './message.ts'
import { judgeContent, weighed } from './message-content.ts'
import { noAttachment } from './message-create.ts'

/** Says of messages that a board offers them to advocates; they stay that, whatever the board offers later. */
export async function markAsBoardMessages({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return
  const marking = db
    .updateTable('messages')
    .set({ isBoardMessage: true })
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${ids})`)
    .where('isBoardMessage', '=', false)
  await later(db, marking)
}

type Text = Pick<MessageRow, 'network' | 'message'>

/**
 * Makes messages of texts alone that a board offers, and gives their ids; refuses what their network would refuse. They have no tags, which
 * would be held before whatever else the caller has to hold, and are counted by `countMessages`, last.
 */
export async function insertBoardMessages(
  context: Context,
  campaignId: string,
  texts: readonly Text[],
): Promise<string[]> {
  if (texts.length === 0) return []
  const { db, accountId, userId, now } = context
  const existing = db.selectFrom('messages').where('accountId', '=', accountId).where('deleted', 'is', null)
  await reserveQuota(context, 'messages', existing, texts.length)
  const rows = texts.map((text) => {
    const content = { ...noAttachment, ...text, subject: '' }
    const made = { accountId, id: newId('message', now), created: now, modified: now, createdBy: userId }
    const about = { modifiedBy: userId, campaignId, type: judgeContent(content, []), isBoardMessage: true }
    return { ...made, ...about, ...content, ...weighed(content) }
  })
  await db.insertInto('messages').values(rows).execute()
  return rows.map(({ id }) => id)
}

export const countMessages = (context: Context, campaign: string, amount: number) =>
  addFacts(context, amount === 0 ? [] : [{ name: 'messages', at: context.now, of: { campaign }, amount }])
