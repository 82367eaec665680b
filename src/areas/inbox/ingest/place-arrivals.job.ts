import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { inAnotherTurn } from '#kernel/event-loop/event-loop-time.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import type { Batch } from './match/batch.ts'
import { takeBatch, writeBatch } from './match/batch-store.ts'
import { processActivity } from './match/process-activity.ts'
import { languageOf, openLanguages } from './received.ts'
import { type OfProfile, placeArrivals, releaseArrivals, wantPlacing } from './record-activities.ts'

/** Adds the received activities of a profile to the inbox in small batches, one transaction each. */
export function placeArrivalsJob(): Job<OfProfile> {
  // Loaded in advance, because the tables take a moment to read.
  void openLanguages()
  return job(placeArrivals.name, {
    ...placeArrivals,
    timeout: 300_000,
    async run(jobContext, { accountId, credentialId }) {
      const { transaction, signal } = jobContext
      while (
        !signal.aborted &&
        (await transaction(accountId, (context) => processBatch(context, credentialId, jobContext)))
      );
    },
  })
}

/** Releases activities whose deadline has passed. */
export const releaseArrivalsJob: Job<OfProfile> = job(releaseArrivals.name, {
  ...releaseArrivals,
  run: ({ complete }, { accountId, credentialId }) =>
    complete(accountId, async (context) => {
      const { db, now } = context
      const released = await sql`
        update inbox_arrivals set state = 'new', waits_for = null
        where account_id = ${accountId} and credential_id = ${credentialId} and state = 'waiting' and due <= ${now}`.execute(
        db,
      )
      if (released.numAffectedRows) await wantPlacing(context, credentialId)
    }),
})

/** Returns whether there may be more. */
async function processBatch(context: Context, credentialId: string, { log }: JobContext): Promise<boolean> {
  const batch = await takeBatch(context, credentialId)
  if (!batch) return false
  await findLanguages(context, batch)
  for (const dedupeKey of batch.unreadable) {
    skipRow(log, { kind: 'arrival', id: dedupeKey }, new Error('What was kept of it cannot be read.'))
    batch.outcomes.push({ dedupeKey, state: 'refused', reason: 'What was kept of it cannot be read.' })
  }
  for (const received of batch.arrivals) {
    const { dedupeKey } = received
    batch.outcomes.push({ dedupeKey, ...processActivity(context, batch, received) })
  }
  await writeBatch(context, batch)
  return true
}

/** One text per event loop turn, so that other work isn't blocked. */
async function findLanguages({ accountId }: Context, { arrivals: activities, languages }: Batch) {
  for (const { heard: activity } of activities) {
    if (activity.text === '' || languages.has(activity.text)) continue
    languages.set(activity.text, await languageOf(activity.text))
    await new Promise<void>((resolve) => inAnotherTurn(accountId, resolve))
  }
}
