import { sql } from 'kysely'
import { tell } from '../agenda/notice.ts'
import { type Db, later } from '../database/database.ts'
import { newId } from '../ids.ts'
import type { Job } from './job.ts'

export const jobsChannel = 'chorus_jobs'

export interface EnqueueOptions {
  /** Not before this moment; now when left out. */
  due?: Date
  /** While a job of this account, name and key waits, another one takes its place. */
  key?: string
  /** Smaller runs first. */
  priority?: number
}

/** The transaction that wants the work, and whose it is: nobody's where no account is named. */
interface Wish {
  db: Db
  now: Date
  accountId?: string
}

/** Records work in the caller's transaction: it is done if the transaction commits, and only then. */
export async function enqueue<Payload extends object>(
  { db, now, accountId = '' }: Wish,
  { name, queue }: Pick<Job<Payload>, 'name' | 'queue'>,
  payload: Payload,
  { due = now, key, priority = 0 }: EnqueueOptions = {},
) {
  const row = {
    id: newId('job', now),
    queue,
    name,
    key: key ?? null,
    account: accountId,
    priority,
    created: now,
    due,
  }
  const insertion = db
    .insertInto('jobs')
    .values({ ...row, payload: JSON.stringify(payload) })
    .onConflict((on) =>
      on
        .columns(['account', 'name', 'key'])
        .where('key', 'is not', null)
        // Spelled out: once the plan is kept, a parameter no longer matches the index's own condition.
        .where('state', '=', sql.lit('waiting'))
        .doUpdateSet({ payload: JSON.stringify(payload), due, priority }),
    )
  await later(db, insertion)
  await tell(db, jobsChannel, now, { kind: queue, account: accountId, due })
}

/** The same for much work of one kind, without keys. */
export async function enqueueAll<Payload extends object>(
  { db, now, accountId = '' }: Wish,
  { name, queue }: Pick<Job<Payload>, 'name' | 'queue'>,
  payloads: readonly Payload[],
) {
  const ids = payloads.map(() => newId('job', now))
  const insertion = sql`
    insert into jobs (id, queue, name, account, payload, created, due)
    select j.id, ${queue}, ${name}, ${accountId}, j.payload::jsonb, ${now}, ${now}
    from unnest(${ids}::text[], ${payloads.map((payload) => JSON.stringify(payload))}::text[]) as j (id, payload)
    returning id`
  await later(db, insertion)
  await tell(db, jobsChannel, now, { kind: queue, account: accountId, due: now })
}
