import type { RequestListener, ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, receiveHttp } from '#kernel/outbound/receivers.fixture.ts'
import { chunkBytes, type DownloadFixture, openDownloadFixture, watch } from './downloads.fixture.ts'

let fixture: DownloadFixture
const receivers: Receiver[] = []
beforeAll(async () => {
  fixture = await openDownloadFixture()
})
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop()
  await fixture.close()
})

test('a response without a size counts if its end is explicit and HEAD promised no more', async () => {
  const marked = (bytes: number) => (response: ServerResponse) => response.writeHead(200).end(Buffer.alloc(bytes))
  expect((await fetched('marked', marked(1_000))).bytes).toBe(1_000)
  const { bytes, head } = await fetched('more', marked(1_500))
  expect([bytes, head.totalSize]).toEqual([1_500, 1_500])
  await expect(fetched('less', marked(999))).rejects.toMatchObject(cutShort)
  expect(await fixture.spool.size('less')).toBe(0)
})

test('a response that ends with its connection counts only with the size HEAD promised', async () => {
  const unmarked = (bytes: number) => (response: ServerResponse) => {
    response.useChunkedEncodingByDefault = false
    response.shouldKeepAlive = false
    response.removeHeader('transfer-encoding')
    response.writeHead(200, { connection: 'close' }).end(Buffer.alloc(bytes))
  }
  expect((await fetched('promised', unmarked(1_000))).bytes).toBe(1_000)
  await expect(fetched('longer', unmarked(1_001))).rejects.toMatchObject(cutShort)
  await expect(fetched('shorter', unmarked(999))).rejects.toMatchObject(cutShort)
})

test('the rest of a file larger than promised is fetched in chunks', async () => {
  const file = Buffer.alloc(5 * chunkBytes, 'file')
  const ranges: (string | undefined)[] = []
  const url = await served(({ method, headers }, response) => {
    if (method === 'HEAD') return response.writeHead(200, { 'content-length': 9 }).end()
    ranges.push(headers.range && `${headers.range} of ${headers['if-range']}`)
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    if (first === undefined) {
      response.writeHead(200, { 'content-length': file.length, etag: '"a"' }).write(file.subarray(0, 2.5 * chunkBytes))
      return setTimeout(() => response.destroy(), 200)
    }
    const [start, end] = [Number(first), Number(last)]
    const responseHeaders = { 'content-range': `bytes ${start}-${end}/${file.length}`, etag: '"a"' }
    return response.writeHead(206, responseHeaders).end(file.subarray(start, end + 1))
  })
  expect((await watch(fixture, 'rest', url).end).bytes).toBe(file.length)
  // How much of the first response arrived depends on the machine; never more than two chunks.
  const parts = [0, 1, 2, 3, 4].map((part) => `bytes=${part * chunkBytes}-${(part + 1) * chunkBytes - 1} of "a"`)
  expect(ranges.length).toBeGreaterThanOrEqual(4)
  expect(ranges).toEqual([undefined, ...parts.slice(1 - ranges.length)])
})

const cutShort = { name: 'DownloadFailed', message: expect.stringContaining('stopped in the middle'), permanent: false }

async function fetched(id: string, get: (response: ServerResponse) => unknown) {
  const url = await served(({ method }, response) =>
    method === 'HEAD' ? response.writeHead(200, { 'content-length': 1_000 }).end() : get(response),
  )
  return watch(fixture, id, url).end
}

async function served(respond: (...exchange: Parameters<RequestListener>) => unknown): Promise<string> {
  const receiver = await receiveHttp((request, response) => void respond(request, response))
  receivers.push(receiver)
  return receiver.url
}
