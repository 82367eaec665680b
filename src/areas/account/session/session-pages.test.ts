import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { change, systemActor } from '#kernel/change.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { browser } from '../../../../tests/support/browser.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../../tests/support/files.ts'
import { demoAccount, startTestService, type TestService, testKeys } from '../../../../tests/support/service.ts'
import { givePassword, pablo } from './session.fixture.ts'
import { makeLink } from './session.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  await givePassword(service)
})
afterAll(() => service.stop())

/** Submits a page's form as a browser does. */
const form = (
  fields: Record<string, string>,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
) => ({
  method: 'POST',
  headers,
  body: new URLSearchParams(fields),
})
const credentials = { email: pablo.email, password: pablo.password }

test('a user signs in, sees their account, and signs out', async () => {
  const person = browser()
  const at = (path: string) => service.url + path
  const signedOut = await person.visit(at('/app'))
  expect([signedOut.status, signedOut.location]).toEqual([303, at('/app/sign-in')])
  const page = await person.visit(at('/app/sign-in'))
  expect(page.text).toMatch(/<label for="password">.*<input id="password" name="password" type="password"/s)
  const wrong = await person.visit(at('/app/sign-in'), form({ ...credentials, password: '<b>wrong' }))
  expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining('role="alert">The email address or')])
  expect(wrong.headers.get('www-authenticate')).toBeNull()
  const right = await person.visit(at('/app/sign-in'), form(credentials))
  expect([right.status, right.location]).toEqual([303, at('/app')])
  const home = await person.visit(at('/app'))
  expect([home.status, home.text]).toEqual([200, expect.stringContaining('signed in as Pablo Reyes')])
  const out = await person.visit(at('/app/sign-out'), form({}))
  expect([out.status, out.location]).toEqual([303, at('/app/sign-in')])
  expect((await person.visit(at('/app'))).status).toBe(303)
})

test('forms of other origins are rejected, also without an origin header', async () => {
  const person = browser()
  await person.visit(`${service.url}/app/sign-in`, form(credentials))
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'https://other.example' },
  ] as Record<string, string>[]) {
    for (const [path, fields] of [
      ['/app/sign-in', credentials],
      ['/app/sign-out', {}],
      ['/app/reset', { email: pablo.email }],
      ['/app/invitation', { token: 'x', password: 'long enough' }],
    ] as const) {
      const { status } = await person.visit(service.url + path, form(fields, headers))
      expect(status, `${path} ${JSON.stringify(headers)}`).toBe(403)
    }
  }
  expect((await person.visit(`${service.url}/app`)).status, 'still signed in').toBe(200)
  // Not with fetch, which sets sec-fetch-mode itself.
  const [cookie] = [...person.cookies].map(([name, { value }]) => `${name}=${value}`)
  const go = async (use: string) => {
    const from = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': use }
    return (await request(`${service.url}/app`, { headers: { cookie: `${cookie}`, ...from } })).statusCode
  }
  expect(await go('iframe')).toBe(403)
  expect(await go('document'), 'a link that was followed').toBe(200)
})

test('pages load nothing, run no script, can’t be framed and are not cached', async () => {
  for (const path of ['/app/sign-in', '/app/reset', '/app/reset?token="><script>', '/app/invitation?token=x']) {
    const { headers, text } = await browser().visit(service.url + path)
    expect(text).not.toMatch(/<script/)
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'; frame-ancestors 'none'/)
    expect(policy).not.toContain('script-src')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

test('a session opens the pages that connect profiles; the contributor’s does not', async () => {
  const person = browser()
  await person.visit(`${service.url}/app/sign-in`, form(credentials))
  const { status, text } = await person.visit(`${service.url}/app/connect/X`)
  expect([status, text]).toEqual([403, expect.stringContaining('The role publisher may not do this')])
})

test('the demo link signs in once, on this machine only', async () => {
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 1 })
  const world = {
    database,
    listener: undefined,
    keyring: readKeyring(testKeys),
    ...elsewhere,
    publicUrl: () => service.url,
  }
  const link = await change(world, systemActor(demoAccount, new Date()), (context) =>
    makeLink(context, '00Ademo00000001', 'entry'),
  )
  await database.close()
  const far = await browser().visit(link, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect([far.status, far.text]).toEqual([403, expect.stringContaining('on the machine of the service only')])
  const person = browser()
  expect((await person.visit(link)).location).toBe(`${service.url}/app`)
  expect((await person.visit(`${service.url}/app`)).text).toContain('signed in as Ada Marsh')
  const second = await browser().visit(link)
  expect([second.status, second.text]).toEqual([400, expect.stringContaining('This link was used already')])
})
