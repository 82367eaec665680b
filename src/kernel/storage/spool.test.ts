import { createHash } from 'node:crypto'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { collected, pieces } from './bytes.fixture.ts'
import { openSpool, type Spool } from './spool.ts'
import { StoredFileMissing } from './store.ts'

let folder: TemporaryFolder
let spool: Spool
beforeEach(async () => {
  folder = await temporaryFolder()
  spool = openSpool(join(folder.path, 'spool'))
})
afterEach(() => folder.remove())

const most = 100
const text = async (id: string, from?: number, to?: number) => String(await collected(spool.read(id, from, to)))

test('a file is appended in chunks, and can be read, hashed and removed', async () => {
  expect(await spool.size('a')).toBe(0)
  await expect(text('a')).rejects.toBeInstanceOf(StoredFileMissing)
  expect(await spool.append('a', 0, pieces('abc', 'def'), most)).toBe(6)
  expect(await spool.append('a', 6, pieces(), most)).toBe(6)
  expect(await openSpool(join(folder.path, 'spool')).append('a', 6, pieces('ghi'), most)).toBe(9)
  expect([await text('a'), await text('a', 2, 4), await text('a', 8), await text('a', 9)]).toEqual([
    'abcdefghi',
    'cd',
    'i',
    '',
  ])
  expect(await spool.digest('a')).toBe(createHash('sha256').update('abcdefghi').digest('hex'))
  expect(await readFile(spool.path('a'), 'utf8')).toBe('abcdefghi')
  await spool.remove('a')
  await spool.remove('a')
  expect(await spool.size('a')).toBe(0)
  expect(await readdir(join(folder.path, 'spool'))).toEqual([])
})

test('gaps, overlaps and excess bytes are refused without changes', async () => {
  await spool.append('a', 0, pieces('abc'), most)
  for (const offset of [0, 2, 4, 1_000, -1, Number.NaN]) {
    const append = spool.append('a', offset, pieces('x'), most)
    await expect(append).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('continues at byte 3'),
    })
  }
  await expect(spool.append('a', 3, pieces('defg', 'hi'), 8)).rejects.toMatchObject({ kind: 'tooLarge' })
  await expect(spool.append('a', 3, pieces(), 2)).rejects.toMatchObject({ kind: 'tooLarge' })
  expect([await spool.size('a'), await text('a')]).toEqual([3, 'abc'])
  expect(await readFile(spool.path('a'), 'utf8')).toBe('abc')
  expect(await spool.append('a', 3, pieces('defgh'), 8)).toBe(8)
})

test('a file can be truncated but not extended', async () => {
  await spool.append('a', 0, pieces('abcdef'), most)
  await spool.truncate('a', 2)
  expect([await spool.size('a'), await text('a')]).toEqual([2, 'ab'])
  await expect(spool.truncate('a', 3)).rejects.toMatchObject({ kind: 'conflict' })
  await spool.truncate('a', 0)
  await spool.truncate('never-there', 0)
  expect(await spool.append('a', 0, pieces('x'), most)).toBe(1)
})

test('stale files are listed by id', async () => {
  expect(await openSpool(join(folder.path, 'none')).stale(new Date(0))).toEqual([])
  for (const id of ['old', 'half-old', 'new', 'Old']) await spool.append(id, 0, pieces('x'), most)
  await writeFile(join(folder.path, 'spool', 'README.txt'), 'not ours')
  for (const id of ['old', 'Old']) await utimes(spool.path(id).replace(/part$/, 'size'), 1_000, 1_000)
  for (const id of ['old', 'half-old', 'Old']) await utimes(spool.path(id), 1_000, 1_000)
  expect((await spool.stale(new Date(2_000_000))).sort()).toEqual(['Old', 'old'])
  expect((await spool.stale(new Date('2100-01-01'))).length).toBe(4)
})

test('ids are validated like keys, and the free space is that of the disk', async () => {
  for (const id of ['', '..', '../x', '/a', 'a\0', 'a'.repeat(200)]) {
    await expect(spool.append(id, 0, pieces('x'), most)).rejects.toThrow('is not a key')
    await expect(spool.size(id)).rejects.toThrow('is not a key')
    await expect(spool.remove(id)).rejects.toThrow('is not a key')
  }
  expect(await spool.free()).toBeGreaterThan(2 ** 20)
})
