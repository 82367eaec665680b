import { newId } from '#kernel/ids.ts'
import { type Answer, readAnswer, readFailure, requestFor } from './attempt.ts'
import type { Delivering } from './delivering.ts'
import { disableIfHopeless } from './disable.ts'
import type { Due } from './due.ts'
import type { LaneClaim } from './lane-claim.ts'
import { type Pace, slowAfter } from './pace.ts'
import type { Receiver } from './receiver.ts'
import { waitAfter } from './retry.ts'

export interface Call {
  claim: LaneClaim
  receiver: Receiver
  due: Due
  pace: Pace
  /** Told while the call still waits for its answer. */
  slowed(): void
}

/**
 * Makes one call, in a place among those of its pace, and writes down what came of it; gives the pace the receiver showed.
 * In one function: every further one that waits would cost as much as it says.
 */
export async function call(delivering: Delivering, order: Call): Promise<Pace> {
  const { installation, places, agent, waits, recorder } = delivering
  const { clock, outbound } = installation
  const { claim, receiver, due } = order
  const taken = places.take(order.pace, order.slowed)
  const place = taken instanceof Promise ? await taken : taken
  const at = clock.now()
  let answer: Answer
  try {
    answer = readAnswer(await outbound.send(requestFor(agent, receiver, due, at)), at)
  } catch (error) {
    answer = readFailure(error)
  } finally {
    place.leave()
  }
  const seconds = Math.round(performance.now() - place.begun) / 1000
  const attempt = due.attempts + 1
  const wait = answer.succeeded || answer.gone ? undefined : waitAfter(attempt, answer, waits)
  const standing = await recorder.record(claim.account, {
    logId: newId('webhookLog', at),
    id: due.id,
    webhook: claim.webhook,
    fence: claim.fence,
    eventId: due.eventId,
    at,
    seconds,
    attempt,
    succeeded: answer.succeeded,
    status: answer.status,
    error: answer.error,
    due: wait === undefined ? null : new Date(clock.now().getTime() + wait),
  })
  if (!standing) throw new LostLane(`The webhook ${claim.webhook} is served by another process.`)
  if (!answer.succeeded) await disableIfHopeless(installation, claim, answer, standing.failingSince)
  return seconds * 1000 < slowAfter ? 'fast' : 'slow'
}

/** Thrown where another process has taken the webhook over: it sends again what was not written down. */
export class LostLane extends Error {
  override name = 'LostLane'
}
