import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Outside } from '#kernel/outside.ts'
import { wakeLanes } from './lanes.ts'

/** A group of sends is held and let go on together, as the posts of a campaign are. */

/** What is due while its group is held waits. Whoever holds it keeps contents from being allowed: no send begins meanwhile. */
export const holdGroup = ({ db, accountId }: Context, groupId: string) =>
  db
    .updateTable('sends')
    .set({ due: null })
    .where('accountId', '=', accountId)
    .where('groupId', '=', groupId)
    .where('due', 'is not', null)
    .where('state', '=', 'waiting')
    .execute()

/** They go on when it does; those that missed their time by too much are then held for a person. */
export async function resumeGroup(context: Context, groupId: string) {
  const { rows } = await sql<{ credential: string; network: string; due: Date }>`
    update sends set due = planned where account_id = ${context.accountId} and group_id = ${groupId}
      and state = 'waiting' and due is null
    returning credential_id as credential, network, due`.execute(context.db)
  await wakeLanes(context, rows)
}

const patience = 15_000
const lookEvery = 50

/**
 * Waits until what was on its way to the networks has arrived, so that nothing is published after the change was answered; the
 * change stands already, so nothing new begins. A network that does not answer is not waited for any longer: its call left before,
 * and nobody can take it back. Tells whether there was anything to wait for.
 */
export async function awaitGroup({ step }: Outside, groupId: string): Promise<boolean> {
  const until = performance.now() + patience
  const underWay = () => step((context) => countSends(context, groupId, ['sending']))
  if ((await underWay()) === 0) return false
  do await sleep(lookEvery)
  while (performance.now() < until && (await underWay()) > 0)
  return true
}

export async function countSends({ db, accountId }: Context, groupId: string, states: ('sending' | 'unknown')[]) {
  const row = await db
    .selectFrom('sends')
    .select((row) => row.fn.countAll<number>().as('sends'))
    .where('accountId', '=', accountId)
    .where('groupId', '=', groupId)
    .where('due', 'is not', null)
    .where('state', 'in', states)
    .executeTakeFirstOrThrow()
  return Number(row.sends)
}
