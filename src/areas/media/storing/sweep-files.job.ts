import { systemClock } from '#kernel/clock.ts'
import type { Files } from '#kernel/files.ts'
import { type Job, job } from '#kernel/jobs/job.ts'

export const sweepFiles = { name: 'media.sweep-files', queue: 'housekeeping' } as const

const day = 24 * 60 * 60 * 1000

/** Removes what never became a file: puts that were cut off, and pieces nobody has added to for a week. */
export const sweepFilesJob = ({ files }: { files: Files }): Job<Record<string, never>> =>
  job(sweepFiles.name, {
    ...sweepFiles,
    timeout: 600_000,
    async run({ signal }) {
      // The machine's own time, whatever the service's clock says: the files have theirs from it.
      const now = systemClock.now().getTime()
      await files.store.sweep(new Date(now - day))
      for (const id of await files.spool.stale(new Date(now - 7 * day))) {
        if (signal.aborted) return
        await files.spool.remove(id)
      }
    },
  })
