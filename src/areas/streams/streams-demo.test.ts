import { afterAll, beforeAll, expect, test } from 'vitest'
import { testSandbox } from '../../../sandbox/sandbox.fixture.ts'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let service: TestService
beforeAll(async () => {
  sandbox = await testSandbox({ history: true })
  const environment = { CHORUS_DEMO: '1', CHORUS_SANDBOX_PORT: new URL(sandbox.url).port }
  service = await startTestService({ environment })
})
afterAll(async () => {
  await service.stop()
  await sandbox.close()
})

test('the demo has two tabs with eight streams, and each has content', async () => {
  const tabs = (await service.reader('GET /stream-tab')).json.Items
  expect(tabs.length).toBe(2)
  const streams = (await service.reader('GET /stream')).json.Items
  for (const { Id } of tabs)
    expect(streams.filter(({ StreamTabId }: { StreamTabId: string }) => StreamTabId === Id).length).toBe(4)
  for (const { Id, Type } of streams) {
    const items = async () => (await service.reader(`GET /app/api/stream/${Id}/items`)).json.Items
    await expect.poll(async () => (await items()).length, { message: Type }).toBeGreaterThan(1)
    for (const { Text, Person, At } of await items()) expect([Text, Person.Id, At]).not.toContain('')
  }
})
