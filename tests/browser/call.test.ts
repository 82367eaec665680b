import { build } from 'esbuild'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isOpen } from '#kernel/http/route/endpoint.ts'
import { appEndpoints, endpoints } from '#main/registry.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openBrowser } from '../support/shared-browser.ts'

/** console/api/call.ts in a real browser, signed in as the demo's admin, with a network that loses responses. */

const ada = { id: '00Ademo00000001', email: 'ada.marsh@example.com', password: 'the ferry leaves at nine' }
let service: TestService
let context: BrowserContext
let closeBrowser: () => Promise<void>
let page: Page
let sent: Request[] = []
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  await service.admin(`POST /user/${ada.id}`, { body: { password: ada.password } })
  ;({ context, close: closeBrowser } = await openBrowser())
  page = await context.newPage()
  await page.goto(`${service.url}/app/sign-in`)
  await page.addScriptTag({ content: await bundle() })
  page.on('request', (request) => sent.push(request))
  await inPage(`return ${signIn}`)
})
afterAll(async () => {
  await closeBrowser?.()
  await service.stop()
})
beforeEach(async () => {
  await page.unrouteAll()
  sent = []
})

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['console/api/call.ts'],
    bundle: true,
    write: false,
    logLevel: 'silent',
    platform: 'browser',
    target: 'es2023',
    format: 'iife',
    globalName: 'api',
  })
  return outputFiles[0]?.text ?? ''
}

const signIn = `call('POST /session', ${JSON.stringify({ email: ada.email, password: ada.password })})`

/** Runs a script in the page. A failure is returned as its details. */
const inPage = <Result = Record<string, unknown>>(script: string): Promise<Result> =>
  page.evaluate(`(async () => {
    const { call, ApiError, publicRoutes, onSignedOut } = api
    const details = (failure) => {
      if (failure instanceof ApiError) return { ...failure, sentence: failure.message }
      return { other: failure.name }
    }
    ${script}
  })()`)

/** The requests sent so far. */
const sentRequests = () => sent.map((one) => `${one.method()} ${new URL(one.url()).pathname}`)
const keys = () => sent.map((one) => one.headers()['idempotency-key'])

const campaignsNamed = async (name: string): Promise<number> =>
  (await service.admin('GET /campaign', { query: `q=${name}` })).json.Total

/** The service executes the request, but its response is lost. */
async function loseNextResponse(path: string) {
  const devtools = await context.newCDPSession(page)
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: `*${path}`, requestStage: 'Response' }] })
  devtools.once('Fetch.requestPaused', async ({ requestId }) => {
    await devtools.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' })
    await devtools.detach()
  })
}

/** Another server responds instead of the service, once. */
const respondNext = (status: number, headers: Record<string, string>, body: string = refusal) =>
  page.route('**/app/api/**', (route) => route.fulfill({ status, headers, body }), { times: 1 })
const refusal = JSON.stringify({ Result: false, Errors: { API: { Error: 'Not now.' } } })

test('a call returns the response of the API', async () => {
  const { json } = await service.admin('GET /campaign', { query: '_order=name,1&status=active&withTags=1' })
  const script = `return call('v2 GET /campaign', { _order: 'name,1', status: 'active', withTags: true, q: undefined })`
  expect(await inPage(script)).toEqual(json)
  expect(json.Total).toBeGreaterThan(1)
  const ids = json.Items.slice(0, 2).map(({ Id }: { Id: string }) => Id)
  const found = await inPage<{ Total: number }>(
    `return call('v2 POST /calendar', { fromDate: 0, toDate: 0, filters: { campaigns: ${JSON.stringify(ids)} } })`,
  )
  expect(found).toMatchObject({ Result: true })
})

test('lists and values with commas are encoded in the query', async () => {
  const { json } = await service.admin('GET /calendar/custom-events')
  const ids = json.Items.slice(0, 2).map(({ ID }: { ID: string }) => ID)
  const { Items } = await inPage<{ Items: { ID: string }[] }>(
    `return call('v2 GET /calendar/custom-events', { ids: ${JSON.stringify(ids)} })`,
  )
  expect(Items.map(({ ID }) => ID).sort()).toEqual(ids.sort())
  expect(ids).toHaveLength(2)
  expect(await inPage(`return call('v2 GET /campaign', { q: 'a, b & c' })`)).toMatchObject({ Total: 0 })
})

test('a create request with a lost response is retried with its idempotency key, and creates one entity', async () => {
  await loseNextResponse('/app/api/v2/campaign')
  const { Campaign } = await inPage<{ Campaign: { Id: string } }>(
    `return call('v2 POST /campaign', { name: 'Once only' })`,
  )
  expect(sentRequests()).toEqual(['POST /app/api/v2/campaign', 'POST /app/api/v2/campaign'])
  expect(new Set(keys()).size).toBe(1)
  expect(await campaignsNamed('Once')).toBe(1)
  expect((await service.admin(`GET /campaign/${Campaign.Id}`)).json.Campaign).toEqual(Campaign)
})

test('calls with the same explicit key return the first response, and others create another entity', async () => {
  const make = (how: string) =>
    inPage<{ Campaign: { Id: string } }>(`return call('v2 POST /campaign', { name: 'Kept' }, ${how})`)
  const [first, again, other] = [await make(`{ key: 'kept-1' }`), await make(`{ key: 'kept-1' }`), await make('{}')]
  expect([again.Campaign.Id === first.Campaign.Id, other.Campaign.Id === first.Campaign.Id]).toEqual([true, false])
  expect(await campaignsNamed('Kept')).toBe(2)
})

