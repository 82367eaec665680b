import type { Context, Emitted, React } from '#kernel/context.ts'
import { type Job, type JobName, job } from '#kernel/jobs/job.ts'
import { enqueueAll } from '#kernel/jobs/queue.ts'
import type { DataOf, InnerEventName, WireData } from './event.ts'
import type { EventType } from './event-type.ts'

/** How somebody reacts to events: at once, or by a job. */
interface How<Data> {
  tell(context: Context, events: readonly Emitted<Data>[]): Promise<unknown>
  /** What does it, where it is done afterwards. */
  readonly job?: Job<never>
}

/** A reaction of an area to events of another. Areas list theirs in their manifest and run in the order of `main/areas.ts`. */
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

/** Reacts to every event type that webhooks can subscribe to. */
export const onEvery = (how: How<WireData>, { last = false }: Order = {}): Reaction => ({
  to: undefined,
  how,
  last,
})

/**
 * In the transaction in which it happened, for all events that are told together. It must be cheap and wait for nothing outside; where it
 * refuses or fails, nothing has happened.
 */
export const inside = <Data>(
  run: (context: Context, events: readonly Emitted<Data>[]) => Promise<unknown>,
): How<Data> => ({ tell: run })

/**
 * Afterwards, one event at a time, in a transaction of its own: a job that is written in the transaction in which it happened. It is tried
 * again after failures, and an event that always fails is set aside as a dead job. What it writes stands once: the job ends in the same
 * transaction. What it must do outside is a further job that it enqueues, which may then come more than once.
 */
export function after<Data>(
  name: JobName,
  run: (context: Context, event: Emitted<Data>) => Promise<unknown>,
): How<Data> {
  const reacting = job<Kept<Data>>(name, {
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

/** An event as a job keeps it. */
type Kept<Data> = Omit<Emitted<Data>, 'at'> & { at: string }

/** Connects those who tell with those who react, who are told one after the other in the order of the list. */
export function openReactions(reactions: readonly Reaction[]): { react: React; jobs: readonly Job<never>[] } {
  const byType = new Map<string, How<never>[]>()
  // Inner events have no scopes and are not for webhooks.
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
