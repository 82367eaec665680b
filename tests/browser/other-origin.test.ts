import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deep } from '../support/randomness.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { openBrowser } from '../support/shared-browser.ts'

/** A page of another origin tries all known attacks in a browser that is signed in or has a stored API key. */

const ada = { id: '00Ademo00000001', email: 'ada.marsh@example.com', password: 'the ferry leaves at nine' }
let service: TestService
let otherSite: Server
let context: BrowserContext
let closeBrowser: () => Promise<void>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  await service.admin(`POST /user/${ada.id}`, { body: { password: ada.password } })
  otherSite = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Another site</title>')
  })
  await new Promise<void>((resolve) => otherSite.listen(0, '127.0.0.1', resolve))
  ;({ context, close: closeBrowser } = await openBrowser())
})
afterAll(async () => {
  await closeBrowser?.()
  otherSite.close()
  await service.stop()
})

const port = (of: string | Server) =>
  typeof of === 'string' ? new URL(of).port : String((of.address() as AddressInfo).port)

/** Foreign origins: another port of the same host, another name of the machine, another site. */
const origins = {
  'a page on another port': () => `http://127.0.0.1:${port(otherSite)}`,
  'a page on another host name': () => `http://localhost:${port(otherSite)}`,
  'a page of another site': () => `http://evil.test:${port(otherSite)}`,
}

/** The same host is the closest to the service for both kinds of credentials; the other origins are distributed over the tests. */
const from = (...usual: (keyof typeof origins)[]) =>
  Object.entries(origins).filter(([kind]) => deep<string[]>(usual, Object.keys(origins)).includes(kind))

/** Information a page obtained, and the result of its attempts. */
interface Loot {
  read: string[]
  tried: string[]
}

const script = readFileSync(new URL('./attack.js', import.meta.url), 'utf8')
const both = ['/v2', '/app/api/v2']

/** Runs all attacks of a page against the service; entities it manages to create get this name. */
async function attack(
  page: Page,
  name: string,
  { header = true, bases = both, target = service.url }: { header?: boolean; bases?: string[]; target?: string } = {},
): Promise<Loot> {
  await page.evaluate(script)
  return page.evaluate(`attack(${JSON.stringify({ target, name, header, bases })})`)
}

async function teamsNamed(name: string): Promise<number> {
  const { json } = await service.admin('GET /team', { query: '_count=100' })
  return json.Items.filter((team: { Name: string }) => team.Name === name).length
}

/** Number of requests rejected by the origin check, from the service's own metrics. */
async function rejections(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const counts = metrics.matchAll(/^http_server_request_duration_seconds_count\{[^}]*status="403"\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

const pageAt = async (url: string): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** Signs in on the sign-in page. */
async function signedIn(url: string): Promise<Page> {
  const page = await pageAt(`${url}/app/sign-in`)
  await page.fill('[name=email]', ada.email)
  await page.fill('[name=password]', ada.password)
  await Promise.all([page.waitForEvent('domcontentloaded'), page.click('button')])
  expect(await page.textContent('h1')).toBe('Northwind Outdoor')
  return page
}

/** No attempt of a foreign page has an effect or reveals anything. */
async function expectNoEffect(origin: string, name: string) {
  const before = await rejections()
  const page = await pageAt(origin)
  const { read, tried } = await attack(page, name)
  expect(tried.length).toBe(21)
  expect(read).toEqual([])
  expect(await teamsNamed(name)).toBe(0)
  expect((await rejections()) - before, 'requests that reached the service').toBeGreaterThan(5)
  await page.close()
}

describe.sequential('with a stored API key', () => {
  let own: Page
  beforeAll(async () => {
    own = await pageAt(service.url.replace('//', `//${demoAccount}:${demoKey}@`).concat('/v2/me'))
  })

  test.each(from('a page on another port', 'a page of another site'))(
    '%s can neither change nor read anything',
    async (kind, origin) => {
      await expectNoEffect(origin(), `By key from ${kind}`)
    },
    120_000,
  )

  test('control: the same requests of the service’s own page succeed', async () => {
    const { read } = await attack(own, 'By key from here', { header: false })
    expect(await teamsNamed('By key from here')).toBeGreaterThanOrEqual(3)
    expect(read.some((one) => one.startsWith('fetch cors GET /v2: {"Result":true'))).toBe(true)
    expect(read.some((one) => one.startsWith('form /v2'))).toBe(true)
    await own.close()
  })
})

describe.sequential('with a session', () => {
  let own: Page
  beforeAll(async () => {
    // A new browser without the API key stored by the other tests.
    const closeOther = closeBrowser
    ;({ context, close: closeBrowser } = await openBrowser())
    await closeOther()
    own = await signedIn(service.url)
  })

  test.each(from('a page on another port', 'a page on another host name'))(
    '%s can neither change nor read anything',
    async (kind, origin) => {
      await expectNoEffect(origin(), `By session from ${kind}`)
      await own.reload()
      expect(await own.textContent('h1'), 'still signed in').toBe('Northwind Outdoor')
    },
    120_000,
  )

  test('control: the same requests of the service’s own page succeed with the console’s header', async () => {
    const { read } = await attack(own, 'By session from here', { bases: ['/app/api/v2'] })
    expect(await teamsNamed('By session from here'), 'the request with the header').toBe(1)
    expect(read.some((one) => one.startsWith('fetch cors GET /app/api/v2: {"Result":true'))).toBe(true)
    expect(read).toContain('the feed: changes')
  })

  test('a page of the same site can neither change nor read anything if the browser sends only the origin', async () => {
    const named = service.url.replace('127.0.0.1', 'chorus.test')
    const page = await signedIn(named)
    await page.goto(`http://evil.chorus.test:${port(otherSite)}`)
    const { read } = await attack(page, 'By name', { target: named, bases: ['/app/api/v2'] })
    expect([read, await teamsNamed('By name')]).toEqual([[], 0])
  })
})
