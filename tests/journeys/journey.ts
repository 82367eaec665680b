import { afterAll, beforeAll } from 'vitest'
import { endPrograms } from '../support/program.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

/** A folder for the tests of one file. Afterwards it is removed, and processes left by a failed test are stopped. */
export function journeyFolder(): { path: string } {
  const location = { path: '' }
  let folder: TemporaryFolder
  beforeAll(async () => {
    folder = await temporaryFolder()
    location.path = folder.path
  })
  afterAll(async () => {
    await endPrograms()
    await folder.remove()
  })
  return location
}
