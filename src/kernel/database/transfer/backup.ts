import { type Summary, summarize } from './content.ts'
import { type ProgressListener, withMeter } from './meter.ts'
import { type SnapshotOptions, withSnapshot } from './snapshot.ts'
import { writeBackup } from './write-file.ts'

export interface BackupOptions extends SnapshotOptions {
  file: string
  progress?: ProgressListener
}

/** Writes one moment of the whole database into one compressed file; a file of that name is replaced. */
export function backup({ file, progress, ...snapshot }: BackupOptions): Promise<Summary> {
  return withSnapshot(snapshot, (content) =>
    withMeter('back up', content.header.tables, progress, async (meter) => {
      await writeBackup(file, content, meter)
      return summarize(content, meter)
    }),
  )
}
