import { afterAll, beforeAll, expect, test } from 'vitest'
import { testSandbox } from '../../../../sandbox/sandbox.fixture.ts'
import { browser } from '../../../../tests/support/browser.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoKey, otherAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let service: TestService
beforeAll(async () => {
  sandbox = await testSandbox()
  const port = new URL(sandbox.url).port
  service = await startTestService({
    environment: { CHORUS_ROLES: 'api', CHORUS_DEMO: '1', CHORUS_SANDBOX_PORT: port },
  })
})
afterAll(async () => {
  await service.stop()
  await sandbox.close()
})

const basic = (account: string, key: string) => `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}`
const other = { authorization: basic(otherAccount, `${demoKey}-other`) }

/** From Chorus to the network's consent page, with consent given, and back. */
async function login(network: string, { wish = '', headers = other, consent = 'auto=1' } = {}) {
  const person = browser()
  const begun = await person.visit(`${service.url}/app/connect/${network}${wish}`, { headers })
  if (!begun.location) return { ...begun, person, begun, consented: undefined }
  const consented = await person.visit(`${begun.location}&${consent}`)
  return { ...(await person.visit(consented.location ?? '')), person, begun, consented }
}

const profiles = async (query = '') =>
  (await service.otherAdmin('GET /credential', { query })).json.Items as { [name: string]: string }[]
const idsOf = async (network: string) =>
  (await profiles(`network=${network}`)).map(({ NetworkAccountId }) => NetworkAccountId).sort()

test.each([
  ['Facebook', '100200300400501'],
  ['Instagram', '17841400000000501'],
  ['X', '1500000000000000501'],
  ['YouTube', 'UCsandboxNorthwindOut501'],
  ['tiktok', '7100000000000000501'],
])('an admin connects a %s profile by logging in there', async (network, id) => {
  const { status, text } = await login(network)
  expect([status, text]).toEqual([200, expect.stringContaining('Connected')])
  expect(await idsOf(network)).toEqual([id])
})

test('a login with several profiles lets the user choose which are connected', async () => {
  const { text, person } = await login('LinkedIn')
  expect(text).toContain('Which LinkedIn profiles shall be connected?')
  expect(await idsOf('LinkedIn')).toEqual([])
  const offer = /name="offer" value="(\w+)"/.exec(text)?.[1] ?? ''
  const choose = (ids: string[]) =>
    person.visit(`${service.url}/app/connect/LinkedIn/choice`, {
      method: 'POST',
      body: new URLSearchParams([['offer', offer], ...ids.map((id) => ['profiles[]', id] as [string, string])]),
    })
  expect((await choose(['2414183', 'aDaM4demo1'])).text).toContain('Connected')
  expect(await idsOf('LinkedIn')).toEqual(['2414183', 'aDaM4demo1'])
  const again = await choose(['2414184'])
  expect([again.status, await idsOf('LinkedIn')]).toEqual([400, ['2414183', 'aDaM4demo1']])
  const [page] = await ownerQuery<{ parent: string }>(
    service.databaseUrl,
    `select parent_credential_id as parent from credentials where account_id = $1 and network_account_id = '2414183'`,
    [otherAccount],
  )
  expect(page?.parent).toBe('003-2-aDaM4demo1')
  const entries = (await service.otherAdmin('GET /app/api/audit', { query: '_count=2' })).json.Items
  const entry = { UserId: '00Ademo00000005', Via: 'key', ViaId: expect.stringMatching(/^key/), Address: '127.0.0.1' }
  expect(entries).toMatchObject([
    { ...entry, Operation: 'POST /app/connect/{network}/choice', EntityId: '003-2-aDaM4demo1', Count: 2 },
    { ...entry, Operation: 'GET /app/connect/{network}/callback', EntityId: otherAccount },
  ])
})

