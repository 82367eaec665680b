import type { Control, NeighbourReport, Visit } from './neighbours.ts'

export const mostRatio = 3
const mostGrowthMiB = 100
const mostMiB = 600

/** What must not be; nothing when the good one was left in peace. */
export const brokenBy = (report: NeighbourReport, ratio = mostRatio): string[] => [
  ...disturbedBy(report),
  ...idleIn(report),
  ...unless(report.ratio <= ratio, `p99 beside the bad one is ${report.ratio} times that without`),
]

/** An attack that did nothing proves nothing. */
const idleIn = ({ attack }: Visit) =>
  Object.entries(attack).flatMap(([name, counts]) => unless((counts.asked ?? 0) > 0, `${name} did nothing`))

/** Calls, uploads and posts that did not come to a good end, and a service that did not either. */
export const disturbedBy = ({ beside, alive }: Visit): string[] => [
  ...unless(alive, 'the service ended'),
  ...summed('calls', beside.failures),
  ...summed('uploads', beside.uploads.failures),
  ...summed('posts', beside.posts.failures),
]

export const grownBy = ({ memory }: Visit): string[] =>
  unless(memory.after - memory.before <= mostGrowthMiB, `memory grew by ${memory.after - memory.before} MiB`)

/** The same for an account that has very much; what counts beside it is what the service holds in memory. */
export const brokenByLarge = (report: NeighbourReport): string[] => [
  ...disturbedBy(report),
  ...idleIn(report),
  ...damageOf(report),
]

export const damageOf = ({ ratio, memory }: Pick<Control, 'ratio' | 'memory'>): string[] => [
  ...unless(ratio <= mostRatio, `p99 beside the large account is ${ratio} times that without`),
  ...unless(memory.most <= mostMiB, `memory came to ${memory.most} MiB`),
]

const unless = (kept: boolean, what: string) => (kept ? [] : [what])

function summed(what: string, failures: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const failure of failures) counts.set(failure, (counts.get(failure) ?? 0) + 1)
  return [...counts].map(([failure, count]) => `${count} ${what} failed: ${failure}`)
}
