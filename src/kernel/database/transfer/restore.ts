import type pg from 'pg'
import { type Content, type Summary, summarize } from './content.ts'
import { load } from './load.ts'
import { type ProgressListener, withMeter } from './meter.ts'
import { withBackup } from './read-file.ts'
import { finishTarget, prepareTarget, refuseUsedTarget } from './target.ts'

export interface RestoreOptions {
  url: string
  file: string
  migrationsFolder: string
  /** Done in the transaction that loads the rows. */
  marks: readonly RestoreMark[]
  progress?: ProgressListener
}

/** What a restored table must say beside its rows; a backup of a version that has no such table goes without. */
export interface RestoreMark {
  table: string
  statement: string
}

/** Fills an empty database from a backup, which is read twice: the target stays untouched until all of it proved whole. */
export async function restore({ url, file, migrationsFolder, marks, progress }: RestoreOptions): Promise<Summary> {
  await refuseUsedTarget(url)
  const checked = await withBackup(file, (content) => check(content, progress))
  return withBackup(file, async (content) => {
    await prepareTarget(url, content.header, migrationsFolder)
    const tables = content.header.tables.map((table) => ({ ...table, rowEstimate: checked.tables[table.name] ?? 0 }))
    const summary = await withMeter('load', tables, progress, async (meter) => {
      await load(url, content, meter, (client) => mark(client, marks))
      return summarize(content, meter)
    })
    await finishTarget(url, content.header, migrationsFolder)
    return summary
  })
}

function check(content: Content, progress: ProgressListener | undefined): Promise<Summary> {
  return withMeter('check', content.header.tables, progress, async (meter) => {
    for await (const { chunks } of content.sections(meter)) {
      // Reading them is the check.
      for await (const _ of chunks);
    }
    return summarize(content, meter)
  })
}

async function mark(client: pg.Client, marks: readonly RestoreMark[]) {
  for (const { table, statement } of marks) {
    const { rows } = await client.query(`select from pg_tables where schemaname = 'public' and tablename = $1`, [table])
    if (rows.length > 0) await client.query(statement)
  }
}
