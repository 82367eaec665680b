import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'

/** What one click, or one conversion, is counted for; what is empty is nothing. */
export interface Counted {
  messageId: string
  postId: string
  postlogId: string
  linkId: string
  campaignId: string
  /** Whether it came through something an advocate shared. */
  isBoard: boolean
}

/** Every place that counts, in the order in which their rows are locked everywhere. */
const places = [
  { table: 'messages', key: 'id', of: 'messageId', tellsBoards: true },
  { table: 'posts', key: 'id', of: 'postId', tellsBoards: false },
  { table: 'postlogs', key: 'id', of: 'postlogId', tellsBoards: false },
  { table: 'links', key: 'id', of: 'linkId', tellsBoards: false },
  { table: 'campaign_counters', key: 'campaign_id', of: 'campaignId', tellsBoards: true },
] as const

/** Holds the messages and posts that clicks are counted for. */
export async function holdCounted(
  db: Db,
  accountId: string,
  counted: readonly Pick<Counted, 'messageId' | 'postId'>[],
) {
  for (const { table, of } of places) {
    if (of !== 'messageId' && of !== 'postId') continue
    const ids = [...new Set(counted.map((one) => one[of]))]
    await db
      .selectFrom(table)
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', sql<string>`any (${ids})`)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
  }
}

/** Adds clicks or conversions to every number that tells of them. */
export async function addToCounters(
  { db, accountId }: Pick<Context, 'db' | 'accountId'>,
  counter: 'clicks' | 'converts',
  counted: readonly Counted[],
) {
  for (const { table, key, of, tellsBoards } of places) {
    const sums = sumsOf(counted, of)
    if (sums.size === 0) continue
    const [ids, all, boards] = [[...sums.keys()], [...sums.values()].map(([sum]) => sum), [...sums.values()]]
    const board = sql.ref(`board_${counter}`)
    const changes = tellsBoards ? sql`, ${board} = c.${board} + n.board` : sql``
    // Locked in the order of their ids, so that two who count the same things wait for each other in one direction.
    await sql`
      with held as materialized (
        select ${sql.ref(key)} as id from ${sql.table(table)} where account_id = ${accountId} and ${sql.ref(key)} = any (${ids})
        order by ${sql.ref(key)} for no key update)
      update ${sql.table(table)} c set ${sql.ref(counter)} = c.${sql.ref(counter)} + n.sum ${changes}
      from held, unnest(${ids}::text[], ${all}::int[], ${boards.map(([, sum]) => sum)}::int[]) as n (id, sum, board)
      where c.account_id = ${accountId} and c.${sql.ref(key)} = held.id and n.id = held.id`.execute(db)
  }
}

type Sum = [all: number, boards: number]

function sumsOf(counted: readonly Counted[], of: (typeof places)[number]['of']): Map<string, Sum> {
  const sums = new Map<string, Sum>()
  for (const one of counted) {
    const id = one[of]
    if (id === '') continue
    const [all, boards] = sums.get(id) ?? [0, 0]
    sums.set(id, [all + 1, boards + (one.isBoard ? 1 : 0)])
  }
  return sums
}
