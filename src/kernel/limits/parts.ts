import { setTimeout as sleep } from 'node:timers/promises'
import {
  advance,
  type Caller,
  type Counting,
  decideWaitingLocally,
  lacking,
  newCaller,
  releaseShare,
  used,
} from './caller.ts'
import { type Message, notify, type Row, type RowUpdate, takeFree, updateRows } from './row.ts'

/** How often a process polls for responses before it continues without them, and the milliseconds between polls. */
const maximumPolls = 400
const pollMilliseconds = 5
/** Rows updated by one statement. */
const batch = 500

export function callerOf({ callers, rules }: Counting, key: string): Caller {
  const known = callers.get(key)
  if (known) return known
  const caller = newCaller(key, rules)
  callers.set(key, caller)
  return caller
}

/**
 * Takes unallocated shares and answers waiting calls with them. Returns the first call that needs more, the exhausted limits, and the
 * holders.
 */
export async function takeFreeShare(counting: Counting, caller: Caller) {
  const { rules } = counting
  while (caller.busy) await caller.busy
  return runExclusively(counting, [caller], async () => {
    const { row, part, taken, others } = await takeFree(counting, caller, lacking(caller, rules))
    applyRow(caller, row)
    caller.times.push(...row.calls)
    caller.times.sort((one, other) => one - other)
    caller.share = part
    // Before any of it is given to other processes.
    decideWaitingLocally(caller, rules)
    return { first: caller.waiting[0], lacks: lacking(caller, rules), taken, others }
  })
}

/** Requests part of other processes' shares and returns how much each has used. A process that doesn't respond counts as gone. */
export async function requestShares(
  { database, id, gone, pace }: Counting,
  caller: Caller,
  of: string[],
  lacks: number[],
) {
  const early = caller.requestedAt + pace - performance.now()
  if (early > 0) await sleep(early)
  caller.requestedAt = performance.now()
  const responses = new Map<string, number[]>()
  caller.responses = responses
  await notify(database.forAccount(caller.account), [{ kind: 'ask', from: id, caller: caller.key, of, lacks }])
  const missing = () => of.filter((other) => !responses.has(other))
  for (let poll = 0; poll < maximumPolls && missing().length > 0; poll++) await sleep(pollMilliseconds)
  for (const silent of missing()) gone.add(silent)
  return responses
}

/**
 * Writes the admitted calls to the rows, and the remaining shares for processes that requested them. Failures are reported and retried the
 * next time.
 */
export async function publishCounts(counting: Counting, callers: readonly Caller[], leaving = false) {
  for (let from = 0; from < callers.length; from += batch) {
    const some = callers.slice(from, from + batch).filter(({ busy }) => !busy)
    if (some.length > 0) await publishBatch(counting, some, leaving).catch(counting.report)
  }
}

async function publishBatch(counting: Counting, callers: Caller[], leaving: boolean) {
  const { database, id, rules, clock } = counting
  const now = clock.now().getTime()
  const day = rules.windows.length
  const answers: Message[] = []
  const updates = callers.map((caller): RowUpdate => {
    advance(caller, now, rules)
    for (const request of caller.requests.splice(0)) {
      releaseShare(caller, request, rules)
      answers.push({ kind: 'told', from: id, caller: caller.key, to: request.from, used: used(caller, rules) })
    }
    const counts = { caller, day: caller.day, count: caller.unrecorded }
    if (!leaving) return { ...counts, part: caller.share.with(day, caller.share[day]! - caller.unrecorded), calls: [] }
    caller.share.fill(0)
    return { ...counts, calls: caller.times.splice(0) }
  })
  await runExclusively(counting, callers, async () => {
    const rows = new Map((await updateRows(counting, updates)).map((row) => [row.caller, row]))
    for (const { caller, day: counted, count } of updates) {
      const row = rows.get(caller.key)!
      if (caller.day === counted) caller.unrecorded -= count
      caller.share[day]! -= count
      if (!row.parts[id]) caller.share.fill(0)
      applyRow(caller, row)
    }
  })
  if (answers.length > 0) await notify(database.shared, answers)
}

/** Handles a message of another process; without a payload, a gap in which messages may have been missed. */
export function receiveMessage(counting: Counting, payload: string | undefined) {
  // Other processes may have taken over the shares of this one as abandoned: the next calls read the rows.
  if (payload === undefined) for (const { share } of counting.callers.values()) share.fill(0)
  try {
    if (payload !== undefined) handleMessage(counting, JSON.parse(payload))
  } catch (error) {
    // Every user of the database can send arbitrary text on the channel.
    counting.report(error)
  }
}

function handleMessage(counting: Counting, message: Message) {
  if (message.from === counting.id) return
  counting.gone.delete(message.from)
  const caller = counting.callers.get(message.caller)
  if (message.kind === 'blocked' && caller) caller.blockedUntil = Math.max(caller.blockedUntil, message.until)
  if (message.kind === 'told' && message.to === counting.id) caller?.responses.set(message.from, message.used)
  if (message.kind === 'ask' && message.of.includes(counting.id)) {
    const owner = callerOf(counting, message.caller)
    owner.requests.push(message)
    inBackground(counting, publishCounts(counting, [owner]))
  }
}

/** Applies the row; a block message may have arrived earlier. */
function applyRow(caller: Caller, { day, dayCount, blockedUntil }: Row) {
  if (Date.parse(day) === caller.day) caller.known = dayCount
  caller.blockedUntil = Math.max(caller.blockedUntil, blockedUntil?.getTime() ?? 0)
}

/** Runs work exclusively for the shares of these callers; requests of other processes are answered afterwards. */
async function runExclusively<Result>(
  counting: Counting,
  callers: Caller[],
  work: () => Promise<Result>,
): Promise<Result> {
  const working = work()
  const done = working.catch(() => {})
  for (const caller of callers) caller.busy = done
  try {
    return await working
  } finally {
    for (const caller of callers) caller.busy = undefined
    const requested = callers.filter(({ requests }) => requests.length > 0)
    if (requested.length > 0) inBackground(counting, publishCounts(counting, requested))
  }
}

/** Work that is awaited before the process stops. */
export function inBackground({ pendingWork }: Counting, work: Promise<void>) {
  const done: Promise<void> = work.finally(() => pendingWork.delete(done))
  pendingWork.add(done)
}
