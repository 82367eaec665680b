import type { Db } from '../database/database.ts'
import { append, retention } from './call-log.ts'
import { adoptCalls, type Caller, learnRow, timeOf } from './caller.ts'
import { type Counting, lease } from './counting.ts'
import { tell } from './messages.ts'
import { admitAtOnce, refuseAtOnce } from './quiet.ts'
import { type OtherProcess, type Review, review, type Wish } from './review.ts'
import { lockRow, readRow, writeRow } from './row.ts'
import { admitted, dayOf, refused, type Standing } from './rules.ts'

export type Outcome = Review['outcome'] | 'idle'

/** Moves one user's waiting calls on: from memory as far as that goes, then on the row. One step at a time per user. */
export function step(counting: Counting, caller: Caller, wish = { remind: false, impatient: false }): Promise<Outcome> {
  const turn = caller.turn
    .catch(() => {})
    .then(() => takeStep(counting, caller, wish))
    .finally(() => counting.steps.delete(turn))
  counting.steps.add(turn)
  caller.turn = turn
  return turn
}

async function takeStep(counting: Counting, caller: Caller, wish: Omit<Wish, 'purpose'>): Promise<Outcome> {
  caller.onRow = true
  try {
    // What is being flushed must have arrived before the row can be called complete.
    if (caller.flushing > 0) await counting.flushing
    if (!caller.loaded) await load(counting, caller)
    answerFromMemory(counting, caller)
    if (caller.waiting.length === 0 && caller.must === 'nothing') return 'idle'
    return await askRow(counting, caller, wish)
  } finally {
    caller.onRow = false
  }
}

async function askRow(counting: Counting, caller: Caller, wish: Omit<Wish, 'purpose'>): Promise<Outcome> {
  const { must } = caller
  const purpose = must !== 'nothing' ? must : caller.sharedUntil === 0 ? 'decide' : 'look'
  // Cleared first, so that a demand heard meanwhile is not lost.
  caller.must = 'nothing'
  try {
    const result = await onRow(counting, caller, { ...wish, purpose })
    learn(counting, caller, result)
    return result.outcome
  } catch (error) {
    if (caller.must === 'nothing') caller.must = must
    throw error
  }
}

async function load({ database, clock }: Counting, caller: Caller) {
  const row = await readRow(database.forAccount(caller.accountId), caller)
  const now = clock.now().getTime()
  if (row) {
    // Read without a lock: sharing that ended just now may be about to be drawn out.
    learnRow(caller, row, now < row.sharedUntil + lease)
    adoptCalls(
      caller,
      row.calls.filter((time) => time > now - retention).sort((one, other) => one - other),
    )
  }
  caller.loaded = true
}

function answerFromMemory(counting: Counting, caller: Caller) {
  const now = counting.clock.now().getTime()
  for (let first = caller.waiting[0]; first; first = caller.waiting[0]) {
    const at = timeOf(first, now)
    const standing = refuseAtOnce(counting, caller, at) ?? admitAtOnce(counting, caller, at, now)
    if (!standing) return
    caller.waiting.shift()
    first.resolve(standing)
  }
}

function onRow(counting: Counting, caller: Caller, wish: Wish): Promise<Review> {
  return counting.database.transaction(caller.accountId, async (db) => {
    const [held, others] = await Promise.all([
      lockRow(db, caller, dayOf(counting.clock.now().getTime())),
      otherProcesses(db, counting.self.id),
    ])
    const result = review(counting, caller, held, others, wish)
    if (result.write !== 'nothing')
      await writeRow(db, caller, result.write === 'all' ? result.row : counts(result, held))
    for (const message of result.messages) await tell(db, message)
    return result
  })
}

/** A closed process has handed in its calls for good; a silent one may only be slow. */
function otherProcesses(db: Db, id: string): Promise<OtherProcess[]> {
  const all = db.selectFrom('callCounters').select(['id', 'seen'])
  return all.where('id', '<>', id).where('closed', '=', false).execute()
}

/** Alone, a process keeps the calls to itself: the row need not carry them. */
function counts({ row }: Review, { calls }: Review['row']): Review['row'] {
  return { ...row, calls }
}

function learn({ rules }: Counting, caller: Caller, { shared, row, decisions, write }: Review) {
  learnRow(caller, row, shared)
  if (write !== 'nothing') caller.unflushed = 0
  for (const { at, reason } of decisions) if (!reason) append(caller.log, at)
  if (write === 'all') caller.log.written = caller.log.end
  const answered = caller.waiting.splice(0, decisions.length)
  for (const [index, { resolve }] of answered.entries()) {
    const { at, reason, dayCount, blockedUntil } = decisions[index]!
    const remaining = Math.max(0, rules.day - dayCount)
    const standing: Standing = reason
      ? refused(reason, remaining, at, row.day, blockedUntil)
      : admitted(remaining, at, row.day)
    resolve(standing)
  }
}
