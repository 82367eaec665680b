import type { Selectable } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { Stories } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId } from '#kernel/ids.ts'

export type StoryRow = Selectable<Stories>
/** What is written of a story; nobody writes texts for its pictures yet. */
export type WrittenStory = Omit<StoryRow, 'altTexts'>

/** Stories are seen by those who see their board. */
export const visible = (context: Context) =>
  context.db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'stories.board_id'))

export async function requireStory(context: Context, id: string): Promise<StoryRow> {
  const story = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!story) throw missing('Story')
  return story
}

/** A story, held until the change is made. Its messages and media come before it. */
export async function holdStory(context: Context, id: string): Promise<StoryRow> {
  const story = await visible(context).where('id', '=', id).modifyEnd(heldRows('stories', 'update')).executeTakeFirst()
  if (!story) throw missing('Story')
  return story
}

type Dated = Pick<StoryRow, 'status' | 'publishDate' | 'expirationDate'>

/** Where a story stands at a moment, and when it comes to the next phase by itself. */
export function phaseAt({ status, publishDate, expirationDate }: Dated, now: Date): Pick<StoryRow, 'phase' | 'turns'> {
  if (status !== 'approved') return { phase: status, turns: null }
  if (publishDate > now) return { phase: 'scheduled', turns: publishDate }
  return expirationDate > now ? { phase: 'published', turns: expirationDate } : { phase: 'expired', turns: null }
}

export const isRepost = ({ type }: Pick<StoryRow, 'type'>) => type === 'post-attachment'

/** A story that was moved is told of on both boards. */
export function hintStories({ hint }: Context, stories: readonly Pick<StoryRow, 'id' | 'boardId'>[]) {
  for (const { id, boardId } of stories) hint({ kind: 'story', id, parent: boardId, scope: boardId })
}

export const watchedStories: Watched = {
  kind: 'story',
  isId: (id) => isId('story', id),
  async find(context, id) {
    const story = await visible(context).where('id', '=', id).executeTakeFirst()
    return story && { parent: story.boardId, scope: story.boardId }
  },
}
