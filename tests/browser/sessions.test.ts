import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../support/database/owner.ts'
import { quickJobs, startTestService, type TestService } from '../support/service.ts'
import { openBrowser } from '../support/shared-browser.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

const pablo = { id: '00Ademo00000002', email: 'pablo.reyes@example.com', password: 'the ferry leaves at nine' }
let folder: TemporaryFolder
let service: TestService
let context: BrowserContext
let closeBrowser: () => Promise<void>
let page: Page
beforeAll(async () => {
  folder = await temporaryFolder()
  service = await startTestService({ pollingIntervals: quickJobs, environment: { CHORUS_DATA_DIR: folder.path } })
  await service.admin(`POST /user/${pablo.id}`, { body: { password: pablo.password } })
  ;({ context, close: closeBrowser } = await openBrowser())
  page = await context.newPage()
})
afterAll(async () => {
  await closeBrowser?.()
  await service.stop()
  await folder.remove()
})

const open = (path: string) => page.goto(service.url + path)
const headline = () => page.textContent('h1')
const mainText = () => page.innerText('main')
const alertText = () => page.textContent('[role=alert]')

/** Fills in a form and submits it. */
async function submit(fields: Record<string, string>) {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value)
  await press('button')
}

const press = async (what: string) => {
  await Promise.all([page.waitForEvent('domcontentloaded'), page.click(what)])
}

async function linkMailedTo(address: string): Promise<string> {
  const links = async () => {
    const outbox = join(folder.path, 'outbox')
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
    const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
    return mails
      .filter((mail) => mail.includes(`To: ${address}\r\n`))
      .flatMap((mail) => /http\S+token=\S+/.exec(mail)?.[0] ?? [])
  }
  await expect.poll(async () => (await links()).length).toBeGreaterThan(0)
  return (await links()).at(-1) ?? ''
}

test('a user signs in after a wrong password, and signs out', async () => {
  await open('/app')
  expect(await headline()).toBe('Sign in')
  await submit({ email: pablo.email, password: 'a guess' })
  expect(await alertText()).toBe('The email address or the password is wrong.')
  await submit({ email: pablo.email, password: pablo.password })
  expect(await headline()).toBe('Northwind Outdoor')
  expect(await mainText()).toContain('signed in as Pablo Reyes')
  const [cookie] = await context.cookies()
  expect(cookie).toMatchObject({ name: 'chorus', httpOnly: true, sameSite: 'Lax', path: '/', expires: -1 })
  expect(await page.evaluate('document.cookie')).toBe('')
  await submit({})
  expect(await headline()).toBe('Sign in')
  await open('/app')
  expect(await headline()).toBe('Sign in')
})

test('sign-in shows the waiting time after many failed attempts', async () => {
  await open('/app/sign-in')
  await submit({ email: pablo.email, password: 'another guess' })
  await ownerQuery(service.databaseUrl, 'update sign_in_attempts set attempts = 18, last = now()')
  await submit({ email: pablo.email, password: pablo.password })
  expect(await alertText()).toMatch(/^Too many tries\. Wait 2\d\d seconds/)
  await ownerQuery(service.databaseUrl, `update sign_in_attempts set last = now() - interval '257 seconds'`)
  await submit({ email: pablo.email, password: pablo.password })
  expect(await headline()).toBe('Northwind Outdoor')
})

test('a session ended elsewhere redirects to the sign-in page', async () => {
  await open('/app')
  expect(await headline()).toBe('Northwind Outdoor')
  expect((await service.publisher('DELETE /app/api/sessions')).status).toBe(200)
  await open('/app')
  expect(await headline()).toBe('Sign in')
})

test('a password reset link works once', async () => {
  await open('/app/sign-in')
  await press('a[href="/app/reset"]')
  await submit({ email: pablo.email })
  expect(await headline()).toBe('Look into your mail')
  const link = await linkMailedTo(pablo.email)
  await page.goto(link)
  await submit({ password: 'the ferry left at ten' })
  expect(await mainText()).toContain('signed in as Pablo Reyes')
  await page.goto(link)
  await submit({ password: 'the ferry left at noon' })
  expect(await alertText()).toContain('This link was used already')
})

test('an invited user chooses a name and a password, and is signed in', async () => {
  await service.admin('POST /app/api/invitation', { body: { email: 'noor@example.com', role: 'contributor' } })
  await page.goto(await linkMailedTo('noor@example.com'))
  expect(await headline()).toBe('Welcome to Chorus')
  await submit({ firstName: 'Noor', lastName: 'Haddad', password: 'a garden in june' })
  expect(await mainText()).toContain('signed in as Noor Haddad (noor@example.com), with the role contributor')
})
