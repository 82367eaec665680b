import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordAuditEntry } from '#areas/account/audit.ts'
import { openFiles } from '#main/process/storage.ts'
import { react } from '#main/registry.ts'

/** One folder per worker, so that parallel tests do not delete files of each other. */
export const testFolder = join(process.env.TEST_FOLDER ?? tmpdir(), `chorus-tests-${process.env.VITEST_POOL_ID ?? 0}`)

/** Processes are started on demand. */
export const testFiles = openFiles({ storageUrl: { kind: 'files' }, dataDir: testFolder })

/** Parts of an installation that are irrelevant to the test. */
export const elsewhere = {
  files: testFiles,
  accountLimits: {},
  react,
  publicUrl: () => 'http://chorus.test',
  shortUrl: () => 'http://chorus.test/l',
  lateness: 60 * 60 * 1000,
  appOptions: () => undefined,
  recordAuditEntry,
}
