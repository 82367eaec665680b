import { type RawBuilder, sql } from 'kysely'
import { tell } from '../agenda/notice.ts'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Db } from '../database/database.ts'
import { jobsChannel } from './enqueue.ts'

const forOperator = acrossAccounts('jobs the operator asks for')

export const jobStates = ['waiting', 'running', 'dead'] as const
export type JobState = (typeof jobStates)[number]

/** Jobs of one state, the longest due first, and how many there are of them. */
export async function listJobs(db: Db, state: JobState, queue: string | undefined, count: number) {
  const chosen = db
    .selectFrom('jobs')
    .where('state', '=', state)
    .$if(queue !== undefined, (query) => query.where('queue', '=', queue as string))
  const jobs = await chosen
    .select(['id', 'queue', 'name', 'account', 'attempts', 'due', 'lastError'])
    .orderBy('due')
    .orderBy('id')
    .limit(count)
    .modifyEnd(forOperator)
    .execute()
  const { total } = await chosen
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .modifyEnd(forOperator)
    .executeTakeFirstOrThrow()
  return { jobs, total: Number(total) }
}

/** Gives dead jobs all their tries again, from now on; the ids of those that could be revived. */
export async function revive(db: Db, which: { id: string } | { queue: string }, now: Date): Promise<string[]> {
  const chosen = 'id' in which ? sql`id = ${which.id}` : sql`queue = ${which.queue}`
  const { rows } = await sql<{ account: string }>`
    select distinct account from jobs where state = 'dead' and ${chosen} order by account
    ${forOperator}`.execute(db)
  const revived: string[] = []
  for (const { account } of rows) revived.push(...(await reviveOf(db, account, chosen, now)))
  return revived
}

async function reviveOf(db: Db, account: string, chosen: RawBuilder<unknown>, now: Date): Promise<string[]> {
  // Only one of a name and key may wait: one that waits already is newer, and among the dead the newest is.
  const { rows } = await sql<{ id: string; queue: string }>`
    update jobs set state = 'waiting', due = ${now}, attempts = 0
    where account = ${account} and state = 'dead' and id in (
      select distinct on (name, coalesce(key, id)) id from jobs
      where account = ${account} and state = 'dead' and ${chosen} and not exists (
        select from jobs newer
        where newer.account = ${account} and newer.name = jobs.name and newer.key = jobs.key and newer.state = 'waiting')
      order by name, coalesce(key, id), created desc, id desc)
    returning id, queue`.execute(db)
  for (const kind of new Set(rows.map(({ queue }) => queue)))
    await tell(db, jobsChannel, now, { kind, account, due: now })
  return rows.map(({ id }) => id)
}

/** Deletes a dead job; whether there was one. */
export async function discard(db: Db, id: string): Promise<boolean> {
  const found = await find(db, id)
  if (!found) return false
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('account', '=', found.account)
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const stateOf = async (db: Db, id: string) => (await find(db, id))?.state as JobState | undefined

/** Whoever gives a job by its id does not know whose it is. */
const find = (db: Db, id: string) =>
  db.selectFrom('jobs').select(['account', 'state']).where('id', '=', id).modifyEnd(forOperator).executeTakeFirst()
