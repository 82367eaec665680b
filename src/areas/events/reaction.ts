import type { Context, Emitted, React } from '#kernel/context.ts'
import { type Job, type JobName, job } from '#kernel/jobs/job.ts'
import { enqueueAll } from '#kernel/jobs/queue.ts'
import type { DataOf, InnerEventName, WireData } from './event.ts'
import type { EventType } from './event-type.ts'

/** How an area reacts to events: in the same transaction, or in a job. */
interface How<Data> {
  tell(context: Context, events: readonly Emitted<Data>[]): Promise<unknown>
  /** The job, for reactions that run after the commit. */
  readonly job?: Job<never>
}

/** A reaction of an area to events of another. Areas list theirs in their manifest; they run in the order of `main/areas.ts`. */
export interface Reaction {
  /** The name of an event; undefined for every event that webhooks can receive. */
  readonly to: string | undefined
  readonly how: How<never>
  /** Runs after the reactions of all areas that are not last, because the lock order requires it. */
  readonly last: boolean
}

interface Order {
  last?: boolean
}

export const on = <Type extends InnerEventName | EventType>(
  type: Type,
  how: How<Type extends InnerEventName ? DataOf<Type> : WireData>,
  { last = false }: Order = {},
): Reaction => ({ to: typeof type === 'string' ? type : type.name, how, last })

export const onEvery = (how: How<WireData>, { last = false }: Order = {}): Reaction => ({
  to: undefined,
  how,
  last,
})

/**
 * Runs in the transaction of the change, for all events emitted together. It must be cheap and must not wait for external I/O; if it
 * throws, the change is rolled back.
 */
export const inside = <Data>(
  run: (context: Context, events: readonly Emitted<Data>[]) => Promise<unknown>,
): How<Data> => ({ tell: run })

/**
 * Runs after the commit, one event at a time, in its own transaction: a job enqueued in the transaction of the change. Failures are
 * retried, and an event that always fails becomes a dead job. Its writes take effect exactly once, because the job is completed in the same
 * transaction. External side effects belong in a further job that it enqueues, which may run more than once.
 */
export function after<Data>(
  name: JobName,
  run: (context: Context, event: Emitted<Data>) => Promise<unknown>,
): How<Data> {
  const reacting = job<SerializedEvent<Data>>(name, {
    queue: 'reactions',
    run: ({ complete }, { at, ...event }) =>
      complete(event.accountId, async (context) => {
        await run(context, { ...event, at: new Date(at) })
      }),
  })
  return {
    tell: (context, events) =>
      enqueueAll(
        context,
        reacting,
        events.map((event) => ({ ...event, at: event.at.toISOString() })),
      ),
    job: reacting,
  }
}

/** An event as serialized in a job. */
type SerializedEvent<Data> = Omit<Emitted<Data>, 'at'> & { at: string }

/** Dispatches emitted events to the reactions, in the order of the list. */
export function openReactions(reactions: readonly Reaction[]): { react: React; jobs: readonly Job<never>[] } {
  const byType = new Map<string, How<never>[]>()
  // Internal events have no scopes and are not for webhooks.
  const reactionsTo = ({ type, scopes }: Emitted) =>
    reactions.flatMap(({ to, how }) => (to === type || (to === undefined && scopes !== null) ? how : []))
  return {
    async react(context, events) {
      const [first] = events
      if (!first) return
      const all = byType.get(first.type) ?? reactionsTo(first)
      byType.set(first.type, all)
      for (const how of all) await how.tell(context, events as readonly Emitted<never>[])
    },
    jobs: reactions.flatMap(({ how }) => how.job ?? []),
  }
}
