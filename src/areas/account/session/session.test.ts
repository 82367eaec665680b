import { request } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { otherAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { attemptOf, givePassword, pablo, signIn, withKey } from './session.fixture.ts'

const hour = 60 * 60 * 1000
let clockOffset = 0
/** Freezes the clock where the duration of calls must not matter. */
let stopped: number | undefined
const clock = { now: () => new Date((stopped ?? Date.now()) + clockOffset) }
const environment = { CHORUS_ROLES: 'api', CHORUS_TRUSTED_PROXIES: '127.0.0.1' }
let one: TestService
let two: TestService
beforeAll(async () => {
  one = await startTestService({ clock, environment })
  const limited = { ...environment, CHORUS_RATE_LIMIT: 'on' }
  two = await startTestService({ clock, environment: limited, databaseUrl: one.databaseUrl })
  await givePassword(one)
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})

const signedIn = async (more: object = {}) => {
  const attempt = await signIn(one.url, { ...pablo, ...more })
  expect(attempt.status, attempt.text).toBe(200)
  return attempt
}

describe('a session', () => {
  test('is a cookie that scripts and other sites can’t use, for the same user as their API key', async () => {
    const { headers, json, ask } = await signedIn()
    expect(json).toEqual({ Result: true, UserId: pablo.id, AccountId: '001demo00000001', Accounts: [] })
    expect(headers.get('set-cookie')).toMatch(/^chorus=001demo00000001\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const session = (await ask('GET /app/api/session')).json
    expect(session).toMatchObject({
      Via: 'session',
      SessionId: expect.stringMatching(/^0ss\w{12}$/),
      User: { Id: pablo.id, Name: 'Pablo Reyes', Email: pablo.email, Timezone: 'Europe/Madrid', Role: 'publisher' },
      Account: { Id: '001demo00000001', Name: 'Northwind Outdoor' },
      Abilities: ['enter', 'share', 'read', 'contribute', 'approve'],
      TeamIds: ['025demo00000001'],
    })
    const byKey = (await withKey(one.url)('GET /app/api/session')).json
    expect(byKey).toEqual({ ...session, Via: 'key', SessionId: null })
  })

  test('authenticates the app API, but never the public API', async () => {
    const { ask } = await signedIn()
    const { status, text } = await ask('GET /app/api/v2/user', { query: '_count=25' })
    expect([status, text]).toEqual([200, (await one.publisher('GET /user', { query: '_count=25' })).text])
    expect((await ask('GET /me')).status).toBe(401)
    const made = await ask('POST /app/api/v2/campaign', { body: { name: 'By session' } })
    expect([made.status, made.json.Campaign.CreatedBy]).toEqual([200, pablo.id])
    expect((await ask('POST /app/api/v2/team', { body: { name: 'No' } })).status).toBe(403)
    expect((await ask('GET /app/api/post/late')).status).toBe(200)
    expect((await one.admin('GET /app/api/v2/me')).status, 'with a key as well').toBe(200)
  })

  test('can change data only from pages of the service', async () => {
    const { cookie } = await signedIn()
    const change = async (headers: Record<string, string>) => {
      const body = new URLSearchParams({ name: 'Forged' })
      const options = { method: 'POST', headers: { cookie, ...headers }, body }
      const response = await fetch(`${one.url}/app/api/v2/campaign`, options)
      return response.status
    }
    const console = { 'x-chorus-console': '1' }
    expect(await change({ ...console, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await change({ ...console, origin: one.url })).toBe(200)
    for (const headers of [
      {},
      console,
      { 'sec-fetch-site': 'same-origin' },
      { origin: one.url },
      ...['cross-site', 'same-site', 'none'].map((site) => ({ ...console, 'sec-fetch-site': site })),
      ...['https://other.example', 'null', `${one.url}0`].map((origin) => ({ ...console, origin })),
    ])
      expect(await change(headers as Record<string, string>), JSON.stringify(headers)).toBe(403)
  })

  test('gives nothing to other origins, also not by navigation', async () => {
    const { cookie } = await signedIn()
    // Not with fetch, which sets sec-fetch-mode itself.
    const readSession = async (headers: Record<string, string>) => {
      const { statusCode, body } = await request(`${one.url}/app/api/session`, { headers: { cookie, ...headers } })
      return [statusCode, (await body.text()).includes('Pablo')]
    }
    for (const site of ['same-origin', 'none'])
      expect(await readSession({ 'sec-fetch-site': site })).toEqual([200, true])
    for (const site of ['cross-site', 'same-site'])
      for (const mode of ['no-cors', 'cors', 'websocket', 'navigate'])
        expect(await readSession({ 'sec-fetch-site': site, 'sec-fetch-mode': mode })).toEqual([403, false])
    expect(await readSession({ origin: 'https://other.example' })).toEqual([403, false])
  })

  test('that has ended gets an error without the browser’s authentication dialog', async () => {
    for (const value of ['nonsense', `001demo00000001.${'x'.repeat(43)}`, '001demo00000001..', '.', '']) {
      const headers = { cookie: `chorus=${value}`, 'sec-fetch-site': 'same-origin' }
      const response = await fetch(`${one.url}/app/api/session`, { headers })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, null])
    }
  })

  test('is stored as a digest only', async () => {
    const { cookie } = await signedIn()
    const secret = cookie.split('.')[1] ?? ''
    const rows = await ownerQuery(one.databaseUrl, 'select s.*, encode(digest, $1) as hex from sessions s', ['escape'])
    expect(JSON.stringify(rows)).not.toContain(secret.slice(0, 20))
  })
})

test('concurrent sign-ins create one session each', async () => {
  await givePassword(one)
  const attempts = await Promise.all(
    Array.from({ length: 8 }, (_, number) => signIn((number % 2 ? one : two).url, pablo)),
  )
  expect(attempts.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect((await one.publisher('GET /app/api/sessions')).json.Total).toBe(8)
})

describe('over TLS', () => {
  const secure = { 'x-forwarded-proto': 'https' }

  test('the cookie is bound to the host and to TLS, and others are ignored', async () => {
    const { headers, cookie } = await signIn(one.url, pablo, undefined, secure)
    expect(headers.get('set-cookie')).toMatch(/^__Host-chorus=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    const ask = async (sent: string) =>
      (await fetch(`${one.url}/app/api/session`, { headers: { cookie: sent, ...secure } })).status
    expect(await ask(cookie)).toBe(200)
    expect(await ask(cookie.replace('__Host-', ''))).toBe(401)
  })
})

describe('the sessions of a user', () => {
  test('are listed and ended one by one or all others at once, in every process', async () => {
    await givePassword(one)
    const [first, second, third] = [await signedIn(), await signedIn(), await signedIn({ stays: 1 })]
    const { Items, Total } = (await first.ask('GET /app/api/sessions')).json
    expect(Total).toBe(3)
    expect(Items[0]).toMatchObject({ Agent: 'A browser of the tests', Address: '127.0.0.1', Stays: 1, Current: 0 })
    const current = Items.filter((item: { Current: number }) => item.Current === 1)
    expect(current).toHaveLength(1)
    expect((await third.ask('GET /app/api/session')).status).toBe(200)
    const again = (url: string, cookie: string) => fetch(`${url}/app/api/session`, { headers: { cookie } })
    expect((await again(two.url, third.cookie)).status).toBe(200)

    expect((await first.ask(`DELETE /app/api/session/${Items[0].Id}`)).json).toEqual({ Result: true })
    expect((await third.ask('GET /app/api/session')).status).toBe(401)
    await expect.poll(async () => (await again(two.url, third.cookie)).status).toBe(401)
    expect((await first.ask(`DELETE /app/api/session/${Items[0].Id}`)).status).toBe(404)
    expect((await one.admin(`DELETE /app/api/session/${Items[1].Id}`)).status, 'somebody else’s').toBe(404)

    expect((await second.ask('DELETE /app/api/sessions')).status).toBe(200)
    expect((await first.ask('GET /app/api/session')).status).toBe(401)
    const out = await second.ask('DELETE /app/api/session')
    expect(out.headers.get('set-cookie')).toBe('chorus=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
    expect((await second.ask('GET /app/api/session')).status).toBe(401)
  })

  test('end when the password changes, except the one that changed it', async () => {
    const [mine, other] = [await signedIn(), await signedIn()]
    const change = (body: object) => mine.ask('POST /app/api/password', { body })
    expect((await change({ present: 'no idea at all', password: 'a second long one' })).status).toBe(400)
    expect((await change({ present: pablo.password, password: 'short' })).status).toBe(400)
    expect((await other.ask('GET /app/api/session')).status).toBe(200)
    expect((await change({ present: pablo.password, password: 'a second long one' })).status).toBe(200)
    expect((await mine.ask('GET /app/api/session')).status).toBe(200)
    expect((await other.ask('GET /app/api/session')).status).toBe(401)
    expect((await one.publisher('GET /me')).status, 'keys are none of its business').toBe(200)
    expect((await signIn(one.url, pablo)).status).toBe(401)
    await givePassword(one)
    expect((await mine.ask('GET /app/api/session')).status, 'an admin gave another').toBe(401)
  })

  test('end with the user and take over a new role immediately', async () => {
    const email = 'lina.wolf@example.com'
    const body = { firstName: 'Lina', lastName: 'Wolf', email, password: pablo.password, role: 'contributor' }
    const { Id } = (await one.admin('POST /user', { body })).json.User
    const { ask } = await signIn(one.url, { email: email.toUpperCase(), password: pablo.password })
    expect((await ask('GET /app/api/session')).json.User.Role).toBe('contributor')
    await one.admin(`POST /app/api/user/${Id}/role`, { body: { role: 'read' } })
    expect((await ask('GET /app/api/session')).json.User.Role).toBe('read')
    expect((await ask('POST /app/api/v2/campaign', { body: { name: 'x' } })).status).toBe(403)
    await one.admin(`DELETE /user/${Id}`)
    expect((await ask('GET /app/api/session')).status).toBe(401)
    expect((await signIn(one.url, { email, password: pablo.password })).status).toBe(401)
  })
})

test('if email and password match several accounts, the response lists them', async () => {
  const person = { firstName: 'Two', lastName: 'Houses', email: 'two@example.com', password: 'one for both of them' }
  for (const admin of [one.admin, one.otherAdmin])
    expect((await admin('POST /user', { body: { ...person, role: 'read' } })).status).toBe(200)
  const { json, cookie } = await signIn(one.url, person)
  expect([json.Accounts, json.UserId, cookie]).toEqual([
    [
      { Id: '001demo00000001', Name: 'Northwind Outdoor' },
      { Id: otherAccount, Name: 'Harbour Coffee' },
    ],
    undefined,
    '',
  ])
  const { ask } = await signIn(one.url, { ...person, account: otherAccount })
  expect((await ask('GET /app/api/session')).json.Account.Name).toBe('Harbour Coffee')
  const wrong = await signIn(one.url, { ...person, password: 'one for none of them' })
  expect([wrong.status, wrong.text]).toEqual([401, expect.not.stringContaining('Harbour')])
})

describe.sequential('time', () => {
  const status = async (cookie: string) => (await fetch(`${one.url}/app/api/session`, { headers: { cookie } })).status
  /** Of the least recently used session. */
  const lastUsed = async () => {
    const [row] = await ownerQuery<{ used: Date }>(one.databaseUrl, 'select min(last_used) as used from sessions')
    return row?.used.getTime() ?? 0
  }
  beforeEach(() => ownerQuery(one.databaseUrl, 'delete from sessions'))

  test('ends a session after twelve idle hours, or thirty days with “stay signed in”', async () => {
    const [short, long] = [await signedIn(), await signedIn({ stays: 1 })]
    expect(long.headers.get('set-cookie')).toContain(`Max-Age=${90 * 24 * 3600}`)
    clockOffset += 11 * hour
    expect([await status(short.cookie), await status(long.cookie)]).toEqual([200, 200])
    await expect.poll(lastUsed).toBeGreaterThan(clock.now().getTime() - hour)
    clockOffset += 11 * hour
    expect([await status(short.cookie), await status(long.cookie)]).toEqual([200, 200])
    await expect.poll(lastUsed).toBeGreaterThan(clock.now().getTime() - hour)
    clockOffset += 12 * hour + 1000
    expect([await status(short.cookie), await status(long.cookie)]).toEqual([401, 200])
    await ownerQuery(one.databaseUrl, 'delete from sessions where not stays')
    await expect.poll(lastUsed).toBeGreaterThan(clock.now().getTime() - hour)
    clockOffset += 30 * 24 * hour + 1000
    expect(await status(long.cookie)).toBe(401)
  })

  test('ends every session after ninety days', async () => {
    const { cookie } = await signedIn({ stays: 1 })
    for (let weeks = 0; weeks < 12; weeks++) {
      clockOffset += 7 * 24 * hour
      expect(await status(cookie)).toBe(200)
      await expect.poll(lastUsed).toBeGreaterThan(clock.now().getTime() - hour)
    }
    clockOffset += 6 * 24 * hour
    expect(await status(cookie)).toBe(401)
  })

  test('of the last use is written at most once per minute', async () => {
    const { cookie } = await signedIn()
    const began = await lastUsed()
    clockOffset += 50_000
    expect(await status(cookie)).toBe(200)
    clockOffset += 20_000
    expect(await status(cookie)).toBe(200)
    await expect.poll(lastUsed).toBeGreaterThanOrEqual(began + 70_000)
  })
})

test('a session may make 120 calls in ten seconds, independent of the user’s API key', async () => {
  stopped = Date.now()
  const { cookie } = await signedIn()
  const headers = { cookie }
  const answers = []
  for (let call = 0; call < 121; call++) answers.push(await fetch(`${two.url}/app/api/session`, { headers }))
  const last = await attemptOf(two.url, answers[120] as Response)
  expect(answers.slice(0, 120).every(({ status }) => status === 200)).toBe(true)
  expect([last.status, last.headers.get('retry-after'), last.json.Result]).toEqual([429, '10', false])
  expect(last.headers.get('ratelimit-policy')).toBe('"session";q=120;w=10')
  const byKey = await withKey(two.url)('GET /me')
  expect([byKey.status, byKey.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('r=49999')])
})
