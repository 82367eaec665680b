import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { bytesAt, collected, generated, pieces } from './bytes.fixture.ts'
import { openFileStore } from './file-store.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'
import { openS3Store } from './s3-store.ts'
import { type Store, StoredFileMissing } from './store.ts'

let folder: TemporaryFolder
let s3: S3Server
beforeAll(async () => {
  folder = await temporaryFolder()
  s3 = await startS3Server({ smallestPart: part })
})
afterAll(async () => {
  await s3.stop()
  await folder.remove()
})

const kinds: [string, () => Store][] = [
  ['in a folder', () => openFileStore(folder.path)],
  ['in S3 with the bucket in the path', () => openS3Store(s3.settings, { waits: [], partBytes: part })],
]
/** Not a multiple of the source's chunk size. */
const part = 3 * 2 ** 19
/** Spans several parts and several read windows. */
const large = 5 * 2 ** 20 + 7
const hostile = [
  '',
  '.',
  '..',
  '../x',
  'a/../../b',
  'a/..',
  '/etc/passwd',
  '/a',
  'a/',
  'a//b',
  'a\\b',
  'C:\\a',
  'a.b',
  '.a',
  'a\0',
  '\0',
  'a\n',
  'a b',
  'ä',
  'a%2fb',
  '%2e%2e/x',
  '~',
  'a/b/c/d/e',
  'a'.repeat(65),
  'a/'.repeat(5_000),
  'a?b',
  'a#b',
  'a&b',
  'a*b',
  'file:///a',
  undefined as unknown as string,
]

describe.each(kinds)('a store %s', (_name, open) => {
  const store = () => open()
  const read = (key: string, from?: number, to?: number) => collected(store().read(key, from, to))

  test('returns stored files of every size', async () => {
    for (const size of [0, 1, 65_536, part, part + 1, large]) {
      await store().put(`sizes/${size}`, generated(size), size, 'video/mp4')
      expect(await store().size(`sizes/${size}`)).toBe(size)
      expect((await read(`sizes/${size}`)).equals(bytesAt(0, size))).toBe(true)
    }
  })

  test('returns exactly the bytes of a range', async () => {
    await store().put('ranges/large', generated(large), large, 'video/mp4')
    const window = 2 * 2 ** 20
    const ranges: [number, number][] = [
      ...([
        [0, 1],
        [0, large],
        [1, 2],
        [large - 1, large],
        [0, window],
        [window - 1, window + 1],
      ] as [number, number][]),
      ...([
        [window, 2 * window],
        [7, 2 * window + 7],
        [3 * part - 1, 3 * part + 1],
      ] as [number, number][]),
    ]
    for (const [from, to] of ranges) {
      expect((await read('ranges/large', from, to)).equals(bytesAt(from, to)), `${from} to ${to}`).toBe(true)
    }
    expect((await read('ranges/large', large - 5)).equals(bytesAt(large - 5, large))).toBe(true)
    expect((await read('ranges/large', large - 5, large + 5)).equals(bytesAt(large - 5, large))).toBe(true)
    for (const [from, to] of [
      [5, 5],
      [large, large + 1],
      [large + 9, undefined],
    ] as const) {
      expect((await read('ranges/large', from, to)).length).toBe(0)
    }
    for (const [from, to] of [
      [-1, 5],
      [5, 4],
      [0.5, 2],
      [Number.NaN, 2],
      [0, Number.NaN],
      [2 ** 60, 2 ** 61],
    ]) {
      await expect(read('ranges/large', from, to)).rejects.toThrow('cannot be read from byte')
    }
  })

  test('reports missing files as missing, and removing one succeeds', async () => {
    for (const [from, to] of [[], [0, 5], [5, 5], [100]]) {
      await expect(read('not/there', from, to)).rejects.toBeInstanceOf(StoredFileMissing)
    }
    expect(await store().size('not/there')).toBeUndefined()
    await store().remove('not/there')
    await store().put('removed/file', pieces('abc'), 3, 'image/png')
    await store().remove('removed/file')
    expect(await store().size('removed/file')).toBeUndefined()
    await expect(read('removed/file')).rejects.toBeInstanceOf(StoredFileMissing)
  })

  test('stores nothing of a source that fails, and keeps the previous file', async () => {
    for (const size of [part, large]) {
      const broken = store().put('broken/new', generated(size, { failAt: 2 ** 20 }), size, 'video/mp4')
      await expect(broken).rejects.toThrow('The source broke.')
      expect(await store().size('broken/new')).toBeUndefined()
    }
    await store().put('broken/old', pieces('before'), 6, 'image/png')
    await expect(store().put('broken/old', generated(large, { failAt: 4 * 2 ** 20 }), large, 'a/b')).rejects.toThrow()
    expect(String(await read('broken/old'))).toBe('before')
    expect(await store().sweep(new Date('2100-01-01'))).toBe(0)
  })

  test('refuses a source with fewer or more bytes than announced', async () => {
    for (const [given, said] of [
      [5, 6],
      [5, 4],
      [0, 1],
      [1, 0],
      [large, large + 1],
      [large, large - 1],
    ] as const) {
      const put = store().put('wrong/length', generated(given), said, 'video/mp4')
      await expect(put).rejects.toThrow(`should have exactly ${said} bytes`)
      expect(await store().size('wrong/length')).toBeUndefined()
    }
    expect(await store().sweep(new Date('2100-01-01'))).toBe(0)
  })

  test('refuses keys that the service would not generate', async () => {
    for (const key of hostile) {
      const refused = /is not a key/
      await expect(store().put(key, pieces('x'), 1, 'a/b'), key).rejects.toThrow(refused)
      await expect(collected(store().read(key)), key).rejects.toThrow(refused)
      await expect(store().size(key), key).rejects.toThrow(refused)
      await expect(store().remove(key), key).rejects.toThrow(refused)
    }
  })

  test('distinguishes keys by case and by the position of slashes', async () => {
    const keys = ['case/Ab', 'case/aB', 'case/ab', 'case-ab', 'case/a/b', 'case/a-b', 'CON', 'nul']
    for (const key of keys) await store().put(key, pieces(`of ${key}`), 3 + key.length, 'a/b')
    for (const key of keys) expect(String(await read(key))).toBe(`of ${key}`)
  })

  test('keeps one complete file after concurrent puts under the same key', async () => {
    const seeds = [1, 2, 3]
    const size = 2 * part + 1
    await Promise.all(seeds.map((seed) => store().put('same/key', generated(size, { seed }), size, 'video/mp4')))
    const found = await read('same/key')
    expect(seeds.filter((seed) => found.equals(bytesAt(0, size, seed))).length).toBe(1)
    expect(await store().sweep(new Date('2100-01-01'))).toBe(0)
  })
})
