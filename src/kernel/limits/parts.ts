import { setTimeout as sleep } from 'node:timers/promises'
import { answerAlone, type Caller, type Counting, give, keepTime, lacking, newCaller, used } from './caller.ts'
import { type Message, notify, type Row, type Telling, takeFree, tellRows } from './row.ts'

/** How often a process polls for responses before it continues without them, and the milliseconds between polls. */
const looks = 400
const lookEvery = 5
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
export async function enlarge(counting: Counting, caller: Caller) {
  const { rules } = counting
  while (caller.busy) await caller.busy
  return alone(counting, [caller], async () => {
    const { row, part, taken, others } = await takeFree(counting, caller, lacking(caller, rules))
    learn(caller, row)
    caller.times.push(...row.calls)
    caller.times.sort((one, other) => one - other)
    caller.part = part
    // Before any of it is given to other processes.
    answerAlone(caller, rules)
    return { first: caller.waiting[0], lacks: lacking(caller, rules), taken, others }
  })
}

/** Requests part of other processes' shares and returns how much each has used. A process that doesn't respond counts as gone. */
export async function ask({ database, id, gone, pace }: Counting, caller: Caller, of: string[], lacks: number[]) {
  const early = caller.askedAt + pace - performance.now()
  if (early > 0) await sleep(early)
  caller.askedAt = performance.now()
  const told = new Map<string, number[]>()
  caller.told = told
  await notify(database.forAccount(caller.account), [{ kind: 'ask', from: id, caller: caller.key, of, lacks }])
  const missing = () => of.filter((other) => !told.has(other))
  for (let look = 0; look < looks && missing().length > 0; look++) await sleep(lookEvery)
  for (const silent of missing()) gone.add(silent)
  return told
}

/**
 * Writes the admitted calls to the rows, and the remaining shares for processes that requested them. Failures are reported and retried the
 * next time.
 */
export async function tell(counting: Counting, callers: readonly Caller[], leaving = false) {
  for (let from = 0; from < callers.length; from += batch) {
    const some = callers.slice(from, from + batch).filter(({ busy }) => !busy)
    if (some.length > 0) await tellSome(counting, some, leaving).catch(counting.report)
  }
}

async function tellSome(counting: Counting, callers: Caller[], leaving: boolean) {
  const { database, id, rules, clock } = counting
  const now = clock.now().getTime()
  const day = rules.windows.length
  const answers: Message[] = []
  const tellings = callers.map((caller): Telling => {
    keepTime(caller, now, rules)
    for (const wish of caller.asks.splice(0)) {
      give(caller, wish, rules)
      answers.push({ kind: 'told', from: id, caller: caller.key, to: wish.from, used: used(caller, rules) })
    }
    const counts = { caller, day: caller.day, count: caller.untold }
    if (!leaving) return { ...counts, part: caller.part.with(day, caller.part[day]! - caller.untold), calls: [] }
    caller.part.fill(0)
    return { ...counts, calls: caller.times.splice(0) }
  })
  await alone(counting, callers, async () => {
    const rows = new Map((await tellRows(counting, tellings)).map((row) => [row.caller, row]))
    for (const { caller, day: counted, count } of tellings) {
      const row = rows.get(caller.key)!
      if (caller.day === counted) caller.untold -= count
      caller.part[day]! -= count
      if (!row.parts[id]) caller.part.fill(0)
      learn(caller, row)
    }
  })
  if (answers.length > 0) await notify(database.shared, answers)
}

/** Handles a message of another process; without a payload, a gap in which messages may have been missed. */
export function hear(counting: Counting, payload: string | undefined) {
  // Other processes may have taken over the shares of this one as abandoned: the next calls read the rows.
  if (payload === undefined) for (const { part } of counting.callers.values()) part.fill(0)
  try {
    if (payload !== undefined) act(counting, JSON.parse(payload))
  } catch (error) {
    // Every user of the database can send arbitrary text on the channel.
    counting.report(error)
  }
}

function act(counting: Counting, message: Message) {
  if (message.from === counting.id) return
  counting.gone.delete(message.from)
  const caller = counting.callers.get(message.caller)
  if (message.kind === 'blocked' && caller) caller.blockedUntil = Math.max(caller.blockedUntil, message.until)
  if (message.kind === 'told' && message.to === counting.id) caller?.told.set(message.from, message.used)
  if (message.kind === 'ask' && message.of.includes(counting.id)) {
    const wanted = callerOf(counting, message.caller)
    wanted.asks.push(message)
    inBackground(counting, tell(counting, [wanted]))
  }
}

/** Applies the row; a block message may have arrived earlier. */
function learn(caller: Caller, { day, dayCount, blockedUntil }: Row) {
  if (Date.parse(day) === caller.day) caller.known = dayCount
  caller.blockedUntil = Math.max(caller.blockedUntil, blockedUntil?.getTime() ?? 0)
}

/** Runs work exclusively for the shares of these callers; requests of other processes are answered afterwards. */
async function alone<Result>(counting: Counting, callers: Caller[], work: () => Promise<Result>): Promise<Result> {
  const working = work()
  const done = working.catch(() => {})
  for (const caller of callers) caller.busy = done
  try {
    return await working
  } finally {
    for (const caller of callers) caller.busy = undefined
    const asked = callers.filter(({ asks }) => asks.length > 0)
    if (asked.length > 0) inBackground(counting, tell(counting, asked))
  }
}

/** Work that is awaited before the process stops. */
export function inBackground({ works }: Counting, work: Promise<void>) {
  const done: Promise<void> = work.finally(() => works.delete(done))
  works.add(done)
}
