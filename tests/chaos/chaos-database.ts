import { afterEach, beforeAll, beforeEach } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import type { SmallPlace } from '../../chaos/installation.ts'
import { buildPrograms, type Programs } from '../../chaos/programs.ts'
import { demoDatabase } from '../support/database/database.ts'
import { testFolder } from '../support/files.ts'
import { demoKey, testKeys } from '../support/service.ts'

/** A database with the demo workspace for each test of a file, and what a small run needs to use it. */
export function chaosDatabase(): () => SmallPlace {
  let programs: Programs
  let own: Awaited<ReturnType<typeof demoDatabase>>
  beforeAll(async () => {
    programs = await buildPrograms()
  })
  beforeEach(async () => {
    own = await demoDatabase(systemClock)
  })
  afterEach(() => own.drop())
  return () => ({ programs, databaseUrl: own.url, key: demoKey, keyring: testKeys })
}

/** The same for a run that asks for a database when it needs one. */
export async function freshDemo() {
  const own = await demoDatabase(systemClock)
  // Nine tenths of what the demo holds: they would be backed up, restored and moved again and again.
  await ownerQuery(own.url, 'truncate daily_figures, quarter_figures')
  return { ...own, demo: { key: demoKey, keyring: testKeys, folder: testFolder } }
}
