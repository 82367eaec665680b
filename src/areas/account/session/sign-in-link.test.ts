import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chorusHere } from '../../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { quickJobs, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { attemptOf, givePassword, pablo, signIn } from './session.fixture.ts'

const hour = 60 * 60 * 1000
let clockOffset = 0
/** Freezes the clock where the duration of calls must not matter. */
let stopped: number | undefined
const clock = { now: () => new Date((stopped ?? Date.now()) + clockOffset) }
let folder: TemporaryFolder
let service: TestService
beforeAll(async () => {
  folder = await temporaryFolder()
  service = await startTestService({
    clock,
    pollingIntervals: quickJobs,
    environment: { CHORUS_DATA_DIR: folder.path, CHORUS_ROLES: 'api,worker' },
  })
  await givePassword(service)
})
afterAll(async () => {
  await service.stop()
  await folder.remove()
})

/** The links emailed to an email address so far, oldest first. */
async function mailsTo(address: string): Promise<string[]> {
  const names = (await readdir(join(folder.path, 'outbox')).catch(() => [])).filter((name) => name.endsWith('.eml'))
  const mails = await Promise.all(names.sort().map((name) => readFile(join(folder.path, 'outbox', name), 'utf8')))
  return mails.filter((mail) => mail.includes(`To: ${address}\r\n`) && mail.includes('token='))
}

async function nextMail(address: string, before: readonly string[]): Promise<{ mail: string; token: string }> {
  const fresh = async () => (await mailsTo(address)).filter((mail) => !before.includes(mail))
  await expect.poll(async () => (await fresh()).length).toBeGreaterThan(0)
  const [mail = ''] = await fresh()
  return { mail, token: /token=([\w.-]+)/.exec(mail)?.[1] ?? '' }
}

