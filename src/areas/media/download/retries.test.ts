import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, receiveHttp } from '#kernel/outbound/receivers.fixture.ts'
import { chunkBytes, type DownloadFixture, openDownloadFixture, watch } from './downloads.fixture.ts'
import type { HostileFile } from './hostile-files.fixture.ts'
import { type HostileServer, startHostileServer } from './hostile-server.fixture.ts'
import type { SourceHead } from './source-head.ts'

const size = 10 * chunkBytes + 1_234
let fixture: DownloadFixture
const running: (HostileServer | { close: Receiver['stop'] })[] = []
beforeAll(async () => {
  fixture = await openDownloadFixture()
})
afterAll(async () => {
  for (const server of running) await server.close()
  await fixture.close()
})

test('an interrupted download resumes, with at most one chunk fetched again', async () => {
  const server = await serve({ manner: 'honest' })
  const url = server.fileUrl(0)
  let known: SourceHead | undefined
  let stops = 0
  for (let whole = false; !whole; ) {
    const stop = new AbortController()
    const { progress, end } = watch(fixture, 'stopped', url, known, stop.signal)
    const timer = setTimeout(() => stop.abort(new Error('stop')), 1 + Math.random() * 10 * (stops + 1))
    const failure = await end.then(
      () => undefined,
      (error: Error) => error.message,
    )
    clearTimeout(timer)
    whole = failure === undefined
    known = progress.at(-1)?.head ?? known
    if (whole) continue
    expect(failure).toBe('stop')
    stops += 1
    for (const { downloaded } of progress) expect(downloaded % chunkBytes).toBe(0)
    // A killed process may also leave a partial chunk.
    const at = await fixture.spool.size('stopped')
    if (at % chunkBytes === 0) await fixture.spool.append('stopped', at, piece(), size)
  }
  expect(await fixture.spool.digest('stopped')).toBe(server.sha256(0))
  const again = [...server.requests(0).values()].reduce((sum, { times }) => sum + times - 1, 0)
  expect(again).toBeLessThanOrEqual(stops)
  expect(stops).toBeGreaterThan(0)
})

test('bytes of another version are not resumed', async () => {
  const server = await serve({ manner: 'honest' })
  const stale = { totalSize: size, etag: '"older"', acceptsRanges: true }
  const heads = [stale, { ...stale, etag: undefined }, { ...stale, totalSize: size + 1 }, undefined]
  for (const [index, known] of heads.entries()) {
    const id = `stale-${index}`
    await fixture.spool.append(id, 0, zeros(), size)
    await watch(fixture, id, server.fileUrl(0), known).end
    expect(await fixture.spool.digest(id)).toBe(server.sha256(0))
  }
})

test('a seemingly complete file is confirmed by its last chunk', async () => {
  const server = await serve({ manner: 'honest', size: 4 * chunkBytes })
  const { progress, end } = watch(fixture, 'complete', server.fileUrl(0))
  await end
  await watch(fixture, 'complete', server.fileUrl(0), progress.at(-1)?.head).end
  expect([...server.requests(0).values()].map(({ times }) => times)).toEqual([1, 1, 1, 2])
})

test('a chunk is tried six times with increasing delays, then fails with a message', async () => {
  const server = await serve({ manner: 'honest', failures: 1, faults: ['error'] })
  const { waits, rules } = patient()
  const failure = { name: 'DownloadFailed', permanent: false, message: expect.stringMatching(/^The server answered/) }
  await expect(watch({ ...fixture, rules }, 'tried', server.fileUrl(0)).end).rejects.toMatchObject(failure)
  expect(server.requests(0).get(`0-${chunkBytes - 1}`)?.times).toBe(6)
  expect(waits).toHaveLength(5)
  for (const [index, usual] of [500, 1_000, 2_000, 4_000, 8_000].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(usual * 0.75)
    expect(waits[index]).toBeLessThanOrEqual(usual * 1.25)
  }
})

test('a Retry-After is respected, up to a minute', async () => {
  const retryAfter = ['20', 'Thu, 01 Jan 2026 00:00:30 GMT', '86400', 'soon']
  const busy = await receiveHttp(({ method }, response) => {
    const wait = method === 'GET' ? retryAfter.shift() : undefined
    if (wait !== undefined) return response.writeHead(503, { 'retry-after': wait }).end()
    return response.writeHead(200, { 'content-length': 2 }).end(method === 'GET' ? 'ok' : undefined)
  })
  running.push({ close: busy.stop })
  const { waits, rules } = patient()
  const clock = { now: () => new Date('2026-01-01T00:00:00Z') }
  expect((await watch({ ...fixture, clock, rules }, 'busy', busy.url).end).bytes).toBe(2)
  expect(waits.slice(0, 3)).toEqual([20_000, 30_000, 60_000])
  expect(waits[3]).toBeLessThanOrEqual(5_000)
})

test('a slow server is abandoned and retried', async () => {
  const dripping = await serve({ manner: 'honest', failures: 1, faults: ['drip'] })
  const rules = { ...fixture.rules, windowMs: 50, slowestBytesPerSecond: 1_024 }
  const failure = { name: 'DownloadFailed', permanent: false, message: expect.stringContaining('too slowly') }
  await expect(watch({ ...fixture, rules }, 'drip', dripping.fileUrl(0)).end).rejects.toMatchObject(failure)
  // Not every attempt need have reached the server: the machine may be slow too.
  expect(dripping.requests(0).get(`0-${chunkBytes - 1}`)?.times).toBeGreaterThan(1)
})

test('an unusable response is not read', async () => {
  const chatty = await receiveHttp(({ method }, response) => {
    if (method === 'HEAD') return response.writeHead(200, { 'content-length': 9 }).end()
    return response.writeHead(503).write('And another thing:')
  })
  running.push({ close: chatty.stop })
  await expect(watch(fixture, 'talking', chatty.url).end).rejects.toMatchObject({ name: 'DownloadFailed' })
  await expect.poll(() => chatty.open.size).toBe(0)
})

test('a chunk of a file that is too large is not stored', async () => {
  const large = await receiveHttp(({ method }, response) => {
    if (method === 'HEAD') return response.writeHead(200, { 'content-length': size }).end()
    const range = `bytes 0-${chunkBytes - 1}/${2 ** 40}`
    return response.writeHead(206, { 'content-range': range }).end(Buffer.alloc(chunkBytes))
  })
  running.push({ close: large.stop })
  const { end, progress } = watch(fixture, 'large', large.url)
  await expect(end).rejects.toMatchObject({ permanent: true, message: expect.stringContaining('larger than 1 MiB') })
  expect(progress).toEqual([])
})

function patient() {
  const waits: number[] = []
  const wait = async (milliseconds: number) => void waits.push(milliseconds)
  return { waits, rules: { ...fixture.rules, wait } }
}

async function serve(file: Partial<HostileFile> & Pick<HostileFile, 'manner'>): Promise<HostileServer> {
  const server = await startHostileServer({ seed: 11, files: [{ size, ...file }], chunkFailures: 0 })
  running.push(server)
  return server
}

async function* piece() {
  yield Buffer.alloc(1_000)
}

async function* zeros() {
  yield Buffer.alloc(2 * chunkBytes)
}
