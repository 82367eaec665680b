import { mkdir, readdir, readFile, readlink, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { bytesAt, collected, generated, pieces } from './bytes.fixture.ts'
import { openFileStore } from './file-store.ts'
import type { Store } from './store.ts'
import { atEachSync } from './syncs.fixture.ts'

let folder: TemporaryFolder
let store: Store
beforeEach(async () => {
  folder = await temporaryFolder()
  store = openFileStore(join(folder.path, 'made', 'when', 'needed'))
})
afterEach(() => folder.remove())

const root = () => join(folder.path, 'made', 'when', 'needed')
const files = async () => {
  const entries = await readdir(root(), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

test('a file left by a crash before its rename is never visible and is deleted when it is old', async () => {
  await mkdir(join(root(), 'incoming'), { recursive: true })
  const left = join(root(), 'incoming', '7b0c3f6e-left.partial')
  await writeFile(left, 'all of the bytes, but no name')
  await utimes(left, 1_000, 1_000)
  expect(await store.size('some/file')).toBeUndefined()

  const source = gate()
  const put = store.put('some/file', source.bytes, 6, 'a/b')
  await source.reached
  expect(await store.size('some/file')).toBeUndefined()
  expect((await readdir(join(root(), 'incoming'))).length).toBe(2)
  expect(await store.sweep(new Date(2_000_000))).toBe(1)
  expect(await store.sweep(new Date(2_000_000))).toBe(0)
  source.open()
  await put
  expect(String(await collected(store.read('some/file')))).toBe('abcdef')
  expect(await files()).toEqual([expect.stringContaining('some+file-')])
})

test('a file is synced before it is renamed, and its folder before the put resolves', async () => {
  await store.put('a', pieces('old'), 3, 'a/b')
  const seen = await atEachSync(
    () => store.size('a'),
    () => store.put('a', pieces('newer'), 5, 'a/b'),
  )
  expect(seen).toEqual([3, 5])
})

test('files are distributed over subfolders with private permissions', async () => {
  for (let number = 0; number < 40; number += 1) await store.put(`file-${number}`, pieces('x'), 1, 'a/b')
  const folders = new Set((await files()).map((path) => path.slice(root().length + 1, root().length + 3)))
  expect(folders.size).toBeGreaterThan(20)
  for (const path of await files()) expect((await stat(path)).mode & 0o077).toBe(0)
})

test('an error while writing a file states the reason', async () => {
  await writeFile(join(folder.path, 'made'), 'a file where a folder should be')
  await expect(store.put('a', pieces('x'), 1, 'a/b')).rejects.toThrow('ENOTDIR')
})

test('a reader that stops early leaves no file open, and an active reader is not affected by a new version', async () => {
  await store.put('read', generated(2 ** 20), 2 ** 20, 'a/b')
  // Only where the system lists them; other parts of this process have open files as well.
  const open = async () => {
    const all = await readdir('/proc/self/fd').catch(() => [])
    const paths = await Promise.all(all.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return paths.filter((path) => path.startsWith(folder.path)).length
  }
  for (let round = 0; round < 50; round += 1) for await (const _chunk of store.read('read')) break
  await expect.poll(open).toBe(0)
  const reader = store.read('read')[Symbol.asyncIterator]()
  const first = await reader.next()
  await store.put('read', generated(2 ** 20, { seed: 5 }), 2 ** 20, 'a/b')
  const chunks: Uint8Array[] = [first.value]
  for (let next = await reader.next(); !next.done; next = await reader.next()) chunks.push(next.value)
  expect(Buffer.concat(chunks).equals(bytesAt(0, 2 ** 20))).toBe(true)
})

test('a complete file on the same disk is moved without copying', async () => {
  const path = join(folder.path, 'finished')
  await writeFile(path, 'finished')
  const { ino } = await stat(path)
  await store.put('adopted', pieces('older'), 5, 'a/b')
  expect(await store.adopt?.('adopted', path)).toBe(true)
  const [file] = await files()
  expect((await stat(String(file))).ino).toBe(ino)
  expect(await readFile(String(file), 'utf8')).toBe('finished')
  await expect(store.adopt?.('adopted', path)).rejects.toThrow('There is no file adopted any more')
})

function gate() {
  let open = () => {}
  let reach = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  async function* bytes() {
    yield Buffer.from('abc')
    reach()
    await opened
    yield Buffer.from('def')
  }
  return { bytes: bytes(), open, reached }
}
