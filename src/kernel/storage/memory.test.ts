import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundled } from '../../../tests/support/bundle.ts'
import { deep } from '../../../tests/support/randomness.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'

let folder: TemporaryFolder
let s3: S3Server
let script: Awaited<ReturnType<typeof bundled>>
beforeAll(async () => {
  folder = await temporaryFolder()
  s3 = await startS3Server({ discardsContent: true })
  script = await bundled('src/kernel/storage/memory.fixture.ts')
})
afterAll(async () => {
  await script.remove()
  await s3.stop()
  await folder.remove()
})

/** More than a store may hold in memory; larger in deep runs. */
const size = deep(48, 96) * 2 ** 20

test(`${size / 2 ** 20} MiB are stored in a folder and in S3 and read back in constant memory`, async () => {
  const places = [join(folder.path, 'files'), s3.settings].map((place) => JSON.stringify(place))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script.path, String(size), ...places])
  const found: { read: number; growth: number }[] = JSON.parse(stdout)
  expect(found.map(({ read }) => read)).toEqual([size, size])
  for (const { growth } of found) expect(growth).toBeLessThan(32)
})
