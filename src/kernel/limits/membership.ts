import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { CallCounters } from '../database/tables.ts'
import { everyCaller } from './caller.ts'
import { absence, type Counting, divide, type Membership, silence } from './counting.ts'
import { tell } from './messages.ts'
import { exceedsPart } from './quiet.ts'
import { step } from './step.ts'

export function newMembership(): Membership {
  return {
    id: randomUUID(),
    processes: 1,
    second: 0,
    fiveSeconds: 0,
    reckoned: new Set(),
    accepted: false,
    closed: false,
    leaseUntil: 0,
    cutOff: false,
    deaf: false,
    beatNumber: 0,
    beatFloor: 0,
    onBeat: () => {},
  }
}

/** Introduces this process to the others. It decides nothing by itself until each of them reckons with it. */
async function register({ database, clock, self }: Counting) {
  self.accepted = false
  self.id = randomUUID()
  self.reckoned = new Set()
  await database.shared.insertInto('callCounters').values({ id: self.id, seen: clock.now() }).execute()
  await tell(database.shared, { kind: 'arrived', from: self.id })
}

/** Shows that this process lives; introduces it anew if the others have dropped it. */
export async function showLife(counting: Counting) {
  const { database, clock, self } = counting
  const own = database.shared.updateTable('callCounters').where('id', '=', self.id)
  const shown = await own.set({ seen: clock.now() }).returning('id').executeTakeFirst()
  if (!shown) await register(counting)
}

/** Learns who counts now. Newcomers are reckoned with at once, and told so when no user exceeds the smaller part. */
export async function learnProcesses(counting: Counting) {
  const { database, clock, self, rules } = counting
  const processes = await presentProcesses(counting)
  const ids = processes.map(({ id }) => id)
  divide(self, rules, new Set([...ids, self.id]).size)
  if (ids.some((id) => !self.reckoned.has(id))) {
    await shareWhatExceeds(counting)
    await database.shared.updateTable('callCounters').set({ peers: ids }).where('id', '=', self.id).execute()
    await tell(database.shared, { kind: 'reckoned', from: self.id })
    self.reckoned = new Set(ids)
  }
  const now = clock.now().getTime()
  if (!self.accepted && ids.includes(self.id) && processes.every((process) => accepts(process, self.id, now))) {
    accept(counting)
  }
}

/** Forgets that it knew how users stand: the next call of each looks at the row first. */
export function distrust(counting: Counting) {
  for (const caller of everyCaller(counting.callers)) if (caller.must === 'nothing') caller.must = 'look'
}

/** All but those long gone, who are dropped: their calls have left every window. */
async function presentProcesses({ database, clock, self }: Counting) {
  const processes = await database.shared.selectFrom('callCounters').selectAll().execute()
  const earliest = new Date(clock.now().getTime() - absence)
  if (processes.every(({ id, seen }) => id === self.id || seen >= earliest)) return processes
  const stale = database.shared.deleteFrom('callCounters').where('seen', '<', earliest).where('id', '<>', self.id)
  const dropped = new Set((await stale.returning('id').execute()).map(({ id }) => id))
  return processes.filter(({ id }) => !dropped.has(id))
}

/** A step begun before the newcomer was known must not end after it was told. */
async function shareWhatExceeds(counting: Counting) {
  await Promise.allSettled([...counting.steps])
  const now = counting.clock.now().getTime()
  const exceeding = [...everyCaller(counting.callers)].filter((caller) => exceedsPart(counting, caller, now))
  await Promise.all(
    exceeding.map((caller) => {
      caller.must = 'share'
      return step(counting, caller)
    }),
  )
}

/** A silent process learns of this one before its lease is renewed. */
function accepts({ id, seen, peers, closed }: Selectable<CallCounters>, self: string, now: number): boolean {
  return id === self || closed || seen.getTime() < now - silence || peers.includes(self)
}

/** What it learnt before may be stale, and what was told meanwhile not yet heard: only the next beat counts. */
function accept(counting: Counting) {
  const { self } = counting
  self.accepted = true
  self.leaseUntil = 0
  self.beatFloor = self.beatNumber
  distrust(counting)
  if (!self.closed) void counting.beat()
}
