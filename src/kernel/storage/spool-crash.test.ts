import { createHash } from 'node:crypto'
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { identifyProcess } from '../database/embedded/process-identity.ts'
import { collected, generated, pieces } from './bytes.fixture.ts'
import { openSpool, type Spool } from './spool.ts'
import { atEachSync } from './syncs.fixture.ts'

let folder: TemporaryFolder
let spool: Spool
beforeEach(async () => {
  folder = await temporaryFolder()
  spool = openSpool(join(folder.path, 'spool'))
})
afterEach(() => folder.remove())

const most = 100
const text = async (id: string, from?: number, to?: number) => String(await collected(spool.read(id, from, to)))

test('bytes of a source that fails are truncated again', async () => {
  await spool.append('a', 0, pieces('abc'), most)
  const broken = spool.append('a', 3, generated(3 * 2 ** 20, { failAt: 2 ** 20 }), 2 ** 30)
  await expect(broken).rejects.toThrow('The source broke.')
  expect(await readFile(spool.path('a'), 'utf8')).toBe('abc')
  expect(await spool.append('a', 3, pieces('def'), most)).toBe(6)
})

test('bytes left unrecorded by a crash do not count and are overwritten by the next chunk', async () => {
  await spool.append('a', 0, pieces('abc'), most)
  await appendFile(spool.path('a'), '\0\0\0torn')
  expect([await spool.size('a'), await text('a'), await text('a', 2, 9)]).toEqual([3, 'abc', 'c'])
  expect(await spool.digest('a')).toBe(createHash('sha256').update('abc').digest('hex'))
  expect(await spool.append('a', 3, pieces('d'), most)).toBe(4)
  expect(await readFile(spool.path('a'), 'utf8')).toBe('abcd')
})

test('after a crash in the first chunk, a torn record or lost bytes, only confirmed bytes remain', async () => {
  await spool.append('a', 0, pieces('abcdef'), most)
  const record = spool.path('a').replace(/part$/, 'size')
  await truncate(spool.path('a'), 4)
  expect([await spool.size('a'), await text('a')]).toEqual([4, 'abcd'])
  await expect(spool.append('a', 4, generated(2 ** 21, { failAt: 2 ** 20 }), 2 ** 30)).rejects.toThrow()
  expect(await readFile(record, 'utf8')).toBe('0000000000000004')
  for (const torn of ['', '12', '\0'.repeat(16), '00000000000000xx', '00000000000000060']) {
    await writeFile(record, torn)
    expect(await spool.size('a')).toBe(0)
  }
  expect(await spool.append('a', 0, pieces('new'), most)).toBe(3)
  expect(await text('a')).toBe('new')
})

test('a chunk is synced before it is recorded, and recorded before the append resolves', async () => {
  await spool.append('a', 0, pieces('abc'), most)
  const seen = await atEachSync(
    () => spool.size('a'),
    () => spool.append('a', 3, pieces('def'), most),
  )
  expect(seen).toEqual([3, 6])
})

test('of two chunks at the same offset one is refused', async () => {
  const size = 3 * 2 ** 20
  for (let round = 0; round < 3; round += 1) {
    const appends = [1, 2, 3].map((seed) => spool.append(`r${round}`, 0, generated(size, { seed }), size))
    const results = await Promise.allSettled(appends)
    const won = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index + 1] : []))
    expect(won.length).toBe(1)
    expect((await collected(spool.read(`r${round}`))).equals(await collected(generated(size, { seed: won[0] })))).toBe(
      true,
    )
    for (const result of results) if (result.status === 'rejected') expect(result.reason.kind).toBe('conflict')
  }
})

test('a file is locked by another writing process while that process lives', async () => {
  await spool.append('a', 0, pieces('abc'), most)
  const name = spool.path('a').replace(/part$/, 'claim-')
  const parent = await identifyProcess(process.ppid)
  await writeFile(`${name}${parent?.pid}-another-beginning`, '')
  await writeFile(`${name}99999999-${parent?.began}`, '')
  expect(await spool.append('a', 3, pieces('d'), most)).toBe(4)
  await writeFile(`${name}${parent?.pid}-${parent?.began}`, '')
  await expect(spool.append('a', 4, pieces('e'), most)).rejects.toThrow('Another piece of this file is being written')
  await expect(spool.truncate('a', 0)).rejects.toMatchObject({ kind: 'conflict' })
  expect(await text('a')).toBe('abcd')
})

test('a file removed during an append stays removed', async () => {
  async function* source() {
    yield Buffer.from('abc')
    await spool.remove('a')
  }
  await expect(spool.append('a', 0, source(), most)).rejects.toThrow('was removed while a piece of it arrived')
  expect(await readdir(join(folder.path, 'spool'))).toEqual([])
})
