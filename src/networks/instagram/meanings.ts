import { graphMeanings, type MeaningRow, never, retryable, wait } from '../graph/graph.ts'

/** A container that Instagram is still working on. */
export const notReady = 2207027
/** Containers that are gone or too old: nothing was published, and new ones are made. */
export const lostContainer = [2207006, 2207008, 2207020]
/** Instagram did not get our file from its address. */
export const notFetched = [2207003, 2207052, 2207077]

/** Not in Meta's table. Said of containers that were published already, so the post may be there: it is searched for. */
export const alreadyPublished = 2207041

export const instagramMeanings: readonly MeaningRow[] = [
  { subcodes: [notReady, ...lostContainer, ...notFetched], meaning: retryable },
  { subcodes: [2207001, 2207032, 2207053, 2207082], meaning: retryable },
  { subcodes: [alreadyPublished], meaning: { kind: 'duplicate' } },
  // The day's count is over a moving window: an hour later there may be room again.
  { subcodes: [2207042], meaning: wait('actor', 1) },
  { subcodes: [2207051], meaning: wait('actor', 24) },
  { subcodes: [2207050], meaning: never('policy') },
  { subcodes: [2207010, 2207040], meaning: never('input', 'text') },
  { subcodes: [2207004, 2207005, 2207009, 2207023, 2207026, 2207028, 2207057], meaning: never('input', 'media') },
  { codes: [-2, -1, 24, 9004, 9007], meaning: retryable },
  { codes: [9], meaning: wait('actor', 1) },
  { codes: [25], meaning: never('policy') },
  { codes: [36004], meaning: never('input', 'text') },
  { codes: [36000, 36001, 36003], meaning: never('input', 'media') },
  ...graphMeanings,
]
