import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, receiveHttp } from '#kernel/outbound/receivers.fixture.ts'
import { type DownloadFixture, openDownloadFixture } from './downloads.fixture.ts'
import { requestHead } from './source-head.ts'

let fixture: DownloadFixture
const receivers: Receiver[] = []
beforeAll(async () => {
  fixture = await openDownloadFixture()
})
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop()
  await fixture.close()
})

test('HEAD returns size, version, type and name', async () => {
  const headers = { 'content-length': '10', etag: '"a"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }
  const source = await served((_request, response) => response.writeHead(200, headers).end())
  expect(await requestHead(fixture, `${source}/film.mp4?size=1`)).toEqual({
    totalSize: 10,
    etag: '"a"',
    lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
    name: 'film.mp4',
    mimeType: 'video/mp4',
    acceptsRanges: true,
  })
})

test('a server without HEAD, or without a size, is asked for one byte', async () => {
  for (const status of [405, 501, 403, 200]) {
    const methods: string[] = []
    const source = await served(({ method, headers }, response) => {
      methods.push(`${method} ${headers.range ?? ''}`)
      if (method === 'HEAD') return response.writeHead(status, { 'transfer-encoding': 'chunked' }).end()
      return response.writeHead(206, { 'content-range': 'bytes 0-0/99', 'content-type': 'image/jpg' }).end('a')
    })
    const head = await requestHead(fixture, `${source}/a`)
    expect(head).toMatchObject({ totalSize: 99, mimeType: 'image/jpeg', name: 'a', acceptsRanges: true })
    expect(methods).toEqual(['HEAD ', 'GET bytes=0-0'])
  }
})

test('a server that answers with everything is abandoned at once', async () => {
  let closed = 0
  const source = await served(({ method }, response) => {
    if (method === 'HEAD') return response.writeHead(405).end()
    response.writeHead(200, { 'content-length': 900_000 }).write('a')
    return response.once('close', () => (closed += 1))
  })
  expect(await requestHead(fixture, source)).toMatchObject({ totalSize: 900_000, acceptsRanges: false })
  await expect.poll(() => closed).toBe(1)
})

test('a URL that is no file is rejected with a message', async () => {
  const cases: [RequestListener, string, boolean][] = [
    [answers(404), 'The server answered 404: the file is not there.', true],
    [answers(403), 'The server answered 403: the file is not public.', true],
    [answers(503), 'The server answered 503: it is out of order at the moment.', false],
    [answers(429), 'The server answered 429: it is asked for too much at the moment.', false],
    [answers(418), 'The server answered 418 instead of sending the file.', true],
    [answers(200, { 'content-length': '5', 'content-type': 'text/html' }), expect.stringContaining('a web page'), true],
    [answers(200, { 'content-length': '5', 'content-encoding': 'gzip' }), expect.stringContaining('compressed'), true],
    [answers(200, { 'content-length': '1048577' }), expect.stringContaining('larger than 1 MiB'), true],
    [answers(200, { 'content-length': '0' }), 'The file is empty.', true],
    [answers(200, { 'transfer-encoding': 'chunked' }), 'The server does not say how large the file is.', true],
    [answers(302, { location: '/' }), expect.stringContaining('redirects again after 3 redirects'), true],
    [answers(302, { location: 'http://10.0.0.1/' }), expect.stringContaining('not reached at a public address'), true],
    [({ socket }) => socket.destroy(), expect.stringContaining('closed the connection'), false],
  ]
  for (const [respond, message, permanent] of cases) {
    const head = requestHead(fixture, await served(respond))
    await expect(head).rejects.toMatchObject({ name: 'DownloadFailed', message, permanent })
  }
})

test('an unresponsive server times out', async () => {
  const silent = await served(() => {})
  const head = requestHead(fixture, silent, { timeoutMs: 100 })
  await expect(head).rejects.toMatchObject({ name: 'DownloadFailed', permanent: false })
})

const answers =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end()

async function served(respond: RequestListener): Promise<string> {
  const receiver = await receiveHttp(respond)
  receivers.push(receiver)
  return receiver.url
}
