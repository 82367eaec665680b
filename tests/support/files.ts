import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordDeed } from '#areas/account/audit/audit.ts'
import { openFiles } from '#main/process/storage.ts'
import { react } from '#main/registry.ts'

/** Of each worker its own, in the folder of the run: what a test deletes or sweeps away nobody beside it misses. */
export const testFolder = join(process.env.TEST_FOLDER ?? tmpdir(), `chorus-tests-${process.env.VITEST_POOL_ID ?? 0}`)

/** No process is started before it is needed. */
export const testFiles = openFiles({ storageUrl: { kind: 'files' }, dataDir: testFolder })

/** What an installation has that has nothing to do with the test. */
export const elsewhere = {
  files: testFiles,
  accountLimits: {},
  react,
  publicUrl: () => 'http://chorus.test',
  shortUrl: () => 'http://chorus.test/l',
  lateness: 60 * 60 * 1000,
  appOptions: () => undefined,
  recordDeed,
}
