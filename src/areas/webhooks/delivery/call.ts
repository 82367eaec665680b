import { newId } from '#kernel/ids.ts'
import { type Answer, attempt } from './attempt.ts'
import type { Delivering } from './delivering.ts'
import { disableIfHopeless } from './disable.ts'
import type { Due } from './due.ts'
import type { LaneClaim } from './lane-claim.ts'
import { type Pace, slowAfter } from './pace.ts'
import type { Receiver } from './receiver.ts'
import type { Result } from './record.ts'
import { waitAfter } from './retry.ts'

export interface Call {
  claim: LaneClaim
  receiver: Receiver
  due: Due
  pace: Pace
  /** Told while the call still waits for its answer. */
  slowed(): void
}

/** Makes one call and writes down what came of it; gives the pace the receiver showed. */
export async function call(delivering: Delivering, order: Call): Promise<Pace> {
  const { clock } = delivering.surroundings
  const { claim, due } = order
  const { answer, at, seconds } = await inPlace(delivering, order)
  const attempts = due.attempts + 1
  const wait = answer.succeeded || answer.gone ? undefined : waitAfter(attempts, answer, delivering.waits)
  const result: Result = {
    logId: newId('webhookLog', at),
    id: due.id,
    webhook: claim.webhook,
    fence: claim.fence,
    eventId: due.eventId,
    at,
    seconds,
    attempt: attempts,
    succeeded: answer.succeeded,
    status: answer.status,
    error: answer.error,
    due: wait === undefined ? null : new Date(clock.now().getTime() + wait),
  }
  const standing = await delivering.recorder.record(claim.account, result)
  if (!standing) throw new LostLane(`The webhook ${claim.webhook} is served by another process.`)
  if (!answer.succeeded) await disableIfHopeless(delivering.surroundings, claim, answer, standing.failingSince)
  return seconds * 1000 < slowAfter ? 'fast' : 'slow'
}

/** Thrown where another process has taken the webhook over: it sends again what was not written down. */
export class LostLane extends Error {
  override name = 'LostLane'
}

interface Made {
  answer: Answer
  at: Date
  seconds: number
}

/** A call has a place among those of its pace; one that gets slow goes over to the slow ones while it waits. */
async function inPlace({ surroundings, places, agent }: Delivering, order: Call): Promise<Made> {
  const { receiver, due, pace, slowed } = order
  const taken = places.take(pace, slowed)
  const place = taken instanceof Promise ? await taken : taken
  const at = surroundings.clock.now()
  try {
    const answer = await attempt(surroundings.outbound, agent, receiver, due, at)
    return { answer, at, seconds: Math.round(performance.now() - place.begun) / 1000 }
  } finally {
    place.leave()
  }
}
