import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { sampleFiles, serveFiles } from '../media.fixture.ts'

let service: TestService
let web: Awaited<ReturnType<typeof serveFiles>>
let files: Awaited<ReturnType<typeof sampleFiles>>
const addresses: { [name: string]: string } = {}
beforeAll(async () => {
  files = await sampleFiles()
  web = await serveFiles(files)
  service = await startTestService({ environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' } })
  for (const name of ['film.mp4', 'paper.pdf']) {
    const { Id } = (
      await service.admin('POST /upload', { body: { source: `${web.url}/${name}`, name: `Ünïcode "${name}"` } })
    ).json.Upload
    const mediaId = async () => (await service.admin(`GET /upload/${Id}`)).json.Upload.MediaId
    while ((await mediaId()) === null) await new Promise((resolve) => setTimeout(resolve, 50))
    addresses[name] = (await service.admin(`GET /media/${await mediaId()}`)).json.Media.Resource
  }
})
afterAll(async () => {
  await service.stop()
  await web.close()
})

const ask = async (name: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(addresses[name] ?? '', { method, headers })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

test('a file is given out whole, without credentials, and never as something that could act', async () => {
  const { status, headers, bytes } = await ask('film.mp4')
  expect([status, bytes.equals(files['film.mp4'])]).toEqual([200, true])
  expect(headers.get('content-type')).toBe('video/mp4')
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-disposition')).toBe(`inline; filename*=UTF-8''%C3%9Cn%C3%AFcode%20%22film.mp4%22`)
  expect(headers.get('cache-control')).toContain('immutable')
  expect((await ask('paper.pdf')).headers.get('content-disposition')).toMatch(/^attachment/)
})

test.each([
  ['bytes=0-9', 0, 10],
  ['bytes=10-', 10, undefined],
  ['bytes=-7', -7, undefined],
  ['bytes=5-99999999', 5, undefined],
])('the range %s is exact', async (range, from, to) => {
  const { status, headers, bytes } = await ask('film.mp4', { range })
  const expected = files['film.mp4'].subarray(from, to)
  expect(status).toBe(206)
  expect(bytes.equals(expected)).toBe(true)
  const start = from < 0 ? files['film.mp4'].length + from : from
  expect(headers.get('content-range')).toBe(`bytes ${start}-${start + expected.length - 1}/${files['film.mp4'].length}`)
})

test('ranges beyond the end are refused, several at once are answered with everything', async () => {
  const size = files['film.mp4'].length
  for (const range of [`bytes=${size}-`, 'bytes=9-3', 'bytes=-0']) {
    const { status, headers } = await ask('film.mp4', { range })
    expect([range, status, headers.get('content-range')]).toEqual([range, 416, `bytes */${size}`])
  }
  expect((await ask('film.mp4', { range: 'bytes=0-1,3-4' })).status).toBe(200)
})

test('who has it already is told so; HEAD tells the size alone', async () => {
  const etag = (await ask('film.mp4')).headers.get('etag') ?? ''
  expect((await ask('film.mp4', { 'if-none-match': etag })).status).toBe(304)
  expect((await ask('film.mp4', { range: 'bytes=0-1', 'if-range': '"another"' })).status).toBe(200)
  expect((await ask('film.mp4', { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
  const { status, headers, bytes } = await ask('film.mp4', {}, 'HEAD')
  expect([status, bytes.length, headers.get('content-length')]).toEqual([200, 0, String(files['film.mp4'].length)])
})

test('an address that is not exactly the one that was given leads nowhere', async () => {
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
