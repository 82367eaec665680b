import { afterEach, beforeEach } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { demoDatabase } from './database.ts'
import { testKeys } from './service.ts'

/** A database with the demo workspace for each test of a file, and what programs need to use it. */
export function chaosDatabase(): { environment(): Record<string, string> } {
  let own: Awaited<ReturnType<typeof demoDatabase>>
  beforeEach(async () => {
    own = await demoDatabase(systemClock)
  })
  afterEach(() => own.drop())
  return { environment: () => ({ CHORUS_DATABASE_URL: own.url, CHORUS_SECRET_KEYS: testKeys }) }
}