const post = async (path: string, body: object) =>
  attemptOf(
    service.url,
    await fetch(`${service.url}/app/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
const invalidLink = 'This link was used already, is too old, or a newer one has taken its place.'

async function askForReset(): Promise<string> {
  const before = await mailsTo(pablo.email)
  expect((await post('/password-reset', { email: pablo.email.toUpperCase() })).json).toEqual({ Result: true })
  const { mail, token } = await nextMail(pablo.email, before)
  expect(mail).toContain(`${service.url}/app/reset?token=001demo00000001.`)
  return token
}

test('a forgotten password is reset by an emailed link that works once and ends all sessions', async () => {
  const old = await signIn(service.url, pablo)
  const first = await askForReset()
  const second = await askForReset()
  const choose = (token: string, password = 'the ferry left at ten') =>
    // Other tests use the API keys of the demo.
    post('/password-reset/choice', { token, password, revokeKeys: 0 })
  const replaced = await choose(first)
  expect([replaced.status, replaced.json.Errors.API.Error]).toEqual([400, expect.stringContaining(invalidLink)])
  expect((await choose(second, 'short')).status, 'a mistake does not use it up').toBe(400)
  const chosen = await choose(second)
  expect([chosen.status, chosen.json.UserId]).toEqual([200, pablo.id])
  expect((await chosen.ask('GET /app/api/session')).json.User.Email).toBe(pablo.email)
  expect((await old.ask('GET /app/api/session')).status).toBe(401)
  expect((await choose(second)).json.Errors.API.Error).toContain('Ask for a new one')
  expect((await signIn(service.url, { ...pablo, password: 'the ferry left at ten' })).status).toBe(200)
  await givePassword(service)
  clockOffset += hour
})

test('a link is rejected after an hour, for another purpose, or modified', async () => {
  const token = await askForReset()
  const other = await post('/invitation/choice', { token, password: 'a long enough one' })
  expect([other.status, other.json.Errors.API.Error]).toEqual([400, expect.stringContaining(invalidLink)])
  for (const text of [`${token}x`, token.replace('001demo00000001', '001demo00000002'), 'x', `${token}.x`])
    expect((await post('/password-reset/choice', { token: text, password: 'a long enough one' })).status).toBe(400)
  clockOffset += hour + 1000
  expect((await post('/password-reset/choice', { token, password: 'a long enough one' })).status).toBe(400)
})

test('an unknown address gets the same response and no email, and requests are limited', async () => {
  stopped = Date.now()
  const known = await post('/password-reset', { email: pablo.email })
  const unknown = await post('/password-reset', { email: 'nobody@example.com' })
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  for (let time = 0; time < 2; time++) await post('/password-reset', { email: 'nobody@example.com' })
  const { status, headers } = await post('/password-reset', { email: 'nobody@example.com' })
  expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  stopped = undefined
  const waiting = async () =>
    (await ownerQuery(service.databaseUrl, `select from jobs where name = 'account.send-reset-links'`)).length
  await expect.poll(waiting).toBe(0)
  expect(await mailsTo('nobody@example.com')).toEqual([])
  clockOffset += hour
})

test('an invited user chooses name and password by an emailed link and is signed in', async () => {
  const email = 'noor@example.com'
  const invite = (as: TestService['admin'], body: object) => as('POST /app/api/invitation', { body })
  expect((await invite(service.publisher, { email, role: 'read' })).status).toBe(403)
  const invited = await invite(service.admin, { email, role: 'contributor' })
  expect(invited.json.User).toMatchObject({ Email: email, Role: 'contributor' })
  const { mail, token: first } = await nextMail(email, [])
  expect(mail).toContain('Subject: Ada Marsh invites you to Northwind Outdoor')
  expect((await signIn(service.url, { email, password: 'whatever it is' })).status).toBe(401)
  clockOffset += 24 * hour
  expect((await invite(service.admin, { email, role: 'contributor' })).json.User.Id).toBe(invited.json.User.Id)
  const { token } = await nextMail(email, [mail])
  const accept = (with_: string) =>
    post('/invitation/choice', { token: with_, password: 'a garden in june', firstName: 'Noor', lastName: 'Haddad' })
  expect((await accept(first)).json.Errors.API.Error).toContain('ask who invited you')
  clockOffset += 13 * 24 * hour
  const { ask, json } = await accept(token)
  expect(json.UserId).toBe(invited.json.User.Id)
  expect((await ask('GET /app/api/session')).json.User).toMatchObject({ Name: 'Noor Haddad', Role: 'contributor' })
  expect((await accept(token)).status).toBe(400)
  const again = await invite(service.admin, { email, role: 'read' })
  expect([again.status, again.json.Errors.API.Error]).toEqual([
    409,
    expect.stringContaining('belongs to a user already'),
  ])
})

test('an invitation expires after fourteen days', async () => {
  const email = 'late@example.com'
  await service.admin('POST /app/api/invitation', { body: { email, role: 'read' } })
  const { token } = await nextMail(email, [])
  clockOffset += 14 * 24 * hour + 1000
  expect((await post('/invitation/choice', { token, password: 'a garden in june' })).status).toBe(400)
})

test('tokens are stored as digests only, also in queued emails', async () => {
  const email = 'digest@example.com'
  await service.admin('POST /app/api/invitation', { body: { email, role: 'read' } })
  const { token } = await nextMail(email, [])
  const secret = token.split('.')[1] ?? ''
  const links = await ownerQuery(
    service.databaseUrl,
    `select l.*, encode(digest, 'escape') as read from sign_in_links l`,
  )
  const jobs = await ownerQuery(service.databaseUrl, 'select * from jobs')
  expect(links.length).toBeGreaterThan(0)
  expect(JSON.stringify([links, jobs])).not.toContain(secret.slice(0, 20))
})

test('the operator prints links if no email is sent, for example for the first admin', async () => {
  const environment = {
    CHORUS_DATABASE_URL: service.databaseUrl,
    CHORUS_DATA_DIR: folder.path,
    CHORUS_PUBLIC_URL: 'https://chorus.example',
  }
  const chorus = (words: string) => chorusHere(words.split(' '), environment)
  clockOffset = 0
  const output = await chorus('user invite boss@example.com --account 001demo00000001')
  expect(output).toContain('https://chorus.example/app/invitation?token=001demo00000001.')
  const token = /token=([\w.-]+)/.exec(output)?.[1] ?? ''
  const { ask } = await post('/invitation/choice', { token, password: 'a boat and a bridge' })
  expect((await ask('GET /app/api/session')).json.User.Role).toBe('admin')
  const link = await chorus('user password BOSS@example.com')
  expect(link).toMatch(/^https:\/\/chorus\.example\/app\/reset\?token=001demo00000001\.[\w-]{43}$/)
  await expect(chorus('user invite boss@example.com')).rejects.toThrow('Say which account is meant')
  await expect(chorus('user invite')).rejects.toThrow('chorus user invite needs one email')
  await expect(chorus('user password nobody@example.com')).rejects.toThrow('Nobody has the email address')
  await expect(chorus('user invite nonsense --account 001demo00000001')).rejects.toThrow('is not an email address')
})
