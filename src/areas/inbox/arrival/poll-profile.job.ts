import { randomInt } from 'node:crypto'
import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Budgets } from '#areas/profiles/budget/budgets.ts'
import { throttledUntil } from '#areas/sending/profile-partitions.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { NetworkError } from '#networks/connector/fault.ts'
import type { Network } from '#networks/manifests.ts'
import { type OfProfile, pollProfile, wantPoll } from './arrival-jobs.ts'
import { learnNames } from './late-names.ts'
import { readNews } from './news.ts'
import { type Ending, endPoll, takePoll } from './poll-turn.ts'

export interface PollInstallation extends ProfileInstallation {
  /** Milliseconds from one question to the next; nothing where networks are not asked. */
  pollEvery: number | undefined
}

/** Asks a network what is new at one profile, and sees to it that this is done again. */
export const pollProfileJob = ({
  pollEvery,
  budgets,
  ...installation
}: PollInstallation & { budgets: Budgets }): Job<OfProfile> =>
  job(pollProfile.name, {
    ...pollProfile,
    timeout: 120_000,
    async run(context, { accountId, credentialId }) {
      if (pollEvery === undefined) return
      const { transaction, complete, attempt } = context
      const turn = await transaction(accountId, (inside) => takePoll(inside, credentialId, attempt > 1))
      if (!turn) return
      if (turn.notBefore) {
        const { notBefore } = turn
        return complete(accountId, (inside) => wantPoll(inside, credentialId, notBefore))
      }
      const place = { accountId, id: credentialId }
      const every = budgets.interval(turn.network as Network, 'inbox', { floor: pollEvery, pushes: turn.pushes })
      const ending = await ask(installation, context, place, turn, every)
      await complete(accountId, (inside) => endPoll(inside, credentialId, ending))
    },
  })

interface Turn {
  network: string
  since: Date
  failures: number
  marker: string
}

async function ask(
  installation: ProfileInstallation,
  { transaction, log }: JobContext,
  place: { accountId: string; id: string },
  { network, since, failures, marker }: Turn,
  pollEvery: number,
): Promise<Ending> {
  const { database, clock } = installation
  const begun = clock.now()
  // A little early, so that with what asking itself takes nothing waits longer than the time between two questions; after a slow one there is a rest.
  const next = () => later(after(begun, part(pollEvery, 80, 90)), after(clock.now(), pollEvery / 5))
  try {
    const held = await throttledUntil(database.forAccount(place.accountId), { ...place, network }, clock.now())
    if (held) return { next: later(held, next()), failures, error: '' }
    const seen = await withProfile(installation, place, async (connector, actor) => {
      const as = <Result>(work: (context: Context) => Promise<Result>) => transaction(place.accountId, work)
      await learnNames({ connector, actor, now: clock.now(), as }, place.id)
      return readNews({ connector, actor, since, marker, as }, place.id)
    })
    return { polled: clock.now(), marker: seen, next: next(), failures: 0, error: '' }
  } catch (error) {
    if (!(error instanceof NetworkError) && !(error instanceof Refusal))
      log.error({ account: place.accountId, profile: place.id, err: error }, 'asking a network failed')
    const why = (error as Error).message.slice(0, 500)
    const until = error instanceof NetworkError && error.fault.kind === 'throttled' ? error.fault.until : undefined
    // Being told to wait is no failure.
    if (until) return { next: later(until, next()), failures, error: why }
    const pause = Math.min(longestPause, pollEvery * 2 ** Math.min(failures + 1, 12))
    return { next: after(clock.now(), part(pause, 90, 110)), failures: failures + 1, error: why }
  }
}

const longestPause = 3_600_000

const later = (one: Date, other: Date) => (one > other ? one : other)

const after = (moment: Date, ms: number) => new Date(moment.getTime() + ms)

/** Somewhere between so many hundredths of it, so that those that began together do not stay together. */
const part = (ms: number, least: number, most: number) => Math.round((ms * randomInt(least, most + 1)) / 100)
