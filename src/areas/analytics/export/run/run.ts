import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { type ExportRow, requireExport } from '../export-row.ts'
import { rangeOf } from '../time-range.ts'
import { addressOf } from './file-link.ts'
import { fileKeysOf, removeFiles } from './remove-files.job.ts'

/** Name and queue, for whoever enqueues it. */
export const runExport = { name: 'analytics.run-export', queue: 'exports' } as const

const underWay = ['waiting', 'writing', 'delivering'] as const

/** The runs of an export, each with its file as long as that is kept. */
export async function search(context: Context, { id, page }: { id: string; page: Page }) {
  const { db, accountId } = context
  await requireExport(context, id)
  const runs = db.selectFrom('exportRuns').selectAll().where('accountId', '=', accountId).where('exportId', '=', id)
  const { items, total } = await paginate(runs, page)
  const withFile = items.map((run) => ({
    ...run,
    file: run.fileKey === '' ? '' : addressOf(context, { accountId, id: run.id }, run.fileName),
  }))
  return { items: withFile, total }
}

/** Somebody wants it now, whatever its schedule says. */
export async function runNow(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const row = await requireExport(context, id)
  const running = await db
    .selectFrom('exportRuns')
    .select('id')
    .where('accountId', '=', accountId)
    .where('exportId', '=', id)
    .where('status', 'in', underWay)
    .executeTakeFirst()
  if (running) throw conflict('A run of this export is under way. Wait until it has ended.')
  return { ...(await planRun(context, row)), file: '' }
}

/** Writes down that an export is to run, in the transaction of whoever wants it. */
export async function planRun(context: Context, { id: exportId, timeRange, timezone }: ExportRow) {
  const { db, accountId, userId, now } = context
  const id = newId('exportRun', now)
  const run = await db
    .insertInto('exportRuns')
    .values({
      ...{ accountId, id, exportId, created: now, createdBy: userId, status: 'waiting' },
      ...rangeOf(timeRange, now, timezone),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await enqueue(context, runExport, { accountId, id }, { key: id })
  return run
}

/** Their files are removed once the change stands. */
export async function removeFilesOf(context: Context, exportId: string) {
  const { db, accountId } = context
  const runs = await db
    .selectFrom('exportRuns')
    .select(['accountId', 'id', 'attempts'])
    .where('accountId', '=', accountId)
    .where('exportId', '=', exportId)
    .execute()
  const keys = runs.flatMap(fileKeysOf)
  if (keys.length > 0) await enqueue(context, removeFiles, { keys })
}