test('a deletion with a lost response is not retried', async () => {
  const { Campaign } = await inPage<{ Campaign: { Id: string } }>(
    `return call('v2 POST /campaign', { name: 'Leaving' })`,
  )
  sent = []
  await loseNextResponse(`/app/api/v2/campaign/${Campaign.Id}`)
  const failure = await inPage(
    `return call('v2 DELETE /campaign/{id}', { id: ${JSON.stringify(Campaign.Id)} }).catch(details)`,
  )
  expect(failure).toMatchObject({
    name: 'ApiError',
    kind: 'lost',
    status: 0,
    sentence: 'The service did not answer. It may have done what was asked: look before you try again.',
  })
  expect([sentRequests().length, await campaignsNamed('Leaving')]).toEqual([1, 0])
})

test('an error has a kind and the message of the service', async () => {
  const failure = await inPage(`return call('v2 POST /campaign', { name: '' }).catch(details)`)
  const { status, json, headers } = await service.admin('POST /campaign', { body: { name: '' } })
  expect(failure).toEqual({
    name: 'ApiError',
    kind: 'invalid',
    status,
    sentence: json.Errors.API.Error,
    parts: {},
    requestId: expect.stringMatching(/^[\w-]{36}$/),
  })
  expect([sentRequests().length, failure.requestId === headers.get('x-request-id')]).toEqual([1, false])
  const absent = await inPage(`return call('v2 GET /campaign/{id}', { id: '../me' }).catch(details)`)
  expect(absent).toMatchObject({ kind: 'missing', status: 404, sentence: 'Campaign not found.' })
})

test('ids that would change the path are rejected as missing without a request', async () => {
  for (const id of ['..', '.', ''])
    expect(await inPage(`return call('v2 DELETE /campaign/{id}', { id: '${id}' }).catch(details)`), id).toMatchObject({
      kind: 'missing',
    })
  expect(sentRequests()).toEqual([])
})

describe('a call', () => {
  test('waits for the seconds in Retry-After after a 429 response', async () => {
    await respondNext(429, { 'retry-after': '1' })
    const took = await inPage<number>(`
      const begun = performance.now()
      await call('DELETE /sessions')
      return performance.now() - begun`)
    expect(took).toBeGreaterThan(990)
    expect(sentRequests()).toEqual(['DELETE /app/api/sessions', 'DELETE /app/api/sessions'])
  })

  test('is retried with the same key after a 503 response', async () => {
    await respondNext(503, { 'retry-after': '0' })
    await inPage(`return call('v2 POST /campaign', { name: 'Waited' })`)
    expect([new Set(keys()).size, keys().length, await campaignsNamed('Waited')]).toEqual([1, 2, 1])
  })

  test('is retried after a response of another server', async () => {
    await respondNext(502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>')
    expect(await inPage(`return call('GET /session')`)).toMatchObject({ Result: true })
    expect(sentRequests()).toHaveLength(2)
  })

  test('fails immediately if Retry-After is long or the service has failed', async () => {
    await respondNext(429, { 'retry-after': '900' })
    expect(await inPage(`return call('v2 GET /me').catch(details)`)).toMatchObject({ kind: 'limited', retryAfter: 900 })
    await respondNext(500, {})
    expect(await inPage(`return call('v2 GET /me').catch(details)`)).toMatchObject({ kind: 'fault', status: 500 })
    expect(sentRequests()).toHaveLength(2)
  })

  test('can be aborted while it waits for a retry', async () => {
    await respondNext(503, { 'retry-after': '15' })
    const given = await inPage(`
      const giving = new AbortController()
      const calling = call('v2 GET /me', {}, { signal: giving.signal }).catch(details)
      setTimeout(() => giving.abort(), 100)
      return [await calling, await call('v2 GET /me', {}, { signal: AbortSignal.abort() }).catch(details)]`)
    expect(given).toEqual([{ other: 'AbortError' }, { other: 'AbortError' }])
  })
})

describe.sequential('after the session has ended', () => {
  const endSessions = () => service.admin('DELETE /app/api/sessions')

  test('concurrent calls ask for one sign-in, and are then repeated', async () => {
    await endSessions()
    const [prompts, ...results] = await inPage<[number, ...Record<string, unknown>[]]>(`
      let prompts = 0
      onSignedOut(async () => {
        prompts++
        await ${signIn}
        return true
      })
      const results = await Promise.all([call('GET /session'), call('v2 POST /campaign', { name: 'After all' })])
      return [prompts, ...results]`)
    expect(prompts).toBe(1)
    expect(results).toMatchObject([{ User: { Id: ada.id } }, { Campaign: { Name: 'After all' } }])
  })

  test('a call fails as unauthenticated if the user does not sign in', async () => {
    await endSessions()
    const script = `onSignedOut(async () => false); return call('v2 GET /me').catch(details)`
    expect(await inPage(script)).toMatchObject({ kind: 'unauthenticated', status: 401 })
  })

  test('a wrong password on sign-in does not ask for another sign-in', async () => {
    const [prompts, failure] = await inPage<[number, unknown]>(`
      let prompts = 0
      onSignedOut(async () => ++prompts > 0)
      return [prompts, await call('POST /session', { email: '${ada.email}', password: 'a guess' }).catch(details)]`)
    expect([prompts, failure]).toMatchObject([0, { sentence: 'The email address or the password is wrong.' }])
  })

  test('the console lists exactly the public routes', async () => {
    const open = [
      ...endpoints.filter(isOpen).map(({ method, path }) => `v2 ${method} ${path}`),
      ...appEndpoints.filter(isOpen).map(({ method, path }) => `${method} ${path}`),
    ]
    expect(await inPage(`return [...publicRoutes].sort()`)).toEqual(open.sort())
  })
})
