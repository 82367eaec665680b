import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { demoDatabase } from '../support/database/database.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { sharedProgram } from '../support/shared-browser.ts'

let url = ''
beforeAll(async () => {
  url = (await sharedProgram()).url
})

const asBrowser = { accept: 'text/html,application/xhtml+xml' }
const get = (path: string, headers: Record<string, string> = asBrowser) =>
  fetch(url + path, { headers, redirect: 'manual' })

test('the root URL redirects to the console, whose page is served at every console URL', async () => {
  const root = await get('/')
  expect([root.status, root.headers.get('location')]).toEqual([302, '/app'])
  for (const path of ['/app', '/app/home', '/app/calendar?day=2027-03-01', '/app/campaigns/002demo00000001']) {
    const { status, headers } = await get(path)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ])
  }
})

test('the content security policy allows only resources of the service', async () => {
  const { headers } = await get('/app/home')
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "form-action 'self'",
  ])
    expect(policy.split('; ')).toContain(rule)
  expect(policy).not.toContain('unsafe')
  expect([
    headers.get('x-content-type-options'),
    headers.get('referrer-policy'),
    headers.get('cross-origin-opener-policy'),
  ]).toEqual(['nosniff', 'same-origin', 'same-origin'])
})

test('unknown operations, requests for JSON and other methods get error responses instead of the page', async () => {
  for (const [path, headers] of [
    ['/app/api/nothing', asBrowser],
    ['/app/api', asBrowser],
    ['/app/home', { accept: 'application/json' }],
    ['/nothing', asBrowser],
  ] as const) {
    const answer = await get(path, headers)
    expect([answer.status, ((await answer.json()) as { Result: boolean }).Result], path).toEqual([404, false])
  }
  expect((await get('/app/api/post/late/repair')).status).toBe(405)
  expect((await fetch(`${url}/app/home`, { method: 'POST', headers: asBrowser })).status).toBe(404)
})

describe('console assets', () => {
  let names: string[]
  beforeAll(async () => {
    const page = await (await get('/app')).text()
    names = [...page.matchAll(/\/app\/assets\/([^"]+)/g)].map(([, name]) => name ?? '')
  })

  test('are cached for a year, in the smallest encoding that the browser accepts', async () => {
    expect(names.some((name) => name.endsWith('.js')) && names.some((name) => name.endsWith('.css'))).toBe(true)
    for (const name of names) {
      const sizes: number[] = []
      for (const encoding of ['br', 'gzip', 'identity']) {
        const { status, headers } = await get(`/app/assets/${name}`, { 'accept-encoding': encoding })
        expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
        expect(headers.get('content-encoding') ?? 'identity').toBe(/js|css|svg/.test(name) ? encoding : 'identity')
        sizes.push(Number(headers.get('content-length')))
      }
      expect(sizes.toSorted((one, other) => one - other)).toEqual(sizes)
    }
  })

  test('do not include other files', async () => {
    for (const name of [
      'nothing-AAAAAAAA.js',
      '..%2Fpage.html',
      '..%2F..%2Fchorus.cjs',
      'page.html',
      '%00.js',
      'x.js.br',
    ])
      expect((await get(`/app/assets/${name}`)).status, name).toBe(404)
  })
})

/** These tests change nothing, so all services share one database. */
let database: Awaited<ReturnType<typeof demoDatabase>> | undefined
const services: TestService[] = []
const start = async (environment: Record<string, string>) => {
  database ??= await demoDatabase(systemClock)
  const service = await startTestService({ consoleFolder: 'dist/console', databaseUrl: database.url, environment })
  services.push(service)
  return service
}
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await database?.drop()
})

describe('signing in to the demo without a password', () => {
  const enter = (at: string, headers: Record<string, string>, role = 'read') =>
    fetch(`${at}/app/enter-demo`, { method: 'POST', headers, body: new URLSearchParams({ role }), redirect: 'manual' })
  const own = { 'sec-fetch-site': 'same-origin' }

  test('is allowed from the same machine, with any role of the demo', async () => {
    const answer = await enter(url, own)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/app'])
    const [cookie = ''] = answer.headers.getSetCookie()
    const who = await fetch(`${url}/app/api/session`, { headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect(((await who.json()) as { User: object }).User).toMatchObject({ Role: 'read', Name: 'Rina Sato' })
    expect((await enter(url, own, 'owner')).status).toBe(404)
    expect(await (await get('/app/sign-in')).text()).toContain('data-demo')
  })

  test('is rejected through a proxy, by another host name or from another site', async () => {
    expect((await enter(url, { ...own, 'x-forwarded-for': '203.0.113.9' })).status).toBe(403)
    expect((await enter(url, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await enter(url, {})).status).toBe(403)
    const far = await get('/app/sign-in', { ...asBrowser, 'x-forwarded-for': '203.0.113.9' })
    expect(await far.text()).not.toContain('data-demo')
    const { port } = new URL(url)
    const { request } = await import('undici')
    const named = await request(`${url}/app/enter-demo`, {
      method: 'POST',
      body: 'role=admin',
      headers: { ...own, host: `rebound.example:${port}`, 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(named.statusCode).toBe(403)
  })

  test('is neither offered nor allowed without the demo', async () => {
    const service = await start({ CHORUS_ROLES: 'api' })
    expect((await enter(service.url, own)).status).toBe(404)
    const page = await fetch(`${service.url}/app/sign-in`, { headers: asBrowser })
    expect([page.status, (await page.text()).includes('data-demo')]).toEqual([200, false])
  })
})

describe('without the console', () => {
  const startAndRequest = async (environment: Record<string, string>) => {
    const service = await start(environment)
    return (path: string) => fetch(service.url + path, { headers: asBrowser, redirect: 'manual' })
  }

  test('users sign in on plain pages', async () => {
    const ask = await startAndRequest({ CHORUS_CONSOLE: 'off', CHORUS_ROLES: 'api' })
    expect([(await ask('/')).status, (await ask('/app/home')).status]).toEqual([404, 404])
    const page = await ask('/app/sign-in')
    expect(await page.text()).toContain('<form method="post" action="/app/sign-in">')
  })

  test('a worker process serves no pages', async () => {
    const ask = await startAndRequest({ CHORUS_ROLES: 'worker' })
    for (const path of ['/', '/app', '/app/sign-in']) expect((await ask(path)).status, path).toBe(404)
  })
})
