import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { generated } from './bytes.fixture.ts'
import { openFileStore } from './file-store.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'
import { openS3Store } from './s3-store.ts'
import type { Store } from './store.ts'

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

const mebibyte = 2 ** 20
const size = 512 * mebibyte

test.each<[string, () => Store]>([
  ['a folder', () => openFileStore(join(folder.path, 'files'))],
  ['S3', () => openS3Store(s3.settings)],
])('half a gibibyte goes to %s and back through a part of its size in memory', async (_name, open) => {
  const store = open()
  await store.put('warm', generated(16 * mebibyte), 16 * mebibyte, 'video/mp4')
  const growth = await watched(async () => {
    await store.put('large', generated(size), size, 'video/mp4')
    let read = 0
    for await (const chunk of store.read('large')) read += chunk.length
    expect(read).toBe(size)
  })
  // When what was thrown away is collected is the engine's affair.
  expect(growth).toBeLessThan(size / mebibyte / 4)
})

/** By how many mebibytes the memory outside the heap grew at most. */
async function watched(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  })
  await work().finally(() => clearInterval(timer))
  return most / mebibyte
}
