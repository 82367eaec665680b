import { get as getMessage } from '#areas/publishing/message/message.ts'
import { markAsBoardMessages } from '#areas/publishing/message/message-write.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { announceBoardMessage } from '../advocacy.events.ts'
import { requireMessages } from '../story/story-attachments.ts'
import { refuseOtherTopics } from '../story/story-topics.ts'
import { expirationFrom } from '../story/story-write.ts'
import { shown } from './board.ts'
import { type BoardRow, visibleBoards } from './board-row.ts'

interface Draft {
  boardId: string
  messageId: string
  startDate?: Date | undefined
  expireDate?: Date | undefined
  important?: boolean | undefined
  topicIds?: string[] | undefined
}

/** Adding a message again updates its dates and topics. */
export async function add(context: Context, { boardId, messageId, topicIds = [], ...given }: Draft) {
  const { db, accountId, userId, now } = context
  const board = await boardOfMessages(context, boardId)
  if (board.status === 'archived') throw conflict(`The board "${board.name}" is archived: make it active again first.`)
  await requireMessages(context, 'messageId', [messageId])
  await refuseOtherTopics(context, boardId, topicIds)
  const startDate = given.startDate ?? now
  const expireDate = given.expireDate ?? expirationFrom(startDate, board.defaultExpiration)
  if (expireDate <= startDate) throw invalid('expireDate must lie after startDate.')
  const about = { startDate, expireDate, important: given.important ?? false, topicIds }
  const { isNew } = await db
    .insertInto('boardMessages')
    .values({ accountId, boardId, messageId, created: now, createdBy: userId, ...about })
    .onConflict((on) => on.columns(['accountId', 'boardId', 'messageId']).doUpdateSet(about))
    .returning(({ eb, ref }) => eb(ref('boardMessages.created'), '=', now).as('isNew'))
    .executeTakeFirstOrThrow()
  context.about({ id: messageId })
  if (!isNew) return
  await markAsBoardMessages(context, [messageId])
  await announceBoardMessage(context, {
    message: await getMessage(context, { id: messageId }),
    board: shown(context, board),
  })
}

export async function remove(context: Context, { boardId, messageId }: Pick<Draft, 'boardId' | 'messageId'>) {
  const { db, accountId } = context
  await boardOfMessages(context, boardId)
  const { numDeletedRows } = await db
    .deleteFrom('boardMessages')
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('messageId', '=', messageId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Board message')
  context.about({ id: messageId })
}

/** The board given by a parameter; rejects boards for stories. */
async function boardOfMessages(context: Context, boardId: string): Promise<BoardRow> {
  const board = await visibleBoards(context).selectAll().where('id', '=', boardId).executeTakeFirst()
  if (!board) throw invalid(`boardId names no board: "${boardId.slice(0, 40)}".`)
  if (board.kind === 'messages') return board
  throw invalid(`The board "${board.name}" takes stories, not single messages: use POST /story.`)
}
