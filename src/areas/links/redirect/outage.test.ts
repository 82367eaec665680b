import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { demoDatabase } from '../../../../tests/support/database/database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../../../tests/support/database/database-proxy.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { browser, insertLink, intakeOf, visit } from './links.fixture.ts'

let home: Awaited<ReturnType<typeof demoDatabase>>
let proxy: DatabaseProxy
let service: TestService
beforeAll(async () => {
  home = await demoDatabase(systemClock)
  proxy = await openDatabaseProxy(home.url)
  service = await startTestService({ databaseUrl: proxy.url, environment: { CHORUS_ROLES: 'links' } })
})
afterAll(async () => {
  await service.stop()
  proxy.close()
  await home.drop()
})

const metric = async (name: string) => {
  const { body } = await visit(`${service.url}/metrics`)
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1])
}

test('during a database outage visitors are redirected from memory, and clicks are stored afterwards', async () => {
  const link = await insertLink(home.url, { hash: 'Outage01', longUrl: 'https://example.com/' })
  expect((await visit(`${service.url}/l/Outage01`)).status).toBe(302)
  proxy.cut()
  const shown = await visit(`${service.url}/l/Outage01`, { headers: { 'user-agent': `${browser} away` } })
  expect([shown.status, shown.headers.location]).toEqual([302, 'https://example.com/'])
  expect(await metric('clicks_answered_early_total')).toBe(1)
  expect(await metric('clicks_waiting')).toBe(1)
  const unknown = await visit(`${service.url}/l/NotKnown`)
  expect([unknown.status, unknown.headers['retry-after']]).toEqual([503, '5'])

  proxy.restore()
  await expect.poll(() => metric('clicks_waiting')).toBe(0)
  expect(await metric('clicks_uncounted_total')).toBe(0)
  const clicks = await intakeOf(home.url, link)
  expect(clicks.map((click) => click.userAgent)).toEqual([browser, `${browser} away`])
})

for (const when of ['before', 'after'] as const) {
  test(`a connection that breaks ${when} the database has written a click: it is there once`, async () => {
    const hash = when === 'before' ? 'Broken01' : 'Broken02'
    const link = await insertLink(home.url, { hash, longUrl: 'https://example.com/' })
    await visit(`${service.url}/l/${hash}`)
    const broken = proxy.breakOnce(`torn ${when}`, when)
    const shown = await visit(`${service.url}/l/${hash}`, { headers: { 'user-agent': `${browser} torn ${when}` } })
    await broken
    expect(shown.status).toBe(302)
    await visit(`${service.url}/l/${hash}`, { headers: { 'user-agent': `${browser} next` } })
    await expect.poll(() => metric('clicks_waiting')).toBe(0)
    const clicks = await intakeOf(home.url, link)
    expect(clicks.filter((click) => click.userAgent.endsWith(`torn ${when}`)).length).toBe(1)
    expect(clicks.length).toBe(3)
    expect(await metric('clicks_uncounted_total')).toBe(0)
  })
}
