import { change } from '../change.ts'
import type { Context, Remark } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { Identity } from '../identities.ts'
import type { Surroundings } from '../surroundings.ts'
import { type Answer, refusalAnswer } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { claim, keepAnswer, type Replayable } from './idempotency.ts'

export interface Outcome extends Answer {
  /** The answer is an earlier one, given again for the same Idempotency-Key. */
  replayed?: true
}

/** Runs one operation for its caller: a GET statement by statement, anything else in one transaction. */
export async function perform(
  surroundings: Surroundings,
  { method, run, reply }: Endpoint,
  identity: Identity & { remark: Remark },
  input: unknown,
  replay: Replayable | undefined,
): Promise<Outcome> {
  const { accountId } = identity
  const { database, clock, keyring, outbound, files, accountLimits } = surroundings
  const now = clock.now()
  if (method === 'GET') {
    const db = database.forAccount(accountId)
    const addresses = { publicUrl: surroundings.publicUrl(), shortUrl: surroundings.shortUrl() }
    const value = await run(
      { ...identity, now, db, keyring, outbound, files, accountLimits, ...addresses, announce: neverAnnounce },
      input as never,
    )
    return { status: 200, body: reply.encode(value as never) }
  }
  const answer = async (context: Context): Promise<Answer> => {
    const value = await run(context, input as never)
    return { status: 200, body: reply.encode(value as never) }
  }
  const make = (work: (context: Context) => Promise<Outcome>) => change(surroundings, { ...identity, now }, work)

  if (!replay) return make(answer)
  const once = (produce: (context: Context) => Promise<Answer>) =>
    make(async (context) => {
      const earlier = await claim(context, replay)
      if (earlier) return { ...earlier, replayed: true }
      const made = await produce(context)
      await keepAnswer(context, replay, made)
      return made
    })
  try {
    return await once(answer)
  } catch (error) {
    // A refusal undid the transaction and with it the claim; the refusal is the first answer and is kept like any other.
    if (!(error instanceof Refusal) || !lasting.has(error.kind)) throw error
    return once(async () => refusalAnswer(error))
  }
}

const lasting = new Set(['invalid', 'missing'])

async function neverAnnounce(): Promise<never> {
  throw new Error('A GET changes nothing, so it has nothing to announce.')
}
