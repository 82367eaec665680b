import { afterAll, beforeAll } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { type Installation, openInstallation } from '../../chaos/installation.ts'
import { buildPrograms } from '../../chaos/programs.ts'
import { demoDatabase } from '../support/database/database.ts'
import { testFolder } from '../support/files.ts'
import { demoKey, testKeys } from '../support/service.ts'

/** An installation with the demo workspace that the small runs of a file have after one another. */
export function chaosInstallation(environment: Record<string, string> = {}): () => Installation {
  let own: Awaited<ReturnType<typeof freshDemo>>
  let installation: Installation
  beforeAll(async () => {
    const programs = await buildPrograms()
    own = await freshDemo()
    const small = { programs, databaseUrl: own.url, key: demoKey, keyring: testKeys }
    installation = await openInstallation({ environment, small })
  })
  afterAll(async () => {
    await installation?.stop()
    await own?.drop()
  })
  return () => installation
}

/** A database with the demo workspace, for a run that asks for one when it needs it. */
export async function freshDemo() {
  const own = await demoDatabase(systemClock)
  // Nine tenths of what the demo holds: they would be backed up, restored and moved again and again.
  await ownerQuery(own.url, 'truncate daily_figures, quarter_figures')
  return { ...own, demo: { key: demoKey, keyring: testKeys, folder: testFolder } }
}
