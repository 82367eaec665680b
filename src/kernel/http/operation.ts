import { changeInTurn } from '../change.ts'
import type { Remark } from '../context.ts'
import type { Identity } from '../identities.ts'
import { outsideOf } from '../outside.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Endpoint } from './endpoint.ts'
import type { Replayable } from './idempotency.ts'
import { type Outcome, once, type Stages } from './once.ts'
import { written } from './written.ts'

/** Who asks without credentials. */
export const anybody = { userId: '', role: 'read' } as const

/**
 * Runs one operation for its caller: what only reads, statement by statement; anything else in one transaction. What has to be waited for
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
  if (endpoint.method === 'GET' || endpoint.readsOnly) {
    const { database, keyring, lateness, accountLimits } = surroundings
    const { accountId, userId } = identity
    const db = userId === anybody.userId ? database.forAnybody(accountId) : database.forAccount(accountId)
    const addresses = { publicUrl: surroundings.publicUrl(), shortUrl: surroundings.shortUrl() }
    const context = { ...actor, db, keyring, ...addresses, lateness, accountLimits, announce: neverAnnounce }
    return database.thread.inTurn(accountId, async () =>
      answerOf(surroundings, endpoint, accountId, await endpoint.run(context, input as never, undefined as never)),
    )
  }
  const stages = stagesOf(surroundings, endpoint, actor, input)
  if (replay) return once({ surroundings, actor, replay, stages })
  const found = await stages.before()
  const made = await changeInTurn(surroundings, actor, (context) => stages.change(context, found))
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
  const answer = (value: unknown) => answerOf(surroundings, endpoint, actor.accountId, value)
  return {
    before: async () => before?.(outside(), input as never),
    change: async (context, found) => answer(await run(context, input as never, found as never)),
    after:
      after &&
      (async () => {
        const value = await after(outside(), input as never)
        return value === undefined ? undefined : answer(value)
      }),
  }
}

async function answerOf({ database }: Surroundings, { reply }: Endpoint, accountId: string, value: unknown) {
  const body = await written(accountId, reply.pieces(value as never), (took) => database.thread.charge(accountId, took))
  return { status: 200, body }
}

async function neverAnnounce(): Promise<never> {
  throw new Error('What only reads has nothing to announce.')
}
