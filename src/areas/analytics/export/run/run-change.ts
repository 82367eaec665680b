import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { ExportRuns } from '#kernel/database/tables.ts'
import { type ExportRow, openSecret, ownExports } from '../export-row.ts'
import type { Written } from './export-file.ts'
import { addressOf } from './file-link.ts'

export type RunRow = Selectable<ExportRuns>

/** A run that somebody works at, with the number of the try: what another try has taken over is not changed any more. */
export interface BegunRun {
  run: RunRow
  row: ExportRow
  /** Fails where it cannot be read any more. */
  secret: () => string
  /** Where the file can be fetched, as long as it is kept. */
  url: string
}

const day = 24 * 60 * 60 * 1000
const mailedDays = 7

/** Takes it in hand; nothing when it is over, or gone with its export. */
export async function begin(context: Context, id: string): Promise<BegunRun | undefined> {
  const { db, accountId, keyring, now } = context
  const run = await db
    .updateTable('exportRuns')
    .set({
      attempts: sql`attempts + 1`,
      status: sql`case when file_key = '' then 'writing' else 'delivering' end`,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', ['waiting', 'writing', 'delivering'])
    .returningAll()
    .executeTakeFirst()
  if (!run) return undefined
  const row = await ownExports(context).where('id', '=', run.exportId).executeTakeFirstOrThrow()
  const until = new Date(now.getTime() + mailedDays * day)
  const name = run.fileName || fileNameOf(row.type, run)
  return {
    run: { ...run, fileName: name },
    row,
    secret: () => openSecret(keyring, { accountId, id: row.id }, row.secret),
    url: addressOf(context, { accountId, id }, name, until),
  }
}

/** The file lies in the store; false where another try has it by now. */
export async function noteFile(context: Context, { run }: BegunRun, key: string, written: Written): Promise<boolean> {
  const { numUpdatedRows } = await ofTry(context, run)
    .set({ ...written, fileKey: key, fileName: run.fileName, status: 'delivering' })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** It has arrived. The export comes first, as whoever deletes it begins there too. */
export async function noteDelivery(context: Context, { run, row }: BegunRun, hostKey: string | undefined) {
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
      // Unless somebody changed it meanwhile.
      .where('modified', '=', row.modified)
      .execute()
  await ofTry(context, run).set({ status: 'done', error: '', finished: now }).execute()
}

/** What went wrong, and whether anybody tries again. */
export async function noteFailure(context: Context, { run }: BegunRun, error: string, isLast: boolean) {
  const { now } = context
  const end = isLast ? ({ status: 'failed', finished: now } as const) : ({ status: 'waiting' } as const)
  // After the last try there is no other that could have taken it.
  const changed = isLast ? underWay(context, run) : ofTry(context, run)
  await changed.set({ ...end, error: error.slice(0, 1000) }).execute()
}

const ofTry = (context: Context, run: RunRow) => underWay(context, run).where('attempts', '=', run.attempts)

const underWay = ({ db, accountId }: Context, { id }: RunRow) =>
  db
    .updateTable('exportRuns')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', ['waiting', 'writing', 'delivering'])

const fileNameOf = (type: string, { created, id }: RunRow) =>
  `${type.toLowerCase()}-${created.toISOString().slice(0, 10)}-${id}.zip`
