import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Outside } from '#kernel/outside.ts'
import { wakeLanes } from '../lane-wake.ts'

/** What a change of a campaign does to its posts. */

/** Posts that are due while their campaign is paused wait. The change holds the campaign's row: no send begins meanwhile. */
export const holdSends = ({ db, accountId }: Context, campaignId: string) =>
  db
    .updateTable('postSends')
    .set({ due: null })
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('due', 'is not', null)
    .where('state', '=', 'waiting')
    .execute()

/** They go on when it does; those that missed their time by too much are held for a person by the engine. */
export async function resumeSends(context: Context, campaignId: string) {
  const { rows } = await sql<{ credential: string; network: string; due: Date }>`
    update post_sends set due = planned where account_id = ${context.accountId} and campaign_id = ${campaignId}
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
export async function awaitSends({ step }: Outside, campaignId: string): Promise<boolean> {
  const until = performance.now() + patience
  const underWay = () => step((context) => countSends(context, campaignId, ['sending']))
  if ((await underWay()) === 0) return false
  do await sleep(lookEvery)
  while (performance.now() < until && (await underWay()) > 0)
  return true
}

export async function countSends({ db, accountId }: Context, campaignId: string, states: ('sending' | 'unknown')[]) {
  const row = await db
    .selectFrom('postSends')
    .select((row) => row.fn.countAll<number>().as('sends'))
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('due', 'is not', null)
    .where('state', 'in', states)
    .executeTakeFirstOrThrow()
  return Number(row.sends)
}
