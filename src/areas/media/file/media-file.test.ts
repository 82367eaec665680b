import { randomBytes } from 'node:crypto'
import { appendFile, copyFile, open, rename, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLog } from '#kernel/log.ts'
import { box } from '#kernel/media-inspector/fixtures/boxes.fixture.ts'
import { fileNameOf, subfolderOf } from '#kernel/storage/store.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { sampleFiles, serveFiles } from '../media.fixture.ts'

let service: TestService
let web: Awaited<ReturnType<typeof serveFiles>>
let folder: TemporaryFolder
const logged: { msg: string }[] = []
let files: Awaited<ReturnType<typeof sampleFiles>> & { 'large.mp4': Buffer }
const addresses: { [name: string]: string } = {}
beforeAll(async () => {
  const samples = await sampleFiles()
  files = { ...samples, 'large.mp4': Buffer.concat([samples['film.mp4'], box('free', randomBytes(16 * 2 ** 20))]) }
  folder = await temporaryFolder()
  web = await serveFiles(files)
  service = await startTestService({
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_DATA_DIR: folder.path, CHORUS_ROLES: 'api,worker' },
    log: openLog('error', { write: (line) => void logged.push(JSON.parse(line)) }),
  })
  const uploaded = async (name: string) => {
    const { Id } = (
      await service.admin('POST /upload', { body: { source: `${web.url}/${name}`, name: `Ünïcode "${name}"` } })
    ).json.Upload
    const mediaId = async () => (await service.admin(`GET /upload/${Id}`)).json.Upload.MediaId
    while ((await mediaId()) === null) await new Promise((resolve) => setTimeout(resolve, 200))
    addresses[name] = (await service.admin(`GET /media/${await mediaId()}`)).json.Media.Resource
  }
  await Promise.all(['film.mp4', 'paper.pdf', 'large.mp4'].map(uploaded))
})
afterAll(async () => {
  await service.stop()
  await web.close()
  await folder.remove()
})

