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
  progress?: ProgressListener
}

/** Fills an empty database from a backup, which is read twice: the target stays untouched until all of it proved whole. */
export async function restore({ url, file, migrationsFolder, progress }: RestoreOptions): Promise<Summary> {
  await refuseUsedTarget(url)
  const checked = await withBackup(file, (content) => check(content, progress))
  return withBackup(file, async (content) => {
    await prepareTarget(url, content.header, migrationsFolder)
    const tables = content.header.tables.map((table) => ({ ...table, rowEstimate: checked.tables[table.name] ?? 0 }))
    const summary = await withMeter('load', tables, progress, async (meter) => {
      await load(url, content, meter, markOld)
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

/** However young the copy is, what waits in it may have been sent since: whoever works with it first holds that for a person. */
async function markOld(client: pg.Client) {
  const { rows } = await client.query(
    `select from pg_tables where schemaname = 'public' and tablename = 'engine_state'`,
  )
  // An older version had nothing to send.
  if (rows.length === 0) return
  await client.query(`insert into public.engine_state (alive, hold_before) values ('epoch', 'epoch')
    on conflict (singleton) do update set alive = excluded.alive`)
}
