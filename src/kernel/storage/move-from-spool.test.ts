import { appendFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { bytesAt, collected, generated, pieces } from './bytes.fixture.ts'
import { openFileStore } from './file-store.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'
import { openS3Store } from './s3-store.ts'
import { moveFromSpool, openSpool, type Spool } from './spool.ts'
import { type Store, StoredFileMissing } from './store.ts'

let folder: TemporaryFolder
let s3: S3Server
let spool: Spool
beforeEach(async () => {
  folder = await temporaryFolder()
  s3 = await startS3Server()
  spool = openSpool(join(folder.path, 'spool'))
})
afterEach(async () => {
  await s3.stop()
  await folder.remove()
})

const inFolder = () => openFileStore(join(folder.path, 'files'))
const inOther = (): Store => ({ ...inFolder(), adopt: async () => false })
const inS3 = () => openS3Store(s3.settings, { waits: [] })
const size = 9 * 2 ** 20

test.each<[string, () => Store]>([
  ['a folder on the same disk', inFolder],
  ['a folder on another disk', inOther],
  ['S3', inS3],
])('a file is moved from the spool to %s completely and once', async (_name, open) => {
  await spool.append('id', 0, generated(size), size)
  await appendFile(spool.path('id'), 'torn')
  await moveFromSpool(open(), spool, 'id', 'a/b', 'video/mp4')
  expect((await collected(open().read('a/b'))).equals(bytesAt(0, size))).toBe(true)
  expect(await readdir(join(folder.path, 'spool'))).toEqual([])
  await moveFromSpool(open(), spool, 'id', 'a/b', 'video/mp4')
  expect(await open().size('a/b')).toBe(size)
  await expect(moveFromSpool(open(), spool, 'id', 'other', 'video/mp4')).rejects.toBeInstanceOf(StoredFileMissing)
})

test('on the same disk a file is moved without copying', async () => {
  await spool.append('id', 0, pieces('abc'), 3)
  const { ino } = await stat(spool.path('id'))
  await moveFromSpool(inFolder(), spool, 'id', 'a', 'image/png')
  const entries = await readdir(join(folder.path, 'files'), { recursive: true })
  const file = entries.find((entry) => entry.includes('a-'))
  expect((await stat(join(folder.path, 'files', String(file)))).ino).toBe(ino)
})

test('a move that fails leaves the file in the spool', async () => {
  await spool.append('id', 0, generated(size), size)
  s3.faults.push({
    when: ({ query }) => query.has('partNumber'),
    how: { status: 500, code: 'InternalError' },
    times: 9,
  })
  await expect(moveFromSpool(inS3(), spool, 'id', 'a/b', 'video/mp4')).rejects.toThrow('InternalError')
  expect([await spool.size('id'), await inS3().size('a/b')]).toEqual([size, undefined])
  s3.faults.length = 0
  await moveFromSpool(inS3(), spool, 'id', 'a/b', 'video/mp4')
  expect(await inS3().size('a/b')).toBe(size)
})
