import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { Clock } from '#kernel/clock.ts'
import { keepDemoFiles } from '../demo-files.ts'
import { copyDatabase, databaseAt, dropDatabase } from './nodes.ts'
import { ownerQuery, stopAsking } from './owner.ts'
import { emptyTemplate, seedDemoOnce } from './templates.ts'

interface OwnDatabase {
  url: string
  drop(): Promise<void>
}

/** A new migrated, empty database; copying the template takes milliseconds. */
export const freshDatabase = () => copyOf(emptyTemplate)

/** The same with the demo workspace, seeded once per test clock. */
export async function demoDatabase(clock: Clock): Promise<OwnDatabase> {
  const { keys, moment } = inject('demo')
  const now = clock.now().getTime()
  const isOfThisRun = now >= moment && now - moment < stillToday
  const template = await seedDemoOnce(inject('serverUrl'), { keys, moment: isOfThisRun ? moment : now })
  await keepDemoFiles()
  return copyOf(template)
}

/** Everything scheduled in the demo is later than the end of a run. */
const stillToday = 2 * 60 * 60 * 1000

async function copyOf(template: string): Promise<OwnDatabase> {
  const serverUrl = inject('serverUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await copyDatabase(serverUrl, name, template, ownerQuery)
  return {
    url: databaseAt(serverUrl, name),
    drop: async () => {
      await stopAsking(databaseAt(serverUrl, name))
      await dropDatabase(serverUrl, name, ownerQuery)
    },
  }
}