const fetchFile = async (name: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(addresses[name] ?? '', { method, headers })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

test('a file is served whole, without credentials, and never as active content', async () => {
  const { status, headers, bytes } = await fetchFile('film.mp4')
  expect([status, bytes.equals(files['film.mp4'])]).toEqual([200, true])
  expect(headers.get('content-type')).toBe('video/mp4')
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-disposition')).toBe(`inline; filename*=UTF-8''%C3%9Cn%C3%AFcode%20%22film.mp4%22`)
  expect(headers.get('cache-control')).toContain('immutable')
  expect((await fetchFile('paper.pdf')).headers.get('content-disposition')).toMatch(/^attachment/)
})

test.each([
  ['bytes=0-9', 0, 10],
  ['bytes=10-', 10, undefined],
  ['bytes=-7', -7, undefined],
  ['bytes=5-99999999', 5, undefined],
])('the range %s is exact', async (range, from, to) => {
  const { status, headers, bytes } = await fetchFile('film.mp4', { range })
  const expected = files['film.mp4'].subarray(from, to)
  expect(status).toBe(206)
  expect(bytes.equals(expected)).toBe(true)
  const start = from < 0 ? files['film.mp4'].length + from : from
  expect(headers.get('content-range')).toBe(`bytes ${start}-${start + expected.length - 1}/${files['film.mp4'].length}`)
})

test('ranges beyond the end are rejected, multiple ranges get the whole file', async () => {
  const size = files['film.mp4'].length
  for (const range of [`bytes=${size}-`, 'bytes=9-3', 'bytes=-0']) {
    const { status, headers } = await fetchFile('film.mp4', { range })
    expect([range, status, headers.get('content-range')]).toEqual([range, 416, `bytes */${size}`])
  }
  expect((await fetchFile('film.mp4', { range: 'bytes=0-1,3-4' })).status).toBe(200)
})

test('a conditional request gets 304, and HEAD the size only', async () => {
  const etag = (await fetchFile('film.mp4')).headers.get('etag') ?? ''
  expect((await fetchFile('film.mp4', { 'if-none-match': etag })).status).toBe(304)
  expect((await fetchFile('film.mp4', { range: 'bytes=0-1', 'if-range': '"another"' })).status).toBe(200)
  expect((await fetchFile('film.mp4', { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
  const { status, headers, bytes } = await fetchFile('film.mp4', {}, 'HEAD')
  expect([status, bytes.length, headers.get('content-length')]).toEqual([200, 0, String(files['film.mp4'].length)])
})

test('a modified URL is not found', async () => {
  const url = new URL(addresses['film.mp4'] ?? '')
  const [, , account = '', id = '', token = '', name = ''] = url.pathname.split('/')
  const wrong = [
    `/media/${account}/${id}/${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}/${name}`,
    `/media/${account}/${id}/x/${name}`,
    `/media/001demo00000002/${id}/${token}/${name}`,
    `/media/${account}/026nothing00000/${token}/${name}`,
    `/media/${account}/..%2f..%2fetc/${token}/passwd`,
  ]
  for (const path of wrong) expect((await fetch(url.origin + path)).status, path).toBe(404)
})

describe('a damaged stored file', () => {
  const pathOf = async (name: string) => {
    const [, , account = '', id = ''] = new URL(addresses[name] ?? '').pathname.split('/')
    const [row] = await ownerQuery<{ digest: string }>(
      service.databaseUrl,
      'select digest from media where account_id = $1 and id = $2',
      [account, id],
    )
    const key = `${account}/${row?.digest}`
    return { account, id, path: join(folder.path, 'files', subfolderOf(key), fileNameOf(key)) }
  }
  /** Modifies the file while the callback runs. */
  const withDamage = async (name: string, damage: (path: string) => Promise<void>, work: () => Promise<void>) => {
    const { account, id, path } = await pathOf(name)
    await copyFile(path, `${path}.original`)
    const before = logged.length
    try {
      await damage(path)
      await work()
      const about = () => logged.slice(before).find(({ msg }) => msg === 'a stored file is damaged or gone')
      await expect.poll(about).toMatchObject({ account, media: id })
    } finally {
      await rename(`${path}.original`, path)
    }
  }
  const answers = async (name: string) => [
    (await fetchFile(name, {}, 'HEAD')).status,
    (await fetchFile(name)).status,
    (await fetchFile(name, { range: 'bytes=0-9' })).status,
  ]

  test('missing or of another size is rejected before a byte is sent, for HEAD and GET', async () => {
    await withDamage(
      'film.mp4',
      (path) => rm(path),
      async () => expect(await answers('film.mp4')).toEqual([404, 404, 404]),
    )
    await withDamage(
      'film.mp4',
      (path) => truncate(path, 1000),
      async () => expect(await answers('film.mp4')).toEqual([404, 404, 404]),
    )
    await withDamage(
      'film.mp4',
      (path) => appendFile(path, 'x'),
      async () => expect(await answers('film.mp4')).toEqual([404, 404, 404]),
    )
    expect(await answers('film.mp4')).toEqual([200, 200, 206])
  })

  test('with changed bytes is rejected if small, and cut off before its end if large', async () => {
    const flip = async (path: string) => {
      const file = await open(path, 'r+')
      const { size } = await file.stat()
      const byte = Buffer.alloc(1)
      await file.read(byte, 0, 1, size - 1)
      byte[0] = (byte[0] ?? 0) ^ 1
      await file.write(byte, 0, 1, size - 1)
      await file.close()
    }
    await withDamage('paper.pdf', flip, async () => {
      const { status, headers } = await fetchFile('paper.pdf')
      expect([status, headers.get('etag'), headers.get('cache-control')]).toEqual([404, null, 'no-store'])
    })
    await withDamage('large.mp4', flip, async () => {
      await expect(fetchFile('large.mp4')).rejects.toThrow()
    })
    expect((await fetchFile('large.mp4')).bytes.equals(files['large.mp4'])).toBe(true)
  })

  test('truncated while being sent breaks the connection', async () => {
    await withDamage(
      'large.mp4',
      async () => {},
      async () => {
        const { path } = await pathOf('large.mp4')
        const response = await fetch(addresses['large.mp4'] ?? '')
        const reader = (response.body as ReadableStream<Uint8Array>).getReader()
        await reader.read()
        await truncate(path, 1000)
        const rest = async () => {
          for (;;) if ((await reader.read()).done) return
        }
        await expect(rest()).rejects.toThrow()
      },
    )
  })
})
