import { sql } from 'kysely'
import { systemClock } from '#kernel/clock.ts'
import type { Files } from '#kernel/installation.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { keyOf, releaseOldHolds, removeFile } from './stored-file.ts'

/** Drops reservations of crashed processes. */
export const releaseHoldsJob = job<Record<string, never>>('media.release-holds', {
  queue: 'housekeeping',
  timeout: 600_000,
  async run({ shared, transaction, signal }) {
    const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
    for (const { id } of rows) {
      if (signal.aborted) return
      await transaction(id, releaseOldHolds)
    }
  },
})

interface Payload {
  accountId: string
  digest: string
}

/** Deletes content without assets, unless it is in use again. */
export const removeFileJob = ({ store }: Files): Job<Payload> =>
  job(removeFile.name, {
    ...removeFile,
    async run({ transaction, complete }, { accountId, digest }) {
      const doomed = await transaction(accountId, ({ db }) =>
        db
          .updateTable('storedFiles')
          .set({ removing: true })
          .where('accountId', '=', accountId)
          .where('digest', '=', digest)
          .where('uses', '=', 0)
          .returning('digest')
          .executeTakeFirst(),
      )
      if (!doomed) return
      await store.remove(keyOf(accountId, digest))
      await complete(accountId, ({ db }) =>
        db
          .deleteFrom('storedFiles')
          .where('accountId', '=', accountId)
          .where('digest', '=', digest)
          .where('removing', '=', true)
          .execute(),
      )
    },
  })

export const sweepFiles = { name: 'media.sweep-files', queue: 'housekeeping' } as const

const day = 24 * 60 * 60 * 1000

/** Deletes incomplete writes, and uploads without progress for a week. */
export const sweepFilesJob = ({ files }: { files: Files }): Job<Record<string, never>> =>
  job(sweepFiles.name, {
    ...sweepFiles,
    timeout: 600_000,
    async run({ signal }) {
      // System time, independent of the service's clock: file times are based on it.
      const now = systemClock.now().getTime()
      await files.store.sweep(new Date(now - day))
      for (const id of await files.spool.stale(new Date(now - 7 * day))) {
        if (signal.aborted) return
        await files.spool.remove(id)
      }
    },
  })
