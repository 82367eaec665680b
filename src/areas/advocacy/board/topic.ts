import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate, later } from '#kernel/database/database.ts'
import { contains, type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import type { Topics } from '#kernel/database/tables.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { announceTopic } from '../advocacy.events.ts'
import { advocacyChanges, advocacyIds, advocacyQuotas } from '../declarations.ts'
import { refuseArchived, requireNamedBoard } from './board-row.ts'
import type { TopicChanges, TopicDraft } from './board-shape.ts'

interface Search {
  q?: string | undefined
  boardId?: string | undefined
  page: OpenPage
}

export function search(context: Context, { q = '', boardId = '', page }: Search) {
  const matching = visibleTopics(context)
    .selectAll()
    .$if(boardId !== '', (rows) => rows.where('boardId', '=', boardId))
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
  return paginateOrAll(context.db, matching, page, { size: 500, each: (rows) => rows.map(shown) })
}

export async function create(context: Context, { boardId, name }: TopicDraft) {
  const { db, accountId, userId, now } = context
  refuseArchived(await requireNamedBoard(context, boardId))
  const made = {
    accountId,
    id: newId(advocacyIds.topic, now),
    boardId,
    created: now,
    modified: now,
    createdBy: userId,
    name,
  }
  const existing = () => db.selectFrom('topics').where('accountId', '=', accountId)
  const topic = shown(
    await unique(name, () => insertWithin(context, advocacyQuotas.topics, existing, { into: 'topics', row: made })),
  )
  notifyTopicChanged(context, topic)
  await announceTopic(context, topic)
  return topic
}

export async function update(context: Context, { id, name }: TopicChanges) {
  const { db, accountId, now } = context
  await requireTopic(context, id)
  const topic = await unique(name, () =>
    db
      .updateTable('topics')
      .set({ name, modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
  )
  if (!topic) throw missing('Topic')
  notifyTopicChanged(context, topic)
  return shown(topic)
}

/** Stories and members lose the topic. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const topic = await requireTopic(context, id)
  await later(
    db,
    db
      .updateTable('boardMessages')
      .set({ topicIds: sql`array_remove(topic_ids, ${id})` })
      .where('accountId', '=', accountId)
      .where('boardId', '=', topic.boardId)
      .where(sql<boolean>`${id} = any (topic_ids)`),
  )
  const { numDeletedRows } = await db
    .deleteFrom('topics')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Topic')
  notifyTopicChanged(context, topic)
}

async function requireTopic(context: Context, id: string) {
  const topic = await visibleTopics(context).select(['id', 'boardId']).where('id', '=', id).executeTakeFirst()
  if (!topic) throw missing('Topic')
  return topic
}

const visibleTopics = (context: Context) =>
  context.db
    .selectFrom('topics')
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'topics.board_id'))

const shown = ({ lastUsed, ...topic }: Selectable<Topics>) => ({ ...topic, lastUsedDate: lastUsed })

const notifyTopicChanged = ({ notifyChange }: Context, { id, boardId }: { id: string; boardId: string }) =>
  notifyChange({ kind: advocacyChanges.topic, id, parent: boardId, scope: boardId })

async function unique<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isDuplicate(error, 'topics_name')) throw conflict(`The board has a topic "${name}" already.`)
    throw error
  }
}

export const watchedTopics: PresenceKind = {
  kind: advocacyChanges.topic,
  reference: advocacyIds.topic,
  async find(context, id) {
    const topic = await visibleTopics(context).select('boardId').where('id', '=', id).executeTakeFirst()
    return topic && { parent: topic.boardId, scope: topic.boardId }
  },
}
