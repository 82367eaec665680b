import { job } from '#kernel/jobs/job.ts'
import { isWaiting } from '../click/click-bundle.ts'
import { type Conversion, recordConversion } from './conversion.ts'

export type LateConversion = Omit<Conversion, 'at'> & { account: string; at: string }

const second = 1000
const minute = 60 * second

/** Job name and queue, for callers that enqueue it. */
export const countConversion = { name: 'links.count-conversion', queue: 'housekeeping' } as const

/** Counts a conversion whose click wasn't counted yet. */
export const countConversionJob = job<LateConversion>(countConversion.name, {
  ...countConversion,
  retryDelays: [2 * second, 10 * second, minute, 10 * minute, 60 * minute, 360 * minute],
  async run({ shared, complete }, { account, at, ...conversion }) {
    if (await isWaiting(shared, account, conversion)) throw new Error('The click has not been counted yet.')
    await complete(account, (context) => recordConversion(context, { ...conversion, at: new Date(at) }))
  },
})
