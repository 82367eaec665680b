import { sql } from 'kysely'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import type { ExportType } from '../rows/sources.ts'
import { type Attempted, fileKeysOf, removeFiles } from './remove-files.job.ts'

/** Types with personal data of external people. */
const aboutPeople: readonly ExportType[] = ['Leads', 'Inbox']

/** Runs per batch. */
const atOnce = 200

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
        order by o.id limit ${atOnce})
      returning r.account_id, r.id, r.attempts`.execute(db)
    const keys = rows.flatMap(fileKeysOf)
    if (keys.length > 0) await enqueue(context, removeFiles, { keys })
    return rows
      .map(({ id }) => id)
      .sort()
      .at(-1)
  },
}
