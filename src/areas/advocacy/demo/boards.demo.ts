import { daysFrom, demoId, owner } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'
import { nextDigest, takeSlug } from '../board/board-row.ts'

/** Board ids for the other demo data. */
export const demoBoards = {
  withTopics: demoId('brd', 1),
  withoutTopics: demoId('brd', 2),
  archived: demoId('brd', 3),
  full: demoId('brd', 4),
  nearlyFull: demoId('brd', 5),
  messages: demoId('brd', 6),
} as const

export const demoTopics = ['Trails', 'Repair', 'People', 'Events'].map((name, index) => ({
  id: demoId('tpc', index + 1),
  name,
}))

export const demoField = {
  id: '0cfdemo00000001',
  name: 'Department',
  options: ['Sales', 'Product', 'People'].map((name, index) => ({ id: demoId('0cp', index + 1), name })),
}

const boards = [
  {
    id: demoBoards.withTopics,
    name: 'Team voices',
    slug: 'team-voices',
    seats: 100,
    customFields: JSON.stringify([demoField]),
    allowsSuggestions: true,
    notificationsDay: 1,
    notificationsHour: 9,
    notificationsZone: 'Europe/London',
    logoId: demoId('026', 1),
    terms: 'Share what you would say to a colleague.',
    days: -120,
    dailyCaps: JSON.stringify({ LinkedIn: 200 }),
  },
  { id: demoBoards.withoutTopics, name: 'Northwind people', slug: 'northwind-people', color: '#9333EA', days: -90 },
  { id: demoBoards.archived, name: 'Summer crew', slug: 'summer-crew', status: 'archived', days: -300 },
  { id: demoBoards.full, name: 'Workshop insiders', slug: 'workshop-insiders', seats: 8, color: '#4D7C0F', days: -60 },
  {
    id: demoBoards.nearlyFull,
    name: 'Store staff',
    slug: 'store-staff',
    seats: 10,
    needsPassword: false,
    signUpEnabled: true,
    signUpDomains: ['example.com'] as string[],
    days: -45,
  },
  { id: demoBoards.messages, name: 'Ready to share', slug: 'ready-to-share', kind: 'messages', seats: 20, days: -400 },
] as const

/** Boards of every kind, and the topics of one. */
export async function seedBoards(context: Context) {
  const { db, accountId, now } = context
  const at = daysFrom(context)
  for (const { days, ...board } of boards) {
    const made = { created: at(days), modified: at(days), createdBy: owner, modifiedBy: owner }
    await takeSlug(context, board.id, board.slug)
    const row = await db
      .insertInto('boards')
      .values({ accountId, ...made, ...board })
      .returningAll()
      .executeTakeFirstOrThrow()
    await db
      .updateTable('boards')
      .set({ digestDue: nextDigest(row, now) })
      .where('accountId', '=', accountId)
      .where('id', '=', board.id)
      .execute()
  }
  const topics = demoTopics.map((topic, index) => ({
    accountId,
    ...topic,
    boardId: demoBoards.withTopics,
    createdBy: owner,
    created: at(-100 + index),
    modified: at(-100 + index),
  }))
  await db.insertInto('topics').values(topics).execute()
}
