import { afterAll, beforeAll, expect, test } from 'vitest'
import { download } from './download.ts'
import { chunkBytes, type DownloadFixture, openDownloadFixture, watch } from './downloads.fixture.ts'
import type { HostileFile } from './hostile-files.fixture.ts'
import { type HostileServer, startHostileServer } from './hostile-server.fixture.ts'

const size = 10 * chunkBytes + 1_234
let fixture: DownloadFixture
let ids = 0
const servers: HostileServer[] = []
beforeAll(async () => {
  fixture = await openDownloadFixture()
})
afterAll(async () => {
  for (const server of servers) await server.close()
  await fixture.close()
})

test('a large file is downloaded in chunks, each reported when stored', async () => {
  const { server, url, id } = await serve({ manner: 'honest' })
  const { end, progress } = watch(fixture, id, url)
  const { bytes, head } = await end
  expect([bytes, await fixture.spool.digest(id)]).toEqual([size, server.sha256(0)])
  expect(head).toMatchObject({ totalSize: size, etag: '"0-0"', mimeType: 'image/png', name: 'file-0.png' })
  expect(progress.map(({ downloaded }) => downloaded)).toEqual([...wholeParts(10), size])
  expect(server.requests(0).size).toBe(11)
})

test('a small file takes one response, a file of whole chunks no empty one', async () => {
  const small = await serve({ manner: 'honest', size: chunkBytes })
  await watch(fixture, small.id, small.url).end
  expect([...small.server.requests(0).keys()]).toEqual(['whole'])
  const round = await serve({ manner: 'honest', size: 3 * chunkBytes })
  expect((await watch(fixture, round.id, round.url).end).bytes).toBe(3 * chunkBytes)
  expect(round.server.requests(0).size).toBe(3)
})

test('a wrong size from HEAD is corrected by the download', async () => {
  for (const manner of ['head-small', 'head-large', 'head-empty', 'no-head', 'unmeasured'] as const) {
    for (const size of [1, chunkBytes - 1, 5 * chunkBytes + 7]) {
      const { server, url, id } = await serve({ manner, size })
      const { bytes, head } = await watch(fixture, id, url).end
      expect([bytes, head.totalSize, await fixture.spool.digest(id)], manner).toEqual([size, size, server.sha256(0)])
    }
  }
})

test('a server without ranges sends the whole file, reported by chunk and restarted after a failure', async () => {
  const { server, url, id } = await serve({ manner: 'no-ranges', failures: 0.4, faults: ['reset'] })
  const { end, progress } = watch(fixture, id, url)
  expect((await end).head.acceptsRanges).toBe(false)
  expect(await fixture.spool.digest(id)).toBe(server.sha256(0))
  expect(progress.map(({ downloaded }) => downloaded).slice(-11)).toEqual([...wholeParts(10), size])
  const again = watch(fixture, id, url, { totalSize: size, etag: '"0-0"', acceptsRanges: false })
  expect((await again.end).bytes).toBe(size)
})

test('any wrong chunk is fetched again, and reported only when correct', async () => {
  const faults = ['short', 'long', 'wrong-range', 'reset', 'error'] as const
  for (const fault of faults) {
    const { server, url, id } = await serve({ manner: 'honest', failures: 0.3, faults: [fault] })
    const { end, progress } = watch(fixture, id, url)
    await end
    expect(progress.map(({ downloaded }) => downloaded)).toEqual([...wholeParts(10), size])
    expect(await fixture.spool.digest(id), fault).toBe(server.sha256(0))
    const served = [...server.requests(0).values()]
    expect(served.every(({ times }) => times === 1)).toBe(false)
    expect(served.map((asked) => asked.served)).toEqual(Array(11).fill(1))
  }
})

