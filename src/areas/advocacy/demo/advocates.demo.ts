import { sql } from 'kysely'
import { daysFrom, demoEmail, demoId, owner } from '#areas/account/account.demo.ts'

import { makeUsers } from '#areas/account/user/advocate-user.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { never } from '../advocate/membership.ts'
import { demoBoards, demoField, demoTopics } from './boards.demo.ts'

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
      .filter((_, place) => !isExpected(userId) && (index + place) % 3 > 0)
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
  await addFacts(context, [{ name: 'advocates', at: now, of: { account: accountId }, amount: demoAdvocates.length }])
}
