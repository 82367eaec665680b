import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DownloadFixture, openDownloadFixture, watch } from './downloads.fixture.ts'
import { type HostileServer, startHostileServer } from './hostile-server.fixture.ts'

// Large enough that holding one in memory would be visible beside garbage.
const chunkBytes = 2 ** 27
// A whole chunk and a small one.
const size = chunkBytes + 2 ** 20
let fixture: DownloadFixture
let server: HostileServer
beforeAll(async () => {
  fixture = await openDownloadFixture()
  const files = (['honest', 'no-ranges'] as const).map((manner) => ({ size, manner }))
  server = await startHostileServer({ seed: 3, files, chunkFailures: 0 })
})
afterAll(async () => {
  await server.close()
  await fixture.close()
})

test('129 MiB take no more memory than part of a chunk, in chunks and as a whole', async () => {
  const rules = { ...fixture.rules, chunkBytes, maximumBytes: size, windowMs: 10_000 }
  for (const n of [0, 1]) {
    const id = `large-${n}`
    const before = inUse()
    const { end } = watch({ ...fixture, rules }, id, server.fileUrl(n))
    let running = true
    let most = 0
    void end.finally(() => (running = false)).catch(() => {})
    while (running) {
      await sleep(5)
      most = Math.max(most, inUse() - before)
    }
    expect((await end).bytes).toBe(size)
    expect(most).toBeLessThan(chunkBytes / 2)
    await fixture.spool.remove(id)
  }
})

/** Of this thread: other tests run in parallel. */
function inUse(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