test('a changed file is fetched again, one that keeps changing fails', async () => {
  const changing = await serve({ manner: 'changing' })
  await watch(fixture, changing.id, changing.url).end
  expect(await fixture.spool.digest(changing.id)).toBe(changing.server.sha256(0))
  expect(changing.server.requests(0).get(`0-${chunkBytes - 1}`)?.times).toBe(2)
  const changingFile = await serve({ manner: 'restless' })
  const failure = { name: 'DownloadFailed', message: expect.stringContaining('changed'), permanent: false }
  await expect(watch(fixture, changingFile.id, changingFile.url).end).rejects.toMatchObject(failure)
  expect(changingFile.server.requests(0).get(`0-${chunkBytes - 1}`)?.times).toBe(4)
})

test('a server that stops supporting ranges is asked for the whole file', async () => {
  const { server, url, id } = await serve({ manner: 'honest' })
  const head = await stoppedAt(2, id, url)
  const { server: forgetful, ...other } = await serve({ manner: 'honest', failures: 1, faults: ['whole'] })
  expect((await watch(fixture, id, other.url, head).end).bytes).toBe(size)
  expect(await fixture.spool.digest(id)).toBe(server.sha256(0))
  expect(forgetful.requests(0).get('whole')?.times).toBe(1)
})

test('an endless file ends at the maximum', async () => {
  const { server, url, id } = await serve({ manner: 'endless' })
  const failure = { name: 'DownloadFailed', permanent: true, message: expect.stringContaining('larger than 1 MiB') }
  await expect(watch(fixture, id, url).end).rejects.toMatchObject(failure)
  expect(await fixture.spool.size(id)).toBeLessThanOrEqual(2 ** 20)
  expect(server.requests(0).get('whole')?.times).toBe(1)
})

test('the progress callback can end the download', async () => {
  for (const manner of ['honest', 'no-ranges'] as const) {
    const { server, url, id } = await serve({ manner })
    const enough = new Error('The day is used up.')
    const onChunk = async (downloaded: number) => {
      if (downloaded >= 3 * chunkBytes) throw enough
    }
    await expect(download(fixture, { id, url }, onChunk, new AbortController().signal)).rejects.toBe(enough)
    expect(await fixture.spool.size(id)).toBe(3 * chunkBytes)
    expect(server.requests(0).size).toBe(manner === 'honest' ? 3 : 1)
  }
})

test('a full disk is detected before any request', async () => {
  const { server, url, id } = await serve({ manner: 'honest' })
  const rules = { ...fixture.rules, spareBytes: 1_000 }
  const spool = { ...fixture.spool, free: async () => chunkBytes + 1_000 }
  const failure = { name: 'DownloadFailed', permanent: false, message: expect.stringContaining('disk of the service') }
  await expect(watch({ ...fixture, spool, rules }, id, url).end).rejects.toMatchObject(failure)
  expect(server.requests(0).size).toBe(0)
  const noRoom = new Error('The file could not be written.', { cause: { code: 'ENOSPC' } })
  const full = { ...fixture.spool, append: () => Promise.reject(noRoom) }
  await expect(watch({ ...fixture, spool: full }, id, url).end).rejects.toMatchObject(failure)
})

async function serve(file: Partial<HostileFile> & Pick<HostileFile, 'manner'>) {
  const server = await startHostileServer({ seed: 9, files: [{ size, ...file }], chunkFailures: 0 })
  servers.push(server)
  ids += 1
  return { server, url: server.fileUrl(0), id: `download-${ids}` }
}

/** Fetches this many chunks and returns the progress. */
async function stoppedAt(parts: number, id: string, url: string) {
  const stop = new AbortController()
  const { progress, end } = watch(fixture, id, url, undefined, stop.signal)
  await expect.poll(() => progress.length, { interval: 1 }).toBeGreaterThanOrEqual(parts)
  stop.abort()
  await end.catch(() => {})
  return progress.at(-1)?.head
}

const wholeParts = (count: number) => Array.from({ length: count }, (_, index) => (index + 1) * chunkBytes)
