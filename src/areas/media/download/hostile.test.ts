import { afterAll, beforeAll, expect, test } from 'vitest'
import { deep } from '../../../../tests/support/randomness.ts'
import { DownloadFailed } from './download-rules.ts'
import { chunkBytes, type DownloadFixture, openDownloadFixture, watch } from './downloads.fixture.ts'
import { type HostileServer, startHostileServer } from './hostile-server.fixture.ts'

const seed = 20_260_915
// Two of every kind, or three.
const count = deep(28, 42)
let fixture: DownloadFixture
let server: HostileServer

beforeAll(async () => {
  const opened = await openDownloadFixture()
  // Long enough that a busy machine isn't mistaken for a slow server.
  fixture = { ...opened, rules: { ...opened.rules, windowMs: 2_500 } }
  server = await startHostileServer({ seed, files: count, chunkFailures: 0.3, largest: 12 * chunkBytes })
})
afterAll(async () => {
  await server.close()
  await fixture.close()
})

test(`${count} files of a hostile server are right to the last byte, or failed with a message (seed ${seed})`, async () => {
  const ends = await Promise.all(server.files.map((_, n) => fetched(n)))
  const wrong = ends.filter(({ n, sha256 }) => sha256 !== undefined && sha256 !== server.sha256(n))
  expect(wrong).toEqual([])
  for (const { failure } of ends) expect(failure ?? 'It was fetched.').toMatch(/^[A-Z1].{10,}\.$/)
  const failed = ends.filter(({ failure }) => failure !== undefined)
  const hopeless = ['restless', 'gzip', 'redirect-loop', 'endless', 'missing']
  const unexpected = failed.filter(({ n }) => !hopeless.includes(server.files[n]?.manner ?? ''))
  // Six consecutive failures at a rate of three in ten: about one file in a hundred.
  expect(unexpected.length).toBeLessThan(4)
  expect(ends.length - failed.length).toBeGreaterThan(count / 2)
}, 120_000)

async function fetched(n: number): Promise<{ n: number; sha256?: string; failure?: string }> {
  const id = `hostile-${n}`
  try {
    const { bytes } = await watch(fixture, id, server.fileUrl(n)).end
    expect(bytes).toBe(server.files[n]?.size)
    return { n, sha256: await fixture.spool.digest(id) }
  } catch (error) {
    if (!(error instanceof DownloadFailed)) throw error
    return { n, failure: error.message }
  }
}
