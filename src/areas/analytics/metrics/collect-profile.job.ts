import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { throttledUntil } from '#areas/sending/profile-partitions.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Log } from '#kernel/log.ts'
import { leaveOut, UnreadableRow } from '#kernel/unreadable.ts'
import { NetworkError } from '#networks/connector/fault.ts'
import { openAsking } from './asking.ts'
import { keepReadings } from './post-reading.ts'
import { type Ending, endTurn, keepFollowers, type Turn, takeTurn } from './profile-turn.ts'
import { afterFailures, afterThrottling, pause } from './schedule.ts'

interface OfProfile {
  accountId: string
  credentialId: string
}

const collectProfile = { name: 'analytics.collect-profile', queue: 'numbers' } as const

export const wantCollection = (context: Context, credentialId: string) =>
  enqueue(context, collectProfile, { accountId: context.accountId, credentialId }, { key: credentialId })

/** Reads the numbers of one profile and of the posts on it that are due. When it is next to be asked stands with the profile and its posts. */
export const collectProfileJob = (installation: ProfileInstallation): Job<OfProfile> =>
  job(collectProfile.name, {
    ...collectProfile,
    timeout: 300_000,
    async run(context, { accountId, credentialId }) {
      const turn = await context.transaction(accountId, (inside) => takeTurn(inside, credentialId))
      if (!turn) return
      const ending = await collect(installation, context, { accountId, credentialId }, turn)
      await context.complete(accountId, (inside) => endTurn(inside, credentialId, turn, ending))
    },
  })

async function collect(
  installation: ProfileInstallation,
  { transaction, signal, log }: JobContext,
  { accountId, credentialId }: OfProfile,
  turn: Turn,
): Promise<Ending> {
  const { database, clock } = installation
  const place = { accountId, id: credentialId }
  try {
    const held = await throttledUntil(database.forAccount(accountId), { ...place, network: turn.network }, clock.now())
    if (held) return { notBefore: afterThrottling(held, clock.now()), failures: turn.failures, error: '' }
    const ask = openAsking(turn, signal, {
      followers: (count) => transaction(accountId, (inside) => keepFollowers(inside, credentialId, count)),
      readings: (readings) => transaction(accountId, (inside) => keepReadings(inside, credentialId, readings)),
    })
    await withProfile(installation, place, ask)
    return { notBefore: new Date(clock.now().getTime() + pause), failures: 0, error: '' }
  } catch (error) {
    return endingAfter(error, place, turn, clock.now(), log)
  }
}

/** Whatever is wrong with one profile, it waits for its next turn and others have theirs. */
function endingAfter(
  error: unknown,
  place: { accountId: string; id: string },
  { failures }: Turn,
  now: Date,
  log: Log,
): Ending {
  const sentence = (error as Error).message
  if (error instanceof UnreadableRow) leaveOut(log, error, error)
  else if (!(error instanceof NetworkError) && !(error instanceof Refusal))
    log.error({ account: place.accountId, profile: place.id, err: error }, 'reading numbers failed')
  if (error instanceof NetworkError && error.fault.kind === 'throttled') {
    const { until, scope } = error.fault
    // Being told to wait is no failure.
    return { notBefore: afterThrottling(until, now), failures, error: sentence, forAll: scope === 'app' }
  }
  return { notBefore: afterFailures(failures + 1, now), failures: failures + 1, error: sentence }
}
