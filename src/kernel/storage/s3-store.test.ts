import { afterEach, beforeEach, expect, test } from 'vitest'
import { bytesAt, collected, generated, pieces } from './bytes.fixture.ts'
import type { S3Options } from './s3-client.ts'
import { type Fault, type S3Server, startS3Server } from './s3-server.fixture.ts'
import { openS3Store } from './s3-store.ts'
import type { S3Settings } from './storage-url.ts'
import { StoredFileMissing } from './store.ts'

let s3: S3Server
beforeEach(async () => {
  s3 = await startS3Server({ smallestPart: part })
})
afterEach(() => s3.stop())

const open = (settings: Partial<S3Settings> = {}, options: S3Options = {}) =>
  openS3Store({ ...s3.settings, ...settings }, { waits: [5, 5], partBytes: part, ...options })
const part = 2 ** 20
/** Spans several parts and two read windows. */
const size = 5 * 2 ** 19
const addFault = (method: string, how: Fault['how'], times = 1, query = '') =>
  s3.faults.push({ when: (call) => call.method === method && (query === '' || call.query.has(query)), how, times })
const isWhole = async (key: string) => (await collected(open().read(key))).equals(bytesAt(0, size))

test('a large file is uploaded in parts, with its content type, under the configured prefix', async () => {
  s3.state.smallestPart = 5 * 2 ** 20
  const nine = 9 * 2 ** 20
  await openS3Store(s3.settings).put('a/b', generated(nine), nine, 'video/mp4')
  const object = s3.state.objects.get('chorus/a/b')
  expect(object?.type).toBe('video/mp4')
  expect(object?.pieces.map((piece) => piece.size)).toEqual([8 * 2 ** 20, 2 ** 20])
  expect(s3.state.uploads.size).toBe(0)
})

test('the bucket may be part of the host name', async () => {
  const store = open({ endpoint: s3.url.replace('127.0.0.1', 'localhost'), pathStyle: false })
  await store.put('a/b', generated(size), size, 'video/mp4')
  expect(await isWhole('a/b')).toBe(true)
  expect(String(await collected(store.read('a/b', 3, 4)))).toBe(String(bytesAt(3, 4)))
  expect(await store.sweep(new Date('2100-01-01'))).toBe(0)
  await store.remove('a/b')
  expect(s3.state.objects.size).toBe(0)
})

test.each<[string, Fault['how']]>([
  ['dropped', 'drop'],
  ['executed but whose response is lost', 'lose'],
  ['temporarily refused', { status: 503, code: 'SlowDown' }],
])('a request that is %s is retried', async (_name, how) => {
  addFault('POST', how, 2, 'uploads')
  addFault('PUT', how, 2, 'partNumber')
  addFault('POST', how, 2, 'uploadId')
  await open().put('again', generated(size), size, 'video/mp4')
  expect(s3.faults.splice(0).map(({ times }) => times)).toEqual([0, 0, 0])
  for (const method of ['HEAD', 'GET', 'DELETE']) addFault(method, how, 2)
  expect(await open().size('again')).toBe(size)
  expect(await isWhole('again')).toBe(true)
  await open().remove('again')
  expect(s3.faults.map(({ times }) => times)).toEqual([0, 0, 0])
})

test('an interrupted download is resumed where it stopped', async () => {
  await open().put('cut', generated(size), size, 'video/mp4')
  s3.faults.push({
    when: ({ headers }) => headers.range?.startsWith('bytes=2097152-') === true,
    how: 'cut',
    times: 2,
  })
  expect(await isWhole('cut')).toBe(true)
  expect(s3.faults[0]?.times).toBe(0)
})

test('a part that keeps failing aborts the upload; if that fails too, it is cleaned up later', async () => {
  addFault('PUT', { status: 500, code: 'InternalError' }, 3, 'partNumber')
  await expect(open().put('bad', generated(size), size, 'a/b')).rejects.toThrow('answered 500 (InternalError)')
  expect([s3.state.uploads.size, s3.state.objects.size]).toEqual([0, 0])

  addFault('PUT', 'drop', 3, 'partNumber')
  addFault('DELETE', 'drop', 3)
  await expect(open().put('bad', generated(size), size, 'a/b')).rejects.toThrow('closed the connection')
  s3.state.uploads.set('foreign', { key: 'other/x', type: '', initiated: '2020-01-01T00:00:00.000Z', parts: new Map() })
  expect(await open().size('bad')).toBeUndefined()
  expect(await open().sweep(new Date('2021-01-01'))).toBe(0)
  expect(await open().sweep(new Date('2100-01-01'))).toBe(1)
  expect([...s3.state.uploads.keys()]).toEqual(['foreign'])
})

test('an upload that the store no longer knows is reported as failed', async () => {
  async function* source() {
    yield* generated(size)
    s3.state.uploads.clear()
  }
  await expect(open().put('lost', source(), size, 'a/b')).rejects.toThrow(/NoSuchUpload/)
})

test('an error in a response with status 200 is an error', async () => {
  addFault('POST', { status: 200, code: 'InternalError' }, 1, 'uploadId')
  await open().put('late', generated(size), size, 'a/b')
  expect(await isWhole('late')).toBe(true)
  addFault('POST', { status: 200, code: 'InternalError' }, 3, 'uploadId')
  await expect(open().put('late2', generated(size), size, 'a/b')).rejects.toThrow('(InternalError)')
  expect(s3.state.objects.has('chorus/late2')).toBe(false)
})

test('a store that never responds costs no more than the timeout', async () => {
  addFault('GET', 'hang', 9)
  const read = collected(open({}, { patience: 150, waits: [] }).read('hung'))
  await expect(read).rejects.toThrow('did not answer completely within 0.15 seconds')
})

test('reading a file that is replaced meanwhile never mixes versions', async () => {
  await open().put('mixed', generated(size), size, 'a/b')
  const readAll = async () => {
    for await (const _chunk of open().read('mixed')) await open().put('mixed', pieces('new'), 3, 'a/b')
  }
  await expect(readAll()).rejects.toThrow('was replaced while it was being read')
})

test('configuration errors have a readable message', async () => {
  const said = async (settings: Partial<S3Settings>, options: S3Options = {}) =>
    open(settings, { waits: [], ...options })
      .put('a', pieces('x'), 1, 'a/b')
      .catch((error) => error.message)
  const { host } = new URL(s3.url)
  expect(await said({ secretKey: 'wrong' })).toBe(
    `${host} does not accept the signature; correct the secret in the setting.`,
  )
  expect(await said({ accessKey: 'wrong' })).toBe(`${host} does not know the access key; correct it in the setting.`)
  expect(await said({ region: 'us-east-1' })).toContain('is not in the region us-east-1; correct the region')
  expect(await said({ bucket: 'other' })).toBe(
    `${host} has no bucket other; make it, or correct its name in the setting.`,
  )
  const clock = { now: () => new Date('2020-01-01') }
  expect(await said({}, { clock })).toContain('The clock of this machine differs too much')
  expect(await said({ endpoint: 'http://127.0.0.1:1' })).toContain('The store of files cannot be used: ')
  await expect(collected(open({ bucket: 'other' }).read('a'))).rejects.not.toBeInstanceOf(StoredFileMissing)
})
