import { afterEach, beforeEach } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { demoDatabase } from './database.ts'
import { testFolder } from './files.ts'
import { demoKey, testKeys } from './service.ts'

/** A database with the demo workspace for each test of a file, and what programs need to use it. */
export function chaosDatabase(): { environment(): Record<string, string> } {
  let own: Awaited<ReturnType<typeof demoDatabase>>
  beforeEach(async () => {
    own = await demoDatabase(systemClock)
  })
  afterEach(() => own.drop())
  return { environment: () => ({ CHORUS_DATABASE_URL: own.url, CHORUS_SECRET_KEYS: testKeys }) }
}

/** The same for a run that asks for a database when it needs one. */
export const freshDemo = async () => ({
  ...(await demoDatabase(systemClock)),
  demo: { key: demoKey, keyring: testKeys, folder: testFolder },
})
