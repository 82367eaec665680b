import { sql } from 'kysely'
import { daysFrom, demoEmail, demoId, owner } from '#areas/account/account.demo.ts'
import { makeUsers } from '#areas/account/user/advocate-user.ts'
import { incrementCounters } from '#areas/counters/increments.ts'
import type { Context } from '#kernel/context.ts'
import { never } from '../advocate/membership.ts'
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

const names = [
  'Mara Lindqvist',
  'Tomas Hajek',
  'Aisha Rahman',
  'Jonas Weber',
  'Lucia Ferri',
  'Kenji Mori',
  'Amara Diallo',
  'Sofia Petrov',
  'Liam Byrne',
  'Ines Costa',
  'Oskar Nowak',
  'Priya Nair',
  'Hugo Martin',
  'Freya Olsen',
  'Mateo Silva',
  'Hana Kim',
  'Elias Berg',
  'Nadia Haddad',
  'Felix Braun',
  'Zoe Carter',
  'Ravi Menon',
  'Clara Dubois',
  'Milo Novak',
  'Yara Santos',
]

/** Twenty-four advocates without a role, and the admin, with their boards. */
export const demoAdvocates = [
  { id: owner, name: 'Ada Marsh', boardIds: [demoBoards.withTopics, demoBoards.messages] },
  ...names.map((name, index) => ({ id: demoId('00A', 101 + index), name, boardIds: boardsOf(index) })),
]

/** Invited, but not yet accepted. */
export const isExpected = (id: string) => [101, 108, 115].some((number) => demoId('00A', number) === id)

function boardsOf(index: number): string[] {
  return [
    demoBoards.withTopics,
    ...(index % 2 === 0 ? [demoBoards.withoutTopics] : []),
    ...(index < 3 ? [demoBoards.archived] : []),
    ...(index < 8 ? [demoBoards.full] : []),
    ...(index >= 8 && index < 17 ? [demoBoards.nearlyFull] : []),
    ...(index >= 20 ? [demoBoards.messages] : []),
  ]
}

/** Advocates with their settings. */
export async function seedAdvocates(context: Context) {
  const { db, accountId, now } = context
  const at = daysFrom(context)
  const people = demoAdvocates.slice(1).map(({ id, name }) => {
    const [firstName = '', lastName = ''] = name.split(' ')
    return { id, firstName, lastName, email: demoEmail({ firstName, lastName }) }
  })
  await makeUsers(context, people)
  const members = demoAdvocates.flatMap(({ id: userId, boardIds }, index) =>
    boardIds.map((boardId) => {
      const [created, seen] = [at(-80 + index), isExpected(userId) ? null : at(-(index % 40) / 2)]
      return {
        accountId,
        boardId,
        userId,
        created,
        invited: created,
        invitedBy: owner,
        accepted: seen && created,
        role: userId === owner ? ('manager' as const) : ('contributor' as const),
        lastSeen: (boardId === demoBoards.withTopics && seen) || never,
        customValues: JSON.stringify({ [demoField.id]: demoField.options[index % 3]?.id }),
        // The last topic is new to some of them.
        topicsSeen: index % 3 === 0 ? null : now,
      }
    }),
  )
  await db.insertInto('boardMembers').values(members).execute()
  const subscriptions = demoAdvocates.flatMap(({ id: userId }, index) =>
    demoTopics
      .filter((_, position) => !isExpected(userId) && (index + position) % 3 > 0)
      .map(({ id: topicId }) => ({
        accountId,
        userId,
        topicId,
        boardId: demoBoards.withTopics,
        created: at(-70 + index),
      })),
  )
  await db.insertInto('topicSubscriptions').values(subscriptions).execute()
  await sql`
    update boards set members = (select count(*) from board_members m where m.account_id = ${accountId} and m.board_id = boards.id)
    where account_id = ${accountId}`.execute(db)
  await sql`
    update topics set subscribers = (select count(*) from topic_subscriptions s where s.account_id = ${accountId} and s.topic_id = topics.id)
    where account_id = ${accountId}`.execute(db)
  await incrementCounters(context, [
    { name: 'advocates', at: now, of: { account: accountId }, amount: demoAdvocates.length },
  ])
}
