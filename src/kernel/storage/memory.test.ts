import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundled } from '../../../tests/support/bundle.ts'
import { deep } from '../../../tests/support/depth.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'

let folder: TemporaryFolder
let s3: S3Server
let script: Awaited<ReturnType<typeof bundled>>
beforeAll(async () => {
  folder = await temporaryFolder()
  s3 = await startS3Server({ forgetful: true })
  script = await bundled('src/kernel/storage/memory.fixture.ts')
})
afterAll(async () => {
  await script.remove()
  await s3.stop()
  await folder.remove()
})

/** More than a store may hold of it, and in full depth three times as much. */
const size = deep(48, 96) * 2 ** 20

test.each<[string, () => unknown]>([
  ['a folder', () => join(folder.path, 'files')],
  ['S3', () => s3.settings],
])(`${size / 2 ** 20} MiB go to %s and back through a few mebibytes of memory`, async (_name, place) => {
  const wanted = [script.path, String(size), JSON.stringify(place())]
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ...wanted])
  const { read, growth } = JSON.parse(stdout)
  expect(read).toBe(size)
  expect(growth).toBeLessThan(32)
})
