import { afterAll, beforeAll, expect, test } from 'vitest'
import { change, systemActor } from '#kernel/change.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { browser } from '../../../../tests/support/browser.ts'
import { caller } from '../../../../tests/support/caller.ts'
import { chorusHere } from '../../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { elsewhere, testFolder } from '../../../../tests/support/files.ts'
import { demoAccount, startTestService, type TestService, testKeys } from '../../../../tests/support/service.ts'
import { attemptOf, givePassword, pablo, signIn } from './session.fixture.ts'
import { makeLink, type Purpose } from './session.ts'

/**
 * Which access ends with a new password, and which security emails the user gets. No worker sends the emails, so they can be read from the
 * queue.
 */

let time = Date.parse('2026-05-12T12:03:00Z')
const clock = { now: () => new Date(time) }
let service: TestService
beforeAll(async () => {
  const environment = { CHORUS_ROLES: 'api', CHORUS_TRUSTED_PROXIES: '127.0.0.1' }
  service = await startTestService({ clock, environment })
  await givePassword(service)
  await mails()
})
afterAll(() => service.stop())

interface Mail {
  to: string
  subject: string
  text: string
}

const read = new Set<string>()
/** The emails queued since the previous call. */
async function mails(): Promise<Mail[]> {
  const all = await ownerQuery<{ id: string; mail: Mail }>(
    service.databaseUrl,
    `select id, payload as mail from jobs where name = 'mail.send-mail' order by created, id`,
  )
  const fresh = all.filter(({ id }) => !read.has(id))
  for (const { id } of fresh) read.add(id)
  return fresh.map(({ mail }) => mail)
}

const subjects = async () => (await mails()).map(({ subject }) => subject)

let numbered = 1
const newAddress = () => `203.0.113.${numbered++}`
const enter = async (from = newAddress(), password = pablo.password) => {
  const attempt = await signIn(service.url, { ...pablo, password }, from)
  expect(attempt.status, attempt.text).toBe(200)
  return attempt
}

async function linkFor(userId: string, purpose: Purpose): Promise<string> {
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 1 })
  const keyring = readKeyring(testKeys)
  const world = { database, listener: undefined, keyring, ...elsewhere, publicUrl: () => service.url }
  const link = await change(world, systemActor(demoAccount, clock.now()), (context) =>
    makeLink(context, userId, purpose),
  )
  await database.close()
  return link
}
const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? ''

