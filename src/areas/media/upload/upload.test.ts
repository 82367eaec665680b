import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { sampleFiles, serveFiles } from '../media.fixture.ts'

let service: TestService
let web: Awaited<ReturnType<typeof serveFiles>>
let files: Awaited<ReturnType<typeof sampleFiles>>
beforeAll(async () => {
  files = await sampleFiles()
  web = await serveFiles({
    ...files,
    file: files['photo.jpg'],
    'odd.bin': files['photo.jpg'],
    'false.png': files['photo.jpg'],
  })
  service = await startTestService({
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_ROLES: 'api,worker' },
  })
})
afterAll(async () => {
  await service.stop()
  await web.close()
})

const send = (source: string, more: object = {}) => service.publisher('POST /upload', { body: { source, ...more } })

/** Polls until the upload is no longer pending. */
async function ended(id: string) {
  const read = async () => (await service.reader(`GET /upload/${id}`)).json.Upload
  await expect.poll(async () => (await read()).Status, { interval: 150 }).not.toBe('pending')
  return read()
}

test.each([
  ['photo.jpg', 'Image', 'image/jpeg'],
  ['logo.png', 'Image', 'image/png'],
  ['film.mp4', 'Video', 'video/mp4'],
  ['paper.pdf', 'PDF', 'application/pdf'],
] as const)('%s becomes an asset of type %s', async (name, type, mime) => {
  const source = `${web.url}/${name}`
  const { status, json } = await send(source)
  expect(status, JSON.stringify(json)).toBe(200)
  expect(json.Upload).toEqual({
    Id: expect.stringMatching(/^0up\w{12}$/),
    Created: expect.any(String),
    Modified: expect.any(String),
    CreatedBy: '00Ademo00000002',
    Status: 'pending',
    Name: name,
    MimeType: mime,
    TotalSize: files[name].length,
    Downloaded: 0,
    Source: source,
    LastError: null,
    Attempts: 0,
    MediaId: null,
  })
  const done = await ended(json.Upload.Id)
  expect(done).toMatchObject({ Status: 'complete', Downloaded: files[name].length, LastError: null })
  const { Media } = (await service.reader(`GET /media/${done.MediaId}`)).json
  expect(Media).toMatchObject({ Type: type, Name: name, Size: files[name].length, CreatedBy: '00Ademo00000002' })
  const served = await fetch(Media.Resource)
  expect(served.headers.get('content-type')).toBe(mime)
  expect(Buffer.from(await served.arrayBuffer()).equals(files[name])).toBe(true)
})

test('name and type can be given, and must be if the source does not provide them', async () => {
  const given = await send(`${web.url}/photo.jpg`, { name: 'Beach', mimeType: 'image/jpg' })
  expect(given.json.Upload).toMatchObject({ Name: 'Beach', MimeType: 'image/jpeg' })
  const unnamed = await send(`${web.url}/odd.bin`)
  expect([unnamed.status, unnamed.json.Errors.API.Error]).toEqual([400, expect.stringContaining('mimeType')])
  expect((await send(`${web.url}/odd.bin`, { mimeType: 'image/tiff' })).status).toBe(400)
  expect((await ended((await send(`${web.url}/odd.bin`, { mimeType: 'image/jpeg' })).json.Upload.Id)).Status).toBe(
    'complete',
  )
})

test('a file of another type than given fails with a message', async () => {
  const failed = await ended((await send(`${web.url}/false.png`)).json.Upload.Id)
  expect(failed).toMatchObject({
    Status: 'failed',
    MediaId: null,
    LastError: expect.stringContaining('a JPEG image, not image/png'),
  })
  const page = await ended(
    (await send(`${web.url}/page.html`, { mimeType: 'image/png', name: 'x.png' })).json.Upload.Id,
  )
  expect(page).toMatchObject({ Status: 'failed', LastError: expect.stringMatching(/^[A-Z].*\.$/) })
})

test('unusable sources are rejected at once', async () => {
  for (const source of [
    `${web.url}/nothing.png`,
    'http://169.254.169.254/x.png',
    'ftp://example.com/x.png',
    'nonsense',
  ]) {
    const { status, json } = await send(source, { mimeType: 'image/png' })
    expect([status, json.Errors.API.Error], source).toEqual([400, expect.stringContaining('source')])
  }
})

test('uploads are listed by status and source', async () => {
  const source = `${web.url}/photo.jpg`
  const list = async (query: string) => (await service.reader('GET /upload', { query })).json
  const complete = await list('status=complete&_count=100')
  expect(complete.Items.length).toBe(complete.Total)
  expect(complete.Items.every(({ Status }: { Status: string }) => Status === 'complete')).toBe(true)
  const same = await list(`source=${encodeURIComponent(source)}`)
  expect(same.Total).toBeGreaterThan(0)
  expect(same.Items.every(({ Source }: { Source: string }) => Source === source)).toBe(true)
  expect((await service.reader('GET /upload', { query: 'status=done' })).status).toBe(400)
})

test('32 GiB a day are enforced, also for fifty concurrent requests, and 8 GiB a file', async () => {
  // A server that announces a gigabyte and never delivers.
  const server = createServer((request, response) => {
    const size = request.url?.includes('huge') ? 9 * 1024 ** 3 : 1024 ** 3
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': size, 'accept-ranges': 'bytes' })
    if (request.method === 'HEAD') response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const huge = await service.otherAdmin('POST /upload', { body: { source: `${url}/huge.mp4` } })
  expect([huge.status, huge.json.Errors.API.Error]).toEqual([400, expect.stringContaining('8 GiB')])
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, n) => service.otherAdmin('POST /upload', { body: { source: `${url}/${n}.mp4` } })),
  )
  expect(all.filter(({ status }) => status === 200).length).toBe(32)
  const refused = all.filter(({ status }) => status === 429)
  expect(refused.length).toBe(18)
  expect(refused[0]?.json.Errors.API.Error).toContain('32 GiB')
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(80_000)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
