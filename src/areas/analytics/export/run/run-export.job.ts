import { verified } from '#areas/media/file/stored-file.ts'
import type { Context } from '#kernel/context.ts'
import type { Files } from '#kernel/installation.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import type { Mailer } from '#kernel/mail/mail.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { deliverers } from '../destination/deliver.ts'
import type { ExportRow } from '../export-row.ts'
import { frequencyText, timeRangeText } from '../schedule.ts'
import { writeFile } from './export-file.ts'
import { fileKey, fileKeysOf } from './remove-files.job.ts'
import { type BegunRun, begin, noteDelivery, noteFailure, noteFile, type RunRow, runExport } from './run.ts'

interface RunInstallation {
  files: Files
  outbound: Outbound
  mailer: Mailer
}

const minute = 60 * 1000
const hour = 60 * minute
const waits = [minute, 10 * minute, hour, 4 * hour]
/** Less than the job's limit, so that the run can record why. */
const longest = 3 * hour

/**
 * Writes a run's file, stores it, and delivers it. Each step is committed before the next, so that a takeover continues: every
 * attempt delivers the same bytes under the same name.
 */
export const runExportJob = (installation: RunInstallation): Job<{ accountId: string; id: string }> =>
  job(runExport.name, {
    ...runExport,
    retryDelays: waits,
    timeout: 4 * hour,
    async run(given, { accountId, id }) {
      const context = { ...given, signal: AbortSignal.any([given.signal, AbortSignal.timeout(longest)]) }
      const begun = await context.transaction(accountId, (inside) => begin(inside, id))
      if (!begun) return
      try {
        const run = await withFile(context, installation, begun)
        const { hostKey } = await deliver(context, installation, { ...begun, run })
        await context.complete(accountId, (inside) => noteDelivery(inside, begun, hostKey))
      } catch (error) {
        const said = String((error as Error)?.message ?? error)
        const isLast = context.attempt > waits.length
        if (!isLast) {
          await context.transaction(accountId, (inside) => noteFailure(inside, begun, said, false))
          throw error
        }
        await context.complete(accountId, async (inside) => {
          await noteFailure(inside, begun, said, true)
          await mailFailure(inside, begun, said)
        })
      }
    },
  })

/** The run with its file, from a previous attempt or new. */
async function withFile(context: JobContext, { files }: RunInstallation, begun: BegunRun): Promise<RunRow> {
  const { run, row } = begun
  if (run.fileKey !== '' && (await files.store.size(run.fileKey)) === run.bytes) return run
  const key = fileKey(run)
  const written = await writeFile(context, files, { ...run, type: row.type }, key)
  if (!(await context.transaction(run.accountId, (inside) => noteFile(inside, begun, key, written)))) {
    await files.store.remove(key)
    throw new Error('Somebody else has taken this run, or its export is gone.')
  }
  // Left over from previous attempts.
  for (const old of fileKeysOf(run)) if (old !== key) await files.store.remove(old)
  return { ...run, ...written, fileKey: key }
}

function deliver({ signal, now }: JobContext, { files, outbound, mailer }: RunInstallation, begun: BegunRun) {
  const { run, row, secret, url } = begun
  const { fileKey: key, fileName: name, bytes, digest, rows } = run
  const range = timeRangeText(row.timeRange)
  return deliverers[row.destinationType]({
    outbound,
    mailer,
    destination: row.destination,
    secret: secret(),
    id: run.id,
    now,
    signal,
    file: { name, bytes, read: () => verified(files.store.read(key), { digest, bytes }) },
    about: {
      subject: `Your export of ${row.type}: ${range}`,
      text: `here is your export of ${row.type} (${range}), with ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
      url,
    },
  })
}

/** Notifies the creator of a failed run by email. */
async function mailFailure(context: Context, { run, row }: BegunRun, reason: string) {
  for (const to of await ownersOf(context, row.createdBy)) {
    await queueMail(context, {
      to,
      subject: `An export of ${row.type} failed`,
      text: `The export of ${row.type} to ${destinationText(row)} (${row.id}) was tried ${run.attempts} times and given up.

${reason}

${row.status === 'active' ? `It runs again as planned: ${frequencyText(row)}.` : 'It is switched off.'} To run it before that, once the reason is gone:

  npx chorus export run --account ${context.accountId} --id ${row.id}
`,
    })
  }
}

/** The creator, if still an active admin; otherwise every admin. */
async function ownersOf({ db, accountId }: Context, createdBy: string): Promise<string[]> {
  const admins = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('accountId', '=', accountId)
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .execute()
  const maker = admins.filter(({ id }) => id === createdBy)
  return (maker.length > 0 ? maker : admins).map(({ email }) => email)
}

/** Human-readable destination. */
export function destinationText({
  destinationType,
  destination,
}: Pick<ExportRow, 'destinationType' | 'destination'>): string {
  const { email, host, bucketName, accountName, container } = destination
  return `${destinationType} ${email ?? host ?? bucketName ?? `${accountName}/${container}`}`
}
