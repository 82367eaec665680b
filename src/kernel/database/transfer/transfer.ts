import type pg from 'pg'
import type { MigrationFolders } from '../schema/migration-files.ts'
import { withBackup, writeBackup } from './backup-file.ts'
import { countRows } from './catalogue.ts'
import { type Content, type Meter, type ProgressListener, type Summary, summarize, withMeter } from './content.ts'
import { load } from './load.ts'
import { type SnapshotOptions, withSnapshot } from './snapshot.ts'
import { finishTarget, prepareTarget, refuseUsedTarget } from './target.ts'

export interface BackupOptions extends SnapshotOptions {
  file: string
  progress?: ProgressListener
}

/** Writes a snapshot of the whole database into one compressed file; replaces an existing file. */
export function backup({ file, progress, ...snapshot }: BackupOptions): Promise<Summary> {
  return withSnapshot(snapshot, (content) =>
    withMeter('back up', content.header.tables, progress, async (meter) => {
      await writeBackup(file, content, meter)
      return summarize(content, meter)
    }),
  )
}

export interface RestoreOptions {
  url: string
  file: string
  migrationFolders: MigrationFolders
  /** Applied in the transaction that loads the rows. */
  marks: readonly RestoreMark[]
  progress?: ProgressListener
}

/** A statement that marks a table as restored; skipped if the backup's version doesn't have the table. */
export interface RestoreMark {
  table: string
  statement: string
}

/** Restores a backup into an empty database. The backup is read twice: the target stays untouched until the file is verified. */
export async function restore({ url, file, migrationFolders, marks, progress }: RestoreOptions): Promise<Summary> {
  await refuseUsedTarget(url)
  const checked = await withBackup(file, (content) => check(content, progress))
  return withBackup(file, async (content) => {
    await prepareTarget(url, content.header, migrationFolders)
    const tables = content.header.tables.map((table) => ({ ...table, rowEstimate: checked.tables[table.name] ?? 0 }))
    const summary = await withMeter('load', tables, progress, async (meter) => {
      await load(url, content, meter, (client) => mark(client, marks))
      return summarize(content, meter)
    })
    await finishTarget(url, content.header, migrationFolders)
    return summary
  })
}

function check(content: Content, progress: ProgressListener | undefined): Promise<Summary> {
  return withMeter('check', content.header.tables, progress, async (meter) => {
    for await (const { chunks } of content.sections(meter)) {
      // Reading verifies them.
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

export interface MoveOptions {
  from: string
  to: string
  migrationFolders: MigrationFolders
  now: Date
  version: string
  progress?: ProgressListener
}

/** Copies a snapshot of a database into an empty one, possibly on another server; the source is only read. */
export async function move({ from, to, migrationFolders, now, version, progress }: MoveOptions): Promise<Summary> {
  await refuseUsedTarget(to)
  return withSnapshot({ url: from, now, version }, async (source, client) => {
    const content = counted(source, client)
    await prepareTarget(to, content.header, migrationFolders)
    const summary = await withMeter('move', content.header.tables, progress, async (meter) => {
      await load(to, content, meter)
      return summarize(content, meter)
    })
    await finishTarget(to, content.header, migrationFolders)
    return summary
  })
}

/** Counts the rows of the source after the copy, in time for the target to be rolled back. */
function counted({ header, sections }: Content, client: pg.Client): Content {
  return {
    header,
    async *sections(meter: Meter) {
      yield* sections(meter)
      for (const table of header.tables) {
        const rows = await countRows(client, table)
        const read = meter.rows.get(table.name)
        if (rows !== read)
          throw new Error(`The source has ${rows} rows in ${table.name}, and ${read} of them were read.`)
      }
    },
  }
}
