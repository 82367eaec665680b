import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'

let folder: TemporaryFolder
let s3: S3Server
beforeAll(async () => {
  folder = await temporaryFolder()
  s3 = await startS3Server({ forgetful: true })
})
afterAll(async () => {
  await s3.stop()
  await folder.remove()
})

const size = 256 * 2 ** 20

test.each<[string, () => unknown]>([
  ['a folder', () => join(folder.path, 'files')],
  ['S3', () => s3.settings],
])('256 MiB go to %s and back through a few mebibytes of memory', async (_name, place) => {
  const flags = ['--import', 'tsx', '--expose-gc']
  const wanted = ['src/kernel/storage/memory.fixture.ts', String(size), JSON.stringify(place())]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...wanted])
  const { read, growth } = JSON.parse(stdout)
  expect(read).toBe(size)
  expect(growth).toBeLessThan(32)
})