test('all profiles are connected on request', async () => {
  expect((await login('LinkedIn', { wish: '?profiles=all' })).status).toBe(200)
  expect(await idsOf('LinkedIn')).toEqual(['2414183', '2414184', 'aDaM4demo1'])
})

test('any admin reconnects an invalid profile, and a deleted one returns with its id', async () => {
  const id = '003-2-1500000000000000501'
  await ownerQuery(
    service.databaseUrl,
    `update credentials set status = 'invalid', status_reason = 'gone' where id = $1`,
    [id],
  )
  expect(await idsOf('X')).toEqual([])
  expect((await login('X', { wish: `?credential=${id}` })).text).toContain('Connected')
  expect((await profiles('network=X')).map(({ Id, Status }) => [Id, Status])).toEqual([[id, 'valid']])
  await service.otherAdmin(`DELETE /credential/${id}`)
  expect((await login('X')).status).toBe(200)
  expect((await profiles('network=X')).map(({ Id }) => Id)).toEqual([id])
})

test('a login that does not manage the profile connects nothing', async () => {
  await sandbox.control('/profile', {
    network: 'Twitter',
    kind: 'account',
    name: 'Somebody',
    id: '1500000000000000777',
  })
  const { status, text } = await login('X', {
    wish: '?credential=003-2-1500000000000000501',
    consent: 'auto=1&account=1500000000000000777',
  })
  expect([status, text]).toEqual([400, expect.stringContaining('does not manage the profile')])
  expect(await idsOf('X')).toEqual(['1500000000000000501'])
})

test('the login URL of a network has a state and, where supported, a challenge', async () => {
  for (const [network, challenge] of [
    ['X', 'S256'],
    ['YouTube', 'S256'],
    ['Facebook', null],
  ] as const) {
    const { begun } = await login(network)
    const parameters = new URL(begun.location ?? '').searchParams
    expect(parameters.get('state')).toMatch(/^[\w-]{32}$/)
    expect(parameters.get('code_challenge_method')).toBe(challenge)
    expect(begun.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/)
  }
})

test('only the browser that began a login can finish it', async () => {
  const { consented } = await login('X')
  const otherBrowser = await browser().visit(consented?.location ?? '')
  expect([otherBrowser.status, otherBrowser.text]).toEqual([400, expect.stringContaining('was not begun here')])
  const victim = browser()
  await victim.visit(`${service.url}/app/connect/X`, { headers: other })
  const forged = await victim.visit(consented?.location ?? '')
  expect([forged.status, forged.text]).toEqual([400, expect.stringContaining('another login')])
})

test('a refused consent is reported, and nothing is connected', async () => {
  const before = await profiles('includeInvalid=1')
  const { status, text } = await login('Facebook', { consent: 'decision=deny' })
  expect([status, text]).toEqual([400, expect.stringContaining('did not let us in')])
  expect(await profiles('includeInvalid=1')).toEqual(before)
})

test('only admins connect profiles, of supported networks only, and errors are HTML pages', async () => {
  const publisher = { authorization: basic('001demo00000001', `${demoKey}-publisher`) }
  expect((await login('X', { headers: publisher })).status).toBe(403)
  const signedOut = await browser().visit(`${service.url}/app/connect/X`)
  expect([signedOut.status, signedOut.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')])
  for (const network of ['Xing', 'MySpace']) {
    const { status, text } = await login(network)
    expect([status, text]).toEqual([400, expect.stringMatching(/<h1>.*<p>.*(cannot be connected|must be one of)/s)])
  }
})

test('an installation without an app names the settings that its operator must set', async () => {
  const bare = await startTestService({ databaseUrl: service.databaseUrl, environment: { CHORUS_ROLES: 'api' } })
  const response = await fetch(`${bare.url}/app/connect/X`, { headers: other })
  expect(await response.json()).toMatchObject({
    Errors: { API: { Error: expect.stringContaining('CHORUS_X_CLIENT_ID') } },
  })
  await bare.stop()
})
