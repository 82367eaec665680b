import { type Actor, changeInTurn, contextOf } from '../../change.ts'
import type { Installation } from '../../installation.ts'
import { outsideOf } from '../../outside.ts'
import { tagOf } from '../../unchanged.ts'
import type { Answer } from '../answer/answer.ts'
import { type Account, begin, whole } from '../answer/written.ts'
import type { Endpoint } from '../route/endpoint.ts'
import { isReading, subjectOf } from './asked-deed.ts'
import type { Replayable } from './idempotency.ts'
import { type Outcome, once, type Stages } from './once.ts'

/** Who asks without credentials. */
export const anybody = { userId: '', role: 'read' } as const

/**
 * Runs one operation for its caller: what only reads, statement by statement; anything else in one transaction. What has to be waited for
 * outside comes before that transaction or after it.
 */
export async function perform(
  installation: Installation,
  endpoint: Endpoint,
  actor: Actor,
  input: unknown,
  replay: Replayable | undefined,
): Promise<Outcome> {
  if (isReading(endpoint)) {
    const { database } = installation
    const { accountId, userId } = actor
    const db = userId === anybody.userId ? database.forAnybody(accountId) : database.forAccount(accountId)
    const context = contextOf(installation, actor, { db, announce: neverTell, about: () => {}, hint: neverTell })
    const found = await endpoint.before?.(outsideOf(installation, actor), input as never)
    return database.thread.inTurn(accountId, async () => {
      const value = await runOf(endpoint)(context, input as never, found as never)
      const written = await begin(() => endpoint.reply.pieces(value as never), accountOf(installation, accountId))
      return { status: 200, ...written, ...aboutValue(endpoint, value) }
    })
  }
  const stages = stagesOf(installation, endpoint, actor, input)
  if (replay) return once({ installation, actor, replay, stages })
  const found = await stages.before()
  const made = await changeInTurn(installation, actor, (context) => stages.change(context, found))
  return (await stages.after?.()) ?? made
}

function stagesOf(installation: Installation, endpoint: Endpoint, actor: Actor, input: unknown): Stages {
  const { before, after } = endpoint
  const run = runOf(endpoint)
  const outside = () => outsideOf(installation, actor)
  const answer = (value: unknown) => answerOf(installation, endpoint, actor.accountId, value)
  return {
    before: async () => before?.(outside(), input as never),
    async change(context, found) {
      const value = await run(context, input as never, found as never)
      if (actor.expected?.isCompared === false)
        throw new Error(`${endpoint.path} did not compare what the caller expects.`)
      context.about(subjectOf(endpoint, input, value, actor.accountId))
      return answer(value)
    },
    after:
      after &&
      (async () => {
        const value = await after(outside(), input as never)
        return value === undefined ? undefined : answer(value)
      }),
  }
}

function runOf({ run, method, path }: Endpoint): NonNullable<Endpoint['run']> {
  if (!run) throw new Error(`${method} ${path} is for who is not known yet.`)
  return run
}

export async function answerOf(
  installation: Installation,
  endpoint: Endpoint,
  accountId: string,
  value: unknown,
): Promise<Answer> {
  const body = await whole(() => endpoint.reply.pieces(value as never), accountOf(installation, accountId))
  return { status: 200, body, ...aboutValue(endpoint, value) }
}

const aboutValue = ({ cookie, modified }: Endpoint, value: unknown) => ({
  ...(cookie && { cookie: cookie(value as never) }),
  ...(modified && { tag: tagOf(modified(value as never)) }),
})

const accountOf = ({ database }: Installation, accountId: string): Account => ({
  owner: accountId,
  charge(milliseconds) {
    if (accountId !== '') database.thread.charge(accountId, milliseconds)
  },
})

function neverTell(): never {
  throw new Error('What only reads has nothing to announce.')
}
