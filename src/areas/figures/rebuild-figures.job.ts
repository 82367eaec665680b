import { forEachAccount, job } from '#kernel/jobs/job.ts'
import type { Recount } from './figure.ts'
import { rebuildSome } from './rebuild.ts'

/** Name and queue, for enqueuing the job. */
export const rebuildFigures = { name: 'figures.rebuild-figures', queue: 'housekeeping' } as const

/** Continues unfinished rebuilds, one day per transaction. */
export const rebuildFiguresJob = (recounts: readonly Recount[]) =>
  job<Record<string, never>>(rebuildFigures.name, {
    ...rebuildFigures,
    timeout: 3_600_000,
    run: (context) =>
      forEachAccount(context, async (id) => {
        let state = await context.transaction(id, (inside) => rebuildSome(inside, recounts))
        while (state && !state.isDone && !context.signal.aborted)
          state = await context.transaction(id, (inside) => rebuildSome(inside, recounts))
      }),
  })
