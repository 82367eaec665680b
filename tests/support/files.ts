import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '#main/open-files.ts'

/** One place for the files of all tests: their names never meet, and no process is started before it is needed. */
export const testFiles = openFiles({ storageUrl: { kind: 'files' }, dataDir: join(tmpdir(), 'chorus-tests') })

/** What surroundings have that has nothing to do with the test. */
export const elsewhere = {
  files: testFiles,
  publicUrl: () => 'http://chorus.test',
  shortUrl: () => 'http://chorus.test/l',
}
