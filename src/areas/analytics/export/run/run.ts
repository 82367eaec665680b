import { type Selectable, sql } from 'kysely'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { lockFreeRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { ExportRuns } from '#kernel/database/tables.ts'
import { conflict } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Log } from '#kernel/log.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import { analyticsIds } from '../../declarations.ts'
import { decryptSecret, type ExportRow, ownExports, requireExport } from '../export.ts'
import { nextRun, rangeOf } from '../schedule.ts'
import { signedUrl } from './run-files.ts'
import type { Written } from './write-file.ts'

export const runExport = { name: 'analytics.run-export', queue: 'exports' } as const

const activeStatuses = ['waiting', 'writing', 'delivering'] as const

/** Runs of an export, with their files while kept. */
export async function search(context: Context, { id, page }: { id: string; page: Page }) {
  const { db, accountId } = context
  await requireExport(context, id)
  const runs = db.selectFrom('exportRuns').selectAll().where('accountId', '=', accountId).where('exportId', '=', id)
  const { items, total } = await paginate(runs, page)
  const withFile = items.map((run) => ({
    ...run,
    file: run.fileKey === '' ? '' : signedUrl(context, { accountId, id: run.id }, run.fileName),
  }))
  return { items: withFile, total }
}

/** Independent of the schedule. */
export async function runNow(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const row = await requireExport(context, id)
  const running = await db
    .selectFrom('exportRuns')
    .select('id')
    .where('accountId', '=', accountId)
    .where('exportId', '=', id)
    .where('status', 'in', activeStatuses)
    .executeTakeFirst()
  if (running) throw conflict('A run of this export is under way. Wait until it has ended.')
  return { ...(await planRun(context, row)), file: '' }
}

/** Records a run in the caller's transaction. */
async function planRun(context: Context, { id: exportId, timeRange, timezone }: ExportRow) {
  const { db, accountId, userId, now } = context
  const id = newId(analyticsIds.exportRun, now)
  const run = await db
    .insertInto('exportRuns')
    .values({
      accountId,
      id,
      exportId,
      created: now,
      createdBy: userId,
      status: 'waiting',
      ...rangeOf(timeRange, now, timezone),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await enqueue(context, runExport, { accountId, id }, { key: id })
  return run
}

/** Finds due exports and schedules their next run in the same transaction, so that none runs twice. Missed runs are combined into one. */
export const planExportsJob = job<Record<string, never>>('analytics.plan-exports', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, (inside) => planDue(inside, context.log))),
})

async function planDue(context: Context, log: Log) {
  const { db, accountId, now } = context
  const { rows } = await sql<ExportRow>`
    select * from exports where account_id = ${accountId} and next_run <= ${now} order by id
    ${lockFreeRows('exports', 'no key update')}`.execute(db)
  for (const row of rows) {
    const next = nextOf(row, now, log)
    await db
      .updateTable('exports')
      .set({ nextRun: next ?? new Date(now.getTime() + day) })
      .where('accountId', '=', accountId)
      .where('id', '=', row.id)
      .execute()
    if (next) await planRun(context, row)
  }
}

/** Undefined for an unknown time zone: retried tomorrow, without blocking other exports. */
function nextOf(row: ExportRow, now: Date, log: Log): Date | undefined {
  try {
    return nextRun(row, now)
  } catch (error) {
    skipRow(log, { kind: 'export', id: row.id }, error)
    return undefined
  }
}

export type RunRow = Selectable<ExportRuns>

/** A running run with its attempt number: an outdated attempt changes nothing. */
export interface ClaimedRun {
  run: RunRow
  row: ExportRow
  /** Throws if it can't be decrypted. */
  secret: () => string
  /** Download URL while the file is kept. */
  url: string
}

const mailedDays = 7

/** Claims a run; undefined if it has ended or was deleted. */
export async function claimRun(context: Context, id: string): Promise<ClaimedRun | undefined> {
  const { db, accountId, keyring, now } = context
  const run = await db
    .updateTable('exportRuns')
    .set({
      attempts: sql`attempts + 1`,
      status: sql`case when file_key = '' then 'writing' else 'delivering' end`,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', activeStatuses)
    .returningAll()
    .executeTakeFirst()
  if (!run) return undefined
  const row = await ownExports(context).where('id', '=', run.exportId).executeTakeFirstOrThrow()
  const until = new Date(now.getTime() + mailedDays * day)
  const name = run.fileName || fileNameOf(row.type, run)
  return {
    run: { ...run, fileName: name },
    row,
    secret: () => decryptSecret(keyring, { accountId, id: row.id }, row.secret),
    url: signedUrl(context, { accountId, id }, name, until),
  }
}

/** Records the stored file; false if another attempt has taken over. */
export async function recordFile(
  context: Context,
  { run }: ClaimedRun,
  key: string,
  written: Written,
): Promise<boolean> {
  const { numUpdatedRows } = await ofAttempt(context, run)
    .set({ ...written, fileKey: key, fileName: run.fileName, status: 'delivering' })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Records the delivery. Locks the export first, as its deletion does. */
export async function recordDelivery(context: Context, { run, row }: ClaimedRun, hostKey: string | undefined) {
  const { db, accountId, now } = context
  await db
    .updateTable('exports')
    .set({ lastRun: now, lastRunId: run.id })
    .where('accountId', '=', accountId)
    .where('id', '=', row.id)
    .execute()
  if (hostKey && !row.destination.hostKey)
    await db
      .updateTable('exports')
      .set({ destination: JSON.stringify({ ...row.destination, hostKey }) })
      .where('accountId', '=', accountId)
      .where('id', '=', row.id)
      // Unless changed meanwhile.
      .where('modified', '=', row.modified)
      .execute()
  await ofAttempt(context, run).set({ status: 'done', error: '', finished: now }).execute()
}

/** Records a failure, and whether it is retried. */
export async function recordFailure(context: Context, { run }: ClaimedRun, error: string, isLast: boolean) {
  const { now } = context
  const end = isLast ? ({ status: 'failed', finished: now } as const) : ({ status: 'waiting' } as const)
  // After the last attempt no other can have taken over.
  const changed = isLast ? runInProgress(context, run) : ofAttempt(context, run)
  await changed.set({ ...end, error: error.slice(0, 1000) }).execute()
}

const ofAttempt = (context: Context, run: RunRow) => runInProgress(context, run).where('attempts', '=', run.attempts)

const runInProgress = ({ db, accountId }: Context, { id }: RunRow) =>
  db
    .updateTable('exportRuns')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', activeStatuses)

const fileNameOf = (type: string, { created, id }: RunRow) =>
  `${type.toLowerCase()}-${created.toISOString().slice(0, 10)}-${id}.zip`
