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
    const told = (failure) => {
      if (failure instanceof ApiError) return { ...failure, sentence: failure.message }
      return { other: failure.name }
    }
    ${script}
  })()`)

/** The requests sent so far. */
const asked = () => sent.map((one) => `${one.method()} ${new URL(one.url()).pathname}`)
const keys = () => sent.map((one) => one.headers()['idempotency-key'])

const campaignsNamed = async (name: string): Promise<number> =>
  (await service.admin('GET /campaign', { query: `q=${name}` })).json.Total

/** The service executes the request, but its response is lost. */
async function loseNextAnswer(path: string) {
  const devtools = await context.newCDPSession(page)
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: `*${path}`, requestStage: 'Response' }] })
  devtools.once('Fetch.requestPaused', async ({ requestId }) => {
    await devtools.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' })
    await devtools.detach()
  })
}

/** Another server responds instead of the service, once. */
const answerNext = (status: number, headers: Record<string, string>, body: string = refusal) =>
  page.route('**/app/api/**', (route) => route.fulfill({ status, headers, body }), { times: 1 })
const refusal = JSON.stringify({ Result: false, Errors: { API: { Error: 'Not now.' } } })

test('campaigns are listed as the API lists them', async () => {
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

test('several values, and values with commas, arrive in an address', async () => {
  const { json } = await service.admin('GET /calendar/custom-events')
  const ids = json.Items.slice(0, 2).map(({ ID }: { ID: string }) => ID)
  const { Items } = await inPage<{ Items: { ID: string }[] }>(
    `return call('v2 GET /calendar/custom-events', { ids: ${JSON.stringify(ids)} })`,
  )
  expect(Items.map(({ ID }) => ID).sort()).toEqual(ids.sort())
  expect(ids).toHaveLength(2)
  expect(await inPage(`return call('v2 GET /campaign', { q: 'a, b & c' })`)).toMatchObject({ Total: 0 })
})

test('a campaign whose answer got lost is made once, and given to who asked', async () => {
  await loseNextAnswer('/app/api/v2/campaign')
  const { Campaign } = await inPage<{ Campaign: { Id: string } }>(
    `return call('v2 POST /campaign', { name: 'Once only' })`,
  )
  expect(asked()).toEqual(['POST /app/api/v2/campaign', 'POST /app/api/v2/campaign'])
  expect(new Set(keys()).size).toBe(1)
  expect(await campaignsNamed('Once')).toBe(1)
  expect((await service.admin(`GET /campaign/${Campaign.Id}`)).json.Campaign).toEqual(Campaign)
})

test('who goes on with a key of their own gets the first answer; others make another', async () => {
  const make = (how: string) =>
    inPage<{ Campaign: { Id: string } }>(`return call('v2 POST /campaign', { name: 'Kept' }, ${how})`)
  const [first, again, other] = [await make(`{ key: 'kept-1' }`), await make(`{ key: 'kept-1' }`), await make('{}')]
  expect([again.Campaign.Id === first.Campaign.Id, other.Campaign.Id === first.Campaign.Id]).toEqual([true, false])
  expect(await campaignsNamed('Kept')).toBe(2)
})

test('what would not be the same twice is not done twice', async () => {
  const { Campaign } = await inPage<{ Campaign: { Id: string } }>(
    `return call('v2 POST /campaign', { name: 'Leaving' })`,
  )
  sent = []
  await loseNextAnswer(`/app/api/v2/campaign/${Campaign.Id}`)
  const failure = await inPage(
    `return call('v2 DELETE /campaign/{id}', { id: ${JSON.stringify(Campaign.Id)} }).catch(told)`,
  )
  expect(failure).toMatchObject({
    name: 'ApiError',
    kind: 'lost',
    status: 0,
    sentence: 'The service did not answer. It may have done what was asked: look before you try again.',
  })
  expect([asked().length, await campaignsNamed('Leaving')]).toEqual([1, 0])
})

test('a refusal has a kind, and the sentence of the service', async () => {
  const failure = await inPage(`return call('v2 POST /campaign', { name: '' }).catch(told)`)
  const { status, json, headers } = await service.admin('POST /campaign', { body: { name: '' } })
  expect(failure).toEqual({
    name: 'ApiError',
    kind: 'invalid',
    status,
    sentence: json.Errors.API.Error,
    parts: {},
    requestId: expect.stringMatching(/^[\w-]{36}$/),
  })
  expect([asked().length, failure.requestId === headers.get('x-request-id')]).toEqual([1, false])
  const absent = await inPage(`return call('v2 GET /campaign/{id}', { id: '../me' }).catch(told)`)
  expect(absent).toMatchObject({ kind: 'missing', status: 404, sentence: 'Campaign not found.' })
})

test('an id out of a strange link leads nowhere else', async () => {
  for (const id of ['..', '.', ''])
    expect(await inPage(`return call('v2 DELETE /campaign/{id}', { id: '${id}' }).catch(told)`), id).toMatchObject({
      kind: 'missing',
    })
  expect(asked()).toEqual([])
})

describe('waiting', () => {
  test('who calls too often waits the seconds that are said, whatever they do', async () => {
    await answerNext(429, { 'retry-after': '1' })
    const took = await inPage<number>(`
      const begun = performance.now()
      await call('DELETE /sessions')
      return performance.now() - begun`)
    expect(took).toBeGreaterThan(990)
    expect(asked()).toEqual(['DELETE /app/api/sessions', 'DELETE /app/api/sessions'])
  })

  test('a service that cannot answer right now is asked again, with the same key', async () => {
    await answerNext(503, { 'retry-after': '0' })
    await inPage(`return call('v2 POST /campaign', { name: 'Waited' })`)
    expect([new Set(keys()).size, keys().length, await campaignsNamed('Waited')]).toEqual([1, 2, 1])
  })

  test('something that answers in the place of the service is no answer', async () => {
    await answerNext(502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>')
    expect(await inPage(`return call('GET /session')`)).toMatchObject({ Result: true })
    expect(asked()).toHaveLength(2)
  })

  test('nobody is left without a word for long', async () => {
    await answerNext(429, { 'retry-after': '900' })
    expect(await inPage(`return call('v2 GET /me').catch(told)`)).toMatchObject({ kind: 'limited', retryAfter: 900 })
    await answerNext(500, {})
    expect(await inPage(`return call('v2 GET /me').catch(told)`)).toMatchObject({ kind: 'fault', status: 500 })
    expect(asked()).toHaveLength(2)
  })

  test('who gives up has given up, while waiting as well', async () => {
    await answerNext(503, { 'retry-after': '15' })
    const given = await inPage(`
      const giving = new AbortController()
      const calling = call('v2 GET /me', {}, { signal: giving.signal }).catch(told)
      setTimeout(() => giving.abort(), 100)
      return [await calling, await call('v2 GET /me', {}, { signal: AbortSignal.abort() }).catch(told)]`)
    expect(given).toEqual([{ other: 'AbortError' }, { other: 'AbortError' }])
  })
})

describe.sequential('when the session has ended', () => {
  const endSessions = () => service.admin('DELETE /app/api/sessions')

  test('one question is asked for all calls, and what was refused is done', async () => {
    await endSessions()
    const [questions, ...results] = await inPage<[number, ...Record<string, unknown>[]]>(`
      let questions = 0
      onSignedOut(async () => {
        questions++
        await ${signIn}
        return true
      })
      const results = await Promise.all([call('GET /session'), call('v2 POST /campaign', { name: 'After all' })])
      return [questions, ...results]`)
    expect(questions).toBe(1)
    expect(results).toMatchObject([{ User: { Id: ada.id } }, { Campaign: { Name: 'After all' } }])
  })

  test('who does not sign in again is told why', async () => {
    await endSessions()
    const script = `onSignedOut(async () => false); return call('v2 GET /me').catch(told)`
    expect(await inPage(script)).toMatchObject({ kind: 'unauthenticated', status: 401 })
  })

  test('a wrong password asks no question', async () => {
    const [questions, failure] = await inPage<[number, unknown]>(`
      let questions = 0
      onSignedOut(async () => ++questions > 0)
      return [questions, await call('POST /session', { email: '${ada.email}', password: 'a guess' }).catch(told)]`)
    expect([questions, failure]).toMatchObject([0, { sentence: 'The email address or the password is wrong.' }])
  })

  test('the console knows what is called without a session', async () => {
    const open = [
      ...endpoints.filter(isOpen).map(({ method, path }) => `v2 ${method} ${path}`),
      ...appEndpoints.filter(isOpen).map(({ method, path }) => `${method} ${path}`),
    ]
    expect(await inPage(`return [...publicRoutes].sort()`)).toEqual(open.sort())
  })
})
