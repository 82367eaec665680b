import { afterAll, beforeAll } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { type Installation, openInstallation } from '../../chaos/installation.ts'
import { buildPrograms } from '../../chaos/processes.ts'
import { demoDatabase } from '../support/database/database.ts'
import { testFolder } from '../support/files.ts'
import { demoKey, testKeys } from '../support/service.ts'

/** An installation with the demo workspace, shared by the runs of a test file. */
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

/** A database with the demo workspace, created on demand. */
export async function freshDemo() {
  const own = await demoDatabase(systemClock)
  // Removes 90% of the demo data, which would be backed up and restored repeatedly.
  await ownerQuery(own.url, 'truncate daily_rollups, quarter_hour_rollups')
  return { ...own, demo: { key: demoKey, keyring: testKeys, folder: testFolder } }
}
