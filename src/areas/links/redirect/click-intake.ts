import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { isUnderWayOnNodes } from '#kernel/database/cluster/cluster.ts'
import type { Database } from '#kernel/database/database.ts'
import type { Statement } from '#kernel/database/statement/statement.ts'
import { Unsettled, type Writer } from '#kernel/database/writer.ts'
import type { Log } from '#kernel/log.ts'
import { byAccount, type Click, packClicks } from '../click/click-bundle.ts'

/** A click with the state of its visitor. */
export interface WaitingClick extends Click {
  /** Monotonic time of arrival. */
  readonly since: number
  /** Set when the visitor has been redirected. */
  answered: boolean
}

interface ClickIntake<Waiting extends WaitingClick> {
  /** Stores the click in a group commit; its visitor is redirected afterwards, or when that takes too long. */
  add(click: Waiting): void
  /** Number of clicks not stored yet. */
  waiting(): number
  /** Stores the remaining clicks if possible, and closes the connections. */
  close(): Promise<void>
}

interface ClickIntakeOptions<Waiting extends WaitingClick> {
  database: Database
  /** One per concurrent commit. */
  writers: readonly Writer[]
  log: Log
  /** Redirects the visitor. */
  answer(click: Waiting): void
  /** Counts visitors redirected before their click was stored. */
  early(clicks: number): void
  /** Counts dropped clicks. */
  uncounted(clicks: number): void
  limits?: Partial<typeof standardLimits>
}

/** How long a visitor waits for an unresponsive database, how long a click is kept for it, and how many are kept. */
const standardLimits = { patience: 2_000, kept: 60_000, most: 20_000 }
const batchSize = 1_000
const pollEvery = 250

/**
 * Group commit: clicks that arrive during one statement are collected for the next, so a commit serves as many as arrived in its
 * time, without a timer.
 */
export function openClickIntake<Waiting extends WaitingClick>(
  options: ClickIntakeOptions<Waiting>,
): ClickIntake<Waiting> {
  const { log, answer, early, uncounted } = options
  const { patience, kept, most } = { ...standardLimits, ...options.limits }
  const idle = [...options.writers]
  const inProgress = new Set<readonly Waiting[]>()
  let gathered: Waiting[] = []
  let planned = false
  let inFlight = 0
  let closing = false

  const release = (click: Waiting) => {
    if (click.answered) return
    click.answered = true
    answer(click)
  }
  const giveUp = (batch: readonly Waiting[], error: unknown) => {
    for (const click of batch) release(click)
    uncounted(batch.length)
    log.error({ err: error, clicks: batch.length, first: batch[0]?.id }, 'clicks are not counted')
  }

  /** A concurrent commit pays off if it takes as many as those in flight together. */
  const isWorthwhile = () => gathered.length > 0 && gathered.length >= inFlight
  const start = () => {
    planned = false
    while (isWorthwhile()) {
      const writer = idle.pop()
      if (!writer) return
      void serve(writer)
    }
  }
  const serve = async (writer: Writer) => {
    while (isWorthwhile()) {
      const batch = gathered.length > batchSize ? gathered.splice(0, batchSize) : gathered
      if (batch === gathered) gathered = []
      inProgress.add(batch)
      inFlight += batch.length
      try {
        await write(writer, batch)
        for (const click of batch) release(click)
      } catch (error) {
        giveUp(batch, error)
      }
      inProgress.delete(batch)
      inFlight -= batch.length
    }
    idle.push(writer)
  }
  /** Resolves when certainly stored; rejects when dropped. */
  const write = async (writer: Writer, batch: readonly Waiting[]) => {
    const statements = insertClicks(batch)
    for (;;) {
      try {
        return await writer.write(statements)
      } catch (error) {
        log.warn({ err: error, clicks: batch.length }, 'clicks could not be written')
        if (isPointless(error)) throw error
        if (error instanceof Unsettled && (await isWritten(options, error, batch, () => isOver(batch)))) return
        if (isOver(batch)) throw error
        await pause()
      }
    }
  }
  const isOver = (batch: readonly Waiting[]) => closing || performance.now() - (batch[0]?.since ?? 0) > kept

  const watch = setInterval(() => {
    const latest = performance.now() - patience
    for (const batch of [...inProgress, gathered]) {
      if ((batch[0]?.since ?? latest) >= latest) continue
      const overdue = batch.filter(({ answered, since }) => !answered && since < latest)
      for (const click of overdue) release(click)
      if (overdue.length === 0) continue
      early(overdue.length)
      log.warn({ clicks: overdue.length }, 'visitors were sent on before their clicks were written')
    }
  }, pollEvery).unref()

  return {
    add(click) {
      if (gathered.length >= most) return giveUp([click], new Error('Too many clicks wait for the database.'))
      gathered.push(click)
      if (planned || idle.length === 0 || !isWorthwhile()) return
      // At the end of the event loop turn, so that all of its clicks are stored together.
      planned = true
      setImmediate(start)
    },
    waiting: () => [...inProgress].reduce((sum, batch) => sum + batch.length, gathered.length),
    async close() {
      closing = true
      while (gathered.length > 0 || inProgress.size > 0) await pause(20)
      clearInterval(watch)
      await Promise.all(options.writers.map((writer) => writer.close()))
    },
  }
}

/** A data or syntax error would fail again. */
const isPointless = (error: unknown) => /^(22|23|42)/.test(String((error as { code?: string }).code ?? ''))

const text = 'insert into click_batches (account, at, size, clicks) values ($1, to_timestamp($2), $3, $4)'

/** One row per account; all or none are inserted. */
export const insertClicks = (clicks: readonly Click[]): Statement[] =>
  Array.from(byAccount(clicks), ([account, own]) => ({
    text,
    values: [account, String((own[0]?.at ?? 0) / 1000), String(own.length), packClicks(own)],
  }))

const retryAfter = 250

const pause = (milliseconds = retryAfter) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Whether a statement without a response was committed. Nothing is written again before that is certain. */
async function isWritten(
  { database, log }: { database: Database; log: Log },
  unsettled: Unsettled,
  batch: readonly Click[],
  isOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    try {
      // While the backend is alive it may still commit.
      if (!(await isRunning(database, unsettled.backend))) return await areStored(database, batch)
    } catch (error) {
      log.warn({ err: error }, 'whether clicks were written cannot be found out yet')
    }
    if (isOver()) throw unsettled
    await pause()
  }
}

async function isRunning(database: Database, backend: number): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity where pid = ${backend}`.execute(database.shared)
  return rows.length > 0 || ((await database.isDistributed()) && isUnderWayOnNodes(database, backend))
}

/** All or none were written. Counting moves clicks from one table to the other, so they are checked in that order. */
async function areStored(database: Database, batch: readonly Click[]): Promise<boolean> {
  const ids = batch.map(({ id }) => id)
  const { rows } = await sql`
    select from click_batches where account = ${batch[0]?.account} and strpos(clicks, ${ids[0]}) > 0 limit 1`.execute(
    database.shared,
  )
  if (rows.length > 0) return true
  for (const account of new Set(batch.map((click) => click.account))) {
    const { rows: counted } = await sql`
      select from clicks where account_id = ${account} and id = any(${ids}::text[]) limit 1`.execute(
      database.forAccount(account),
    )
    if (counted.length > 0) return true
  }
  return false
}
