import { verified } from '#areas/media/file/stored-file.ts'
import { hour, minute } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import type { Files } from '#kernel/installation.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import type { Mailer } from '#kernel/mail/mail.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { deliverers } from '../destination/deliver.ts'
import { destinationText } from '../destination/destination.ts'
import { frequencyText, timeRangeText } from '../schedule.ts'
import { type ClaimedRun, claimRun, type RunRow, recordDelivery, recordFailure, recordFile, runExport } from './run.ts'
import { fileKey, fileKeysOf } from './run-files.ts'
import { writeFile } from './write-file.ts'

interface RunInstallation {
  files: Files
  outbound: Outbound
  mailer: Mailer
}

const retryDelays = [minute, 10 * minute, hour, 4 * hour]
/** Less than the job's limit, so that the run can record why. */
const runTimeout = 3 * hour

/**
 * Writes a run's file, stores it, and delivers it. Each step is committed before the next, so that a takeover continues: every
 * attempt delivers the same bytes under the same name.
 */
export const runExportJob = (installation: RunInstallation): Job<{ accountId: string; id: string }> =>
  job(runExport.name, {
    ...runExport,
    retryDelays,
    timeout: 4 * hour,
    async run(given, { accountId, id }) {
      const context = { ...given, signal: AbortSignal.any([given.signal, AbortSignal.timeout(runTimeout)]) }
      const claimed = await context.transaction(accountId, (inside) => claimRun(inside, id))
      if (!claimed) return
      try {
        const run = await withFile(context, installation, claimed)
        const { hostKey } = await deliver(context, installation, { ...claimed, run })
        await context.complete(accountId, (inside) => recordDelivery(inside, claimed, hostKey))
      } catch (error) {
        const message = String((error as Error)?.message ?? error)
        const isLast = context.attempt > retryDelays.length
        if (!isLast) {
          await context.transaction(accountId, (inside) => recordFailure(inside, claimed, message, false))
          throw error
        }
        await context.complete(accountId, async (inside) => {
          await recordFailure(inside, claimed, message, true)
          await mailFailure(inside, claimed, message)
        })
      }
    },
  })

/** The run with its file, from a previous attempt or new. */
async function withFile(context: JobContext, { files }: RunInstallation, claimed: ClaimedRun): Promise<RunRow> {
  const { run, row } = claimed
  if (run.fileKey !== '' && (await files.store.size(run.fileKey)) === run.bytes) return run
  const key = fileKey(run)
  const written = await writeFile(context, files, { ...run, type: row.type }, key)
  if (!(await context.transaction(run.accountId, (inside) => recordFile(inside, claimed, key, written)))) {
    await files.store.remove(key)
    throw new Error('Somebody else has taken this run, or its export is gone.')
  }
  // Left over from previous attempts.
  for (const old of fileKeysOf(run)) if (old !== key) await files.store.remove(old)
  return { ...run, ...written, fileKey: key }
}

function deliver({ signal, now }: JobContext, { files, outbound, mailer }: RunInstallation, claimed: ClaimedRun) {
  const { run, row, secret, url } = claimed
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
async function mailFailure(context: Context, { run, row }: ClaimedRun, reason: string) {
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
  const creator = admins.filter(({ id }) => id === createdBy)
  return (creator.length > 0 ? creator : admins).map(({ email }) => email)
}