const post = async (path: string, body: object, from: string) =>
  attemptOf(
    service.url,
    await fetch(`${service.url}/app/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify(body),
    }),
  )

/** Opens every kind of access as Pablo, a session, an API key and a calendar link, and checks which are still valid. */
async function opened() {
  const session = await enter()
  const { Key } = (await session.ask('POST /app/api/api-key', { body: { name: 'Thief' } })).json.ApiKey
  const { Url } = (await session.ask('POST /app/api/calendar-key', { body: {} })).json
  await mails()
  const accessState = async () => ({
    session: (await session.ask('GET /app/api/session')).status,
    key: (await caller(service.url, demoAccount, Key)('GET /me')).status,
    calendar: (await fetch(Url)).status,
  })
  expect(await accessState()).toEqual({ session: 200, key: 200, calendar: 200 })
  return { session, accessState }
}

const password = 'the ferry left at ten'

test('a reset by link ends sessions, revokes calendar link and API keys, and emails the owner', async () => {
  const { accessState } = await opened()
  const from = newAddress()
  const token = tokenIn(await linkFor(pablo.id, 'reset'))
  const chosen = await post('/password-reset/choice', { token, password }, from)
  expect([chosen.status, (await chosen.ask('GET /app/api/session')).status]).toEqual([200, 200])
  expect(await accessState()).toEqual({ session: 401, key: 401, calendar: 404 })
  const [mail, ...more] = await mails()
  expect(more).toEqual([])
  expect(mail).toMatchObject({ to: pablo.email, subject: 'Your password for Northwind Outdoor was changed' })
  expect(mail?.text).toContain('When: 12 May 2026 at 14:03 (Europe/Madrid)')
  expect(mail?.text).toContain(`From: IP address ${from}`)
  expect(mail?.text).toContain(`${service.url}/app/reset\n`)
  expect((await signIn(service.url, { ...pablo, password }, from)).status, 'and the place is known').toBe(200)
  expect(await subjects()).toEqual([])
  await givePassword(service)
})

test('API keys are listed before a reset and remain on request', async () => {
  const { accessState } = await opened()
  const token = tokenIn(await linkFor(pablo.id, 'reset'))
  const preview = await post('/password-reset/preview', { token }, newAddress())
  expect(preview.json).toMatchObject({ Email: pablo.email, HasCalendarLink: 1 })
  expect(preview.json.ApiKeys.map(({ Name }: { Name: string }) => Name)).toContain('Thief')
  expect((await post('/password-reset/preview', { token: `${token}x` }, newAddress())).status).toBe(400)
  const chosen = await post('/password-reset/choice', { token, password, revokeKeys: 0 }, newAddress())
  expect(chosen.status).toBe(200)
  expect(await accessState()).toEqual({ session: 401, key: 200, calendar: 404 })
  await givePassword(service)
})

test('the plain page offers to revoke API keys, checked by default', async () => {
  const person = browser()
  for (const isTicked of [false, true]) {
    const { accessState } = await opened()
    const link = await linkFor(pablo.id, 'reset')
    const { text } = await person.visit(link)
    expect(text).toMatch(
      /name="revokeKeys" type="checkbox" value="1" checked>\s*<label for="revokeKeys">Also revoke my API keys: .*Thief/,
    )
    const fields = { token: tokenIn(link), password, ...(isTicked && { revokeKeys: '1' }) }
    const sent = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' }, body: new URLSearchParams(fields) }
    expect((await person.visit(`${service.url}/app/reset`, sent)).status).toBe(303)
    expect(await accessState()).toEqual({ session: 401, key: isTicked ? 401 : 200, calendar: 404 })
    await givePassword(service)
  }
})

test('changing the password keeps API keys and calendar link, or revokes them on request', async () => {
  const { session, accessState } = await opened()
  const mine = await enter()
  await mails()
  const change = (body: object) => mine.ask('POST /app/api/password', { body })
  expect((await change({ present: 'a guess', password })).status).toBe(400)
  expect(await subjects(), 'refused attempts are not reported').toEqual([])
  expect((await change({ present: pablo.password, password })).status).toBe(200)
  expect(await accessState()).toEqual({ session: 401, key: 200, calendar: 200 })
  expect(await subjects()).toEqual(['Your password for Northwind Outdoor was changed'])
  expect((await change({ present: password, password: pablo.password, revokeKeys: 1 })).status).toBe(200)
  expect(await accessState()).toEqual({ session: 401, key: 401, calendar: 404 })
  expect((await mine.ask('GET /app/api/session')).status).toBe(200)
  expect(session.status).toBe(200)
})

test('a password set by an admin ends sessions and calendar link, and the previous address gets an email', async () => {
  const { accessState } = await opened()
  const body = { password, email: 'somebody.else@example.com' }
  expect((await service.admin(`POST /user/${pablo.id}`, { body })).status).toBe(200)
  expect(await accessState()).toEqual({ session: 401, key: 200, calendar: 404 })
  expect(await mails()).toMatchObject([{ to: pablo.email, text: expect.stringContaining('was set by an admin') }])
  const { email } = pablo
  await service.admin(`POST /user/${pablo.id}`, { body: { password: pablo.password, email } })
  expect(await mails()).toMatchObject([{ to: 'somebody.else@example.com' }])
})

test('the owner gets an email about a new API key, also from the operator', async () => {
  const { ask } = await enter()
  await mails()
  expect((await ask('POST /app/api/api-key', { body: { name: 'CRM\r\nAll is well' } })).status).toBe(200)
  const [mail, ...more] = await mails()
  expect([mail?.to, mail?.subject, more]).toEqual([pablo.email, 'New API key for Northwind Outdoor', []])
  expect(mail?.text).toContain('An API key named “CRM All is well” was created')
  const environment = { CHORUS_DATABASE_URL: service.databaseUrl, CHORUS_DATA_DIR: testFolder }
  await chorusHere(['key', 'create', '--account', demoAccount, '--email', pablo.email, '--name', 'Ops'], environment)
  expect(await mails()).toMatchObject([
    { to: pablo.email, text: expect.stringContaining('command line of the operator') },
  ])
})

test('a sign-in from a new network causes an email once, and again after 90 days', async () => {
  const [home, office] = [newAddress(), newAddress()]
  await enter(home)
  const [mail] = await mails()
  expect([mail?.to, mail?.subject]).toEqual([pablo.email, 'New sign-in to Northwind Outdoor'])
  expect(mail?.text).toContain(`From: IP address ${home}`)
  await enter(home)
  expect(await subjects()).toEqual([])
  await enter(office)
  expect(await subjects()).toHaveLength(1)
  expect((await signIn(service.url, { ...pablo, password: 'a guess' }, newAddress())).status).toBe(401)
  expect(await subjects(), 'guesses are not reported').toEqual([])
  time += 91 * 24 * 60 * 60 * 1000
  await enter(home)
  expect(await subjects()).toHaveLength(1)
})

test('accepting an invitation and entering the demo cause no security email', async () => {
  const from = newAddress()
  const email = 'new.here@example.com'
  const { Id } = (await service.admin('POST /app/api/invitation', { body: { email, role: 'read' } })).json.User
  const token = tokenIn(await linkFor(Id, 'invitation'))
  const accepted = await post('/invitation/choice', { token, password, firstName: 'New', lastName: 'Here' }, from)
  expect(accepted.status).toBe(200)
  expect((await signIn(service.url, { email, password }, from)).status).toBe(200)
  expect(await subjects()).toEqual([])
  expect((await signIn(service.url, { email, password }, newAddress())).status).toBe(200)
  expect(await subjects()).toEqual(['New sign-in to Northwind Outdoor'])
  const environment = { CHORUS_ROLES: 'api', CHORUS_DEMO: '1' }
  const demo = await startTestService({ clock, environment, databaseUrl: service.databaseUrl })
  const headers = { 'sec-fetch-site': 'same-origin' }
  const form = {
    method: 'POST',
    headers,
    body: new URLSearchParams({ role: 'publisher' }),
    redirect: 'manual',
  } as const
  const entered = await fetch(`${demo.url}/app/enter-demo`, form)
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/app'])
  expect(await subjects()).toEqual([])
  await demo.stop()
})
