import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Files } from '#kernel/files.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'

export const removeFiles = { name: 'analytics.remove-files', queue: 'housekeeping' } as const
export const forgetRuns = { name: 'analytics.forget-runs', queue: 'housekeeping' } as const

const day = 24 * 60 * 60 * 1000
/** A monthly file is there until the next one is. */
const fileDays = 35
const runDays = 180

/** What all keys of such files begin with, by which the others of the store know them. */
export const keysBegin = 'exports/'

export interface Attempted {
  accountId: string
  id: string
  attempts: number
}

/** Each try has a file of its own, so that one that was taken for dead spoils nothing. */
export const fileKey = ({ accountId, id, attempts }: Attempted) => `${keysBegin}${accountId}/${id}-${attempts}`

/** Those of a run and of all its tries, as far as they are there. */
export const fileKeysOf = ({ attempts, ...run }: Attempted): string[] =>
  Array.from({ length: attempts }, (_, index) => fileKey({ ...run, attempts: index + 1 }))

/** Of exports that were deleted. */
export const removeFilesJob = ({ store }: Files): Job<{ keys: string[] }> =>
  job(removeFiles.name, {
    ...removeFiles,
    timeout: 600_000,
    async run({ signal }, { keys }) {
      for (const key of keys) {
        if (signal.aborted) return
        await store.remove(key)
      }
    },
  })

/** Files that were kept long enough, and much later what is known of their runs. */
export const forgetRunsJob = ({ store }: Files): Job<Record<string, never>> =>
  job(forgetRuns.name, {
    ...forgetRuns,
    timeout: 600_000,
    async run(context) {
      await forEachAccount(context, async (accountId) => {
        for (const run of await context.transaction(accountId, oldFiles)) {
          for (const key of fileKeysOf(run)) await store.remove(key)
          await context.transaction(accountId, (inside) => forgetFile(inside, run.id))
        }
        await context.transaction(accountId, forgetOld)
      })
    },
  })

const atOnce = 1000

const oldFiles = ({ db, accountId, now }: Context): Promise<Attempted[]> =>
  db
    .selectFrom('exportRuns')
    .select(['accountId', 'id', 'attempts'])
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - fileDays * day))
    .where('fileKey', '<>', sql.lit(''))
    .orderBy('created')
    .limit(atOnce)
    .execute()

const forgetFile = ({ db, accountId }: Context, id: string) =>
  db.updateTable('exportRuns').set({ fileKey: '' }).where('accountId', '=', accountId).where('id', '=', id).execute()

const forgetOld = ({ db, accountId, now }: Context) =>
  db
    .deleteFrom('exportRuns')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - runDays * day))
    .where('fileKey', '=', '')
    .execute()
