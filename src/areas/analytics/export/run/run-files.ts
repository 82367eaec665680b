import { sql } from 'kysely'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import type { Files } from '#kernel/installation.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import type { ExportType } from '../row-sources.ts'

const removeFiles = { name: 'analytics.remove-files', queue: 'housekeeping' } as const
export const forgetRuns = { name: 'analytics.forget-runs', queue: 'housekeeping' } as const

/** A monthly file is kept until the next one. */
const fileDays = 35
const runDays = 180

/** Key prefix of export files in the store. */
export const keysBegin = 'exports/'

interface Attempted {
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
        await context.transaction(accountId, forgetOldRuns)
      })
    },
  })

const filesPerBatch = 1000

const oldFiles = ({ db, accountId, now }: Context): Promise<Attempted[]> =>
  db
    .selectFrom('exportRuns')
    .select(['accountId', 'id', 'attempts'])
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - fileDays * day))
    .where('fileKey', '<>', sql.lit(''))
    .orderBy('created')
    .limit(filesPerBatch)
    .execute()

const forgetFile = ({ db, accountId }: Context, id: string) =>
  db.updateTable('exportRuns').set({ fileKey: '' }).where('accountId', '=', accountId).where('id', '=', id).execute()

const forgetOldRuns = ({ db, accountId, now }: Context) =>
  db
    .deleteFrom('exportRuns')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - runDays * day))
    .where('fileKey', '=', '')
    .execute()

/** The files are deleted after commit. */
export async function removeFilesOf(context: Context, exportId: string) {
  const { db, accountId } = context
  const runs = await db
    .selectFrom('exportRuns')
    .select(['accountId', 'id', 'attempts'])
    .where('accountId', '=', accountId)
    .where('exportId', '=', exportId)
    .execute()
  const keys = runs.flatMap(fileKeysOf)
  if (keys.length > 0) await enqueue(context, removeFiles, { keys })
}

/** Lifetime of a download URL; a new one is created on every request. */
const urlLifetime = day

interface RunRef {
  accountId: string
  id: string
}

/** Signed download URL of a run's file, valid for a day; undefined if the file is gone. */
export async function fileUrl({ db, accountId, ...context }: Context, id: string): Promise<string> {
  const run = await db
    .selectFrom('exportRuns')
    .select(['fileKey', 'fileName'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return run && run.fileKey !== '' ? signedUrl(context, { accountId, id }, run.fileName) : ''
}

/** The URL itself, valid for a day or until the given time. */
export function signedUrl(
  { keyring, publicUrl, now }: Pick<Context, 'keyring' | 'publicUrl' | 'now'>,
  scope: RunRef,
  name: string,
  until = new Date(now.getTime() + urlLifetime),
): string {
  const token = Buffer.from(keyring.encrypt(String(until.getTime()), tokenScope(scope))).toString('base64url')
  return `${publicUrl}/export/${scope.accountId}/${scope.id}/${token}/${encodeURIComponent(name)}`
}

/** Whether the token is for this file and not expired. */
export function isValidToken(keyring: Keyring, scope: RunRef, token: string, now: Date): boolean {
  try {
    return Number(keyring.decrypt(Buffer.from(token, 'base64url').toString(), tokenScope(scope))) > now.getTime()
  } catch {
    return false
  }
}

const tokenScope = ({ accountId, id }: RunRef) => `export file/${accountId}/${id}`

/** Types with personal data of external people. */
const aboutPeople: readonly ExportType[] = ['Leads', 'Inbox']

const runsPerBatch = 200

/**
 * Deletes files that may contain a person. A file being written is rewritten; delivered files can't be
 * recalled.
 */
export const exportFilesPersonalData: PersonalDataLocation = {
  name: 'exports',
  async forget(context, _, from) {
    const { db, accountId } = context
    const { rows } = await sql<Attempted>`
      update export_runs r set file_key = '', attempts = r.attempts + case when r.status = 'writing' then 1 else 0 end
      where r.account_id = ${accountId} and r.id in (
        select o.id from export_runs o join exports e on e.account_id = ${accountId} and e.id = o.export_id
        where o.account_id = ${accountId} and o.id > ${from} and e.type = any (${aboutPeople})
          and (o.file_key <> '' or o.status = 'writing')
        order by o.id limit ${runsPerBatch})
      returning r.account_id, r.id, r.attempts`.execute(db)
    const keys = rows.flatMap(fileKeysOf)
    if (keys.length > 0) await enqueue(context, removeFiles, { keys })
    return rows
      .map(({ id }) => id)
      .sort()
      .at(-1)
  },
}
