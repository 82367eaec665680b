import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Files } from '#kernel/installation.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'

export const removeFiles = { name: 'analytics.remove-files', queue: 'housekeeping' } as const
export const forgetRuns = { name: 'analytics.forget-runs', queue: 'housekeeping' } as const

const day = 24 * 60 * 60 * 1000
/** A monthly file is kept until the next one. */
const fileDays = 35
const runDays = 180

/** Key prefix of export files in the store. */
export const keysBegin = 'exports/'

export interface Attempted {
  accountId: string
  id: string
  attempts: number
}

/** Each attempt has its own file, so that a stalled one can't damage another's. */
export const fileKey = ({ accountId, id, attempts }: Attempted) => `${keysBegin}${accountId}/${id}-${attempts}`

/** Files of a run and all its attempts, existing or not. */
export const fileKeysOf = ({ attempts, ...run }: Attempted): string[] =>
  Array.from({ length: attempts }, (_, index) => fileKey({ ...run, attempts: index + 1 }))

/** Of deleted exports. */
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

/** Deletes old files, and much later the records of their runs. */
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
