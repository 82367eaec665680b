import { buildPrograms } from '../programs.ts'
import { openDatabases } from '../publishing/databases.ts'
import { endChildren } from '../publishing/service-child.ts'
import { type FeedKillOptions, type FeedKillReport, feedKills } from './kills.ts'

/** What a run may not show. */
export const brokenByFeedKills = ({ missed, leaked, lost, resets }: FeedKillReport): string[] => [
  ...(missed > 0 ? [`${missed} hints were missed`] : []),
  ...(leaked > 0 ? [`${leaked} hints were heard by who may not see them`] : []),
  ...(lost > 0 ? [`${lost} changes that were answered are not there`] : []),
  // A reset would hide what was missed.
  ...(resets > 0 ? [`${resets} feeds had to begin anew`] : []),
]

/** The runs of the feed, each on a database server of its own. */
export const feedRuns = (seed: number, say: (line: string) => void): Record<string, () => Promise<unknown>> => ({
  async feed() {
    const report = await alone({ accounts: 20, feeds: 1_000, changes: 10_000, kills: 12, seed, say })
    return { ...report, broken: brokenByFeedKills(report) }
  },
  async 'feed-control'() {
    const harm = { forgetful: true, unscoped: true }
    const report = await alone({ accounts: 5, feeds: 100, changes: 1_000, kills: 4, seed, say, ...harm })
    const isSeen = report.missed > 0 && report.leaked > 0
    return { ...report, broken: isSeen ? [] : ['the harness saw no damage'] }
  },
})

async function alone(options: Omit<FeedKillOptions, 'databaseUrl' | 'service'>) {
  const [programs, databases] = await Promise.all([buildPrograms(), openDatabases()])
  try {
    const { url } = await databases.empty()
    return await feedKills({ ...options, databaseUrl: url, service: programs.service })
  } finally {
    endChildren()
    await databases.stop()
  }
}
