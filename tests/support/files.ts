import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { standardLimits } from '#kernel/room/account-limits.ts'
import { openFiles } from '#main/process/open-files.ts'

/** One place for the files of all tests of one user of the machine: their names never meet. */
export const testFolder = join(tmpdir(), `chorus-tests-${userInfo().uid}`)

/** No process is started before it is needed. */
export const testFiles = openFiles({ storageUrl: { kind: 'files' }, dataDir: testFolder })

/** What installation have that has nothing to do with the test. */
export const elsewhere = {
  files: testFiles,
  accountLimits: standardLimits,
  publicUrl: () => 'http://chorus.test',
  shortUrl: () => 'http://chorus.test/l',
  lateness: 60 * 60 * 1000,
}
