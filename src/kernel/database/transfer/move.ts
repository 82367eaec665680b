import type pg from 'pg'
import { countRows } from './catalogue.ts'
import { type Content, type Summary, summarize } from './content.ts'
import { load } from './load.ts'
import { type Meter, type ProgressListener, withMeter } from './meter.ts'
import { withSnapshot } from './snapshot.ts'
import { finishTarget, prepareTarget, refuseUsedTarget } from './target.ts'

export interface MoveOptions {
  from: string
  to: string
  migrationsFolder: string
  now: Date
  version: string
  progress?: ProgressListener
}

/** Copies one moment of a database into an empty one, on another server if need be; the source is only read. */
export async function move({ from, to, migrationsFolder, now, version, progress }: MoveOptions): Promise<Summary> {
  await refuseUsedTarget(to)
  return withSnapshot({ url: from, now, version }, async (source, client) => {
    const content = counted(source, client)
    await prepareTarget(to, content.header, migrationsFolder)
    const summary = await withMeter('move', content.header.tables, progress, async (meter) => {
      await load(to, content, meter)
      return summarize(content, meter)
    })
    await finishTarget(to, content.header, migrationsFolder)
    return summary
  })
}

/** Counts the rows of the source once all were read, in time for the target to be rolled back. */
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
