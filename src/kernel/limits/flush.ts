import { sql } from 'kysely'
import { moveTo, retention, unwritten } from './call-log.ts'
import { type Caller, everyCaller, isBusy, learnDay, startDay } from './caller.ts'
import type { Counting } from './counting.ts'
import { dayText } from './row.ts'
import { dayOf } from './rules.ts'

/** Tells the rows how many calls each user has made since the last time. A process that is killed loses what is untold. */
export function flush(counting: Counting): Promise<void> {
  const callers = counting.dirty.splice(0)
  const ready: Caller[] = []
  for (const caller of callers) {
    caller.dirty = false
    // A step under way tells the row itself, or leaves it to the next flush.
    if (isBusy(caller)) markDirty(counting, caller)
    else if (caller.unflushed > 0) ready.push(caller)
  }
  counting.flushing = tellRows(counting, ready, false)
  return counting.flushing
}

/** Tells the rows everything only this process knows, so that the next one can take over where it stopped. */
export async function handOver(counting: Counting) {
  const now = counting.clock.now().getTime()
  const callers = [...everyCaller(counting.callers)].filter(({ log, unflushed }) => {
    moveTo(log, now)
    return unflushed > 0 || log.end > Math.max(log.written, log.oldest)
  })
  await tellRows(counting, callers, true)
}

/** Users who have not called for a minute are read anew when they come back. */
export function forgetIdle({ callers, clock }: Counting) {
  const oldest = clock.now().getTime() - 60_000
  for (const [accountId, ofAccount] of callers) {
    for (const caller of ofAccount.values()) {
      const idle =
        caller.touched < oldest && !caller.working && !caller.onRow && caller.unflushed + caller.flushing === 0
      if (idle) ofAccount.delete(caller.userId)
    }
    if (ofAccount.size === 0) callers.delete(accountId)
  }
}

/** Accounts are told a few at a time: requests need the connections more. */
const accountsAtOnce = 4

async function tellRows(counting: Counting, callers: Caller[], withCalls: boolean) {
  const now = counting.clock.now().getTime()
  const accounts = new Map<string, Caller[]>()
  for (const caller of callers) {
    startDay(caller, now)
    caller.flushing = caller.unflushed
    caller.unflushed = 0
    const ofAccount = accounts.get(caller.accountId)
    if (ofAccount) ofAccount.push(caller)
    else accounts.set(caller.accountId, [caller])
  }
  const all = [...accounts.values()]
  while (all.length > 0) {
    await Promise.all(
      all.splice(0, accountsAtOnce).map((ofAccount) => tellAccount(counting, ofAccount, now, withCalls)),
    )
  }
}

async function tellAccount(counting: Counting, callers: Caller[], now: number, withCalls: boolean) {
  try {
    const counts = await addToRows(counting, callers, now, withCalls)
    for (const caller of callers) {
      caller.flushing = 0
      const row = counts.get(caller.userId)
      if (row) learnDay(caller, { ...row, day: Date.parse(row.day) })
      if (withCalls) caller.log.written = caller.log.end
    }
  } catch (error) {
    for (const caller of callers) {
      if (caller.day === dayOf(now)) caller.unflushed += caller.flushing
      caller.flushing = 0
      markDirty(counting, caller)
    }
    counting.report(error)
  }
}

async function addToRows({ database }: Counting, callers: Caller[], now: number, withCalls: boolean) {
  const accountId = callers[0]?.accountId ?? ''
  const users = callers.map(({ userId }) => userId)
  const counts = callers.map(({ flushing }) => flushing)
  const calls = callers.map(({ log }) => (withCalls ? `{${unwritten(log).join()}}` : '{}'))
  // In the order of the key, so that two processes that tell the same rows cannot wait for each other in a circle.
  const { rows } = await sql<{ userId: string; day: string; dayCount: number; dayBase: number }>`
    insert into call_limits as held (account_id, user_id, day, day_count, calls)
    select ${accountId}, told.user_id, ${dayText(dayOf(now))}::date, told.count, told.calls::bigint[]
    from unnest(${users}::text[], ${counts}::integer[], ${calls}::text[]) as told (user_id, count, calls)
    order by told.user_id collate "C"
    on conflict (account_id, user_id) do update set
      day = greatest(held.day, excluded.day),
      day_count = excluded.day_count * (held.day <= excluded.day)::integer + held.day_count * (held.day >= excluded.day)::integer,
      day_base = held.day_base * (held.day >= excluded.day)::integer,
      calls = array(select call from unnest(held.calls) as call where call > ${now - retention}) || excluded.calls
    returning user_id, day, day_count, day_base`.execute(database.forAccount(accountId))
  return new Map(rows.map((row) => [row.userId, row]))
}

function markDirty(counting: Counting, caller: Caller) {
  if (caller.dirty) return
  caller.dirty = true
  counting.dirty.push(caller)
}
