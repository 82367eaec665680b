import { change } from '../change.ts'
import type { Remark } from '../context.ts'
import type { Identity } from '../identities.ts'
import { outsideOf } from '../outside.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Endpoint } from './endpoint.ts'
import type { Replayable } from './idempotency.ts'
import { type Outcome, once, type Stages } from './once.ts'

/** Who asks without credentials. */
export const anybody = { userId: '', role: 'read' } as const

/**
 * Runs one operation for its caller: a GET statement by statement, anything else in one transaction. What has to be waited for
 * outside comes before that transaction or after it.
 */
export async function perform(
  surroundings: Surroundings,
  endpoint: Endpoint,
  identity: Identity & { remark: Remark },
  input: unknown,
  replay: Replayable | undefined,
): Promise<Outcome> {
  const actor = { ...identity, now: surroundings.clock.now() }
  if (endpoint.method === 'GET') {
    const { database, keyring, lateness } = surroundings
    const { accountId, userId } = identity
    const db = userId === anybody.userId ? database.forAnybody(accountId) : database.forAccount(accountId)
    const addresses = { publicUrl: surroundings.publicUrl(), shortUrl: surroundings.shortUrl() }
    const context = { ...actor, db, keyring, ...addresses, lateness, announce: neverAnnounce }
    return answerOf(endpoint, await endpoint.run(context, input as never, undefined as never))
  }
  const stages = stagesOf(surroundings, endpoint, actor, input)
  if (replay) return once({ surroundings, actor, replay, stages })
  const found = await stages.before()
  const made = await change(surroundings, actor, (context) => stages.change(context, found))
  return (await stages.after?.()) ?? made
}

function stagesOf(
  surroundings: Surroundings,
  endpoint: Endpoint,
  actor: Parameters<typeof outsideOf>[1],
  input: unknown,
): Stages {
  const { before, run, after } = endpoint
  const outside = () => outsideOf(surroundings, actor)
  return {
    before: async () => before?.(outside(), input as never),
    change: async (context, found) => answerOf(endpoint, await run(context, input as never, found as never)),
    after:
      after &&
      (async () => {
        const value = await after(outside(), input as never)
        return value === undefined ? undefined : answerOf(endpoint, value)
      }),
  }
}

const answerOf = ({ reply }: Endpoint, value: unknown) => ({ status: 200, body: reply.encode(value as never) })

async function neverAnnounce(): Promise<never> {
  throw new Error('A GET changes nothing, so it has nothing to announce.')
}
