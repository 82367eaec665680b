import { daysFrom, demoId } from '#areas/account/account.demo.ts'
import { advocateOn } from '#areas/counters/counter.ts'
import { incrementCounters } from '#areas/counters/increments.ts'
import { type DemoShareLink, seedShareLinks } from '#areas/links/links.demo.ts'
import { seedOwnProfiles } from '#areas/profiles/profiles.demo.ts'
import type { Context } from '#kernel/context.ts'
import { computeRanks, outdatedRankings } from './advocate/leaderboard.ts'
import { demoAdvocates, isExpected, seedAdvocates, seedBoards } from './demo/boards.demo.ts'
import { seedStories } from './demo/stories.demo.ts'
import { type ShareRow, shareIncrement } from './share/share-end.ts'

/** Creates boards with advocates if there are none. */
export async function seedAdvocacy(context: Context) {
  const { db, accountId } = context
  const some = await db.selectFrom('boards').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  await seedBoards(context)
  await seedAdvocates(context)
  await seedStories(context)
  await seedShares(context)
}

/** Shares so far, their clicks, and the resulting leaderboards. */
async function seedShares(context: Context) {
  const { db, accountId } = context
  const at = daysFrom(context)
  const sharers = demoAdvocates.slice(1).filter(({ id }) => !isExpected(id))
  const profiles = await seedOwnProfiles(context, sharers)
  const stories = await offered(context)
  const shares = sharers.flatMap(({ id: userId, boardIds }, index) =>
    stories
      .filter(
        ({ boardId, publishDate }, place) =>
          boardIds.includes(boardId) && publishDate < at(0) && (place + index) % 3 === 0,
      )
      .slice(0, 1 + (index % 5))
      .map((story, place) => {
        const published = new Date(
          Math.min(story.publishDate.getTime() + (index + place + 1) * 7_200_000, at(-0.01).getTime()),
        )
        return { ...story, userId, published, credentialId: profiles.get(userId) ?? '' }
      }),
  )
  const rows = shares.map(
    ({ storyId, boardId, campaignId, messageId, message, userId, published, credentialId }, index) => ({
      accountId,
      id: demoId('0sh', index + 1),
      created: published,
      modified: published,
      userId,
      boardId,
      storyId,
      messageId,
      campaignId,
      credentialId,
      network: 'LinkedIn',
      type: 'status-update',
      message,
      startDateTime: published,
      publishedDate: published,
      status: 'complete' as const,
      remoteId: `urn:li:share:90${index + 1}`,
      remoteUrl: `https://www.linkedin.com/feed/update/urn:li:share:90${index + 1}`,
    }),
  )
  await db.insertInto('shares').values(rows).execute()
  await countShares(context, rows)
  await seedShareLinks(context, rows.map(linkOf))
  for (const board of await outdatedRankings(context)) await computeRanks(context, board)
}

type Row = Pick<ShareRow, 'id' | 'storyId' | 'boardId' | 'userId' | 'messageId' | 'campaignId' | 'credentialId'> &
  Pick<ShareRow, 'network' | 'message'> & { publishedDate: Date }

async function countShares(context: Context, rows: readonly Row[]) {
  const { db, accountId } = context
  const counts = new Map<string, number>()
  for (const { storyId } of rows) counts.set(storyId, (counts.get(storyId) ?? 0) + 1)
  for (const [id, shareCount] of counts)
    await db
      .updateTable('stories')
      .set({ shareCount })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .execute()
  await incrementCounters(
    context,
    rows.map(({ publishedDate: at, ...row }) => shareIncrement(context, { ...row, at })),
  )
}

const linkOf = ({
  id,
  boardId: board,
  storyId: story,
  userId,
  publishedDate,
  message,
  ...row
}: Row): DemoShareLink => ({
  place: {
    postId: '',
    credentialId: row.credentialId,
    campaignId: row.campaignId,
    messageId: row.messageId,
    network: row.network,
    share: { id, countsFor: { share: id, story, board, advocate: advocateOn(board, userId) } },
  },
  text: message,
  created: new Date(publishedDate.getTime() - 1_500),
})

/** Current and past stories with their LinkedIn texts. */
const offered = ({ db, accountId }: Context) =>
  db
    .selectFrom('stories')
    .innerJoin('storyMessages', (join) =>
      join.on('storyMessages.accountId', '=', accountId).onRef('storyMessages.storyId', '=', 'stories.id'),
    )
    .innerJoin('messages', (join) =>
      join.on('messages.accountId', '=', accountId).onRef('messages.id', '=', 'storyMessages.messageId'),
    )
    .distinctOn('stories.id')
    .select(['stories.id as storyId', 'stories.boardId', 'stories.campaignId', 'stories.publishDate'])
    .select(['messages.id as messageId', 'messages.message'])
    .where('stories.accountId', '=', accountId)
    .where('stories.phase', 'in', ['published', 'expired'])
    .where('messages.network', '=', 'LinkedIn')
    .orderBy('stories.id')
    .orderBy('storyMessages.position')
    .execute()
