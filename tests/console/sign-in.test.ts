import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn } from '#areas/account/session/session.fixture.ts'
import { type Caller, caller } from '../support/caller.ts'
import { account, adminOf, linkMailedTo, makeUser, signedIn } from './test-users.ts'
import { barriers, phone, scrollsSideways, settled, type Visitor, visitor } from './visitor.ts'

let admin: Caller
let user: Visitor
const visitors: Visitor[] = []
beforeAll(async () => {
  admin = await adminOf()
  user = await newVisitor()
})
/** Signs out for the next test. The page is left first, because it would send requests without a session. */
const signOut = async ({ page }: Visitor) => {
  await page.goto('about:blank')
  await page.context().clearCookies()
}
beforeEach(() => signOut(user))
afterAll(() => Promise.all(visitors.map(({ close }) => close())))

const newVisitor = async (...how: Parameters<typeof visitor>) => {
  const one = await visitor(...how)
  visitors.push(one)
  return one
}

test('a user signs in with a password, is redirected to the requested page, and signs out', async () => {
  const { email, password } = await makeUser('Marta')
  const { page, open, complaints } = user
  complaints.splice(0)
  await open('/app/home?from=a+link')
  expect(await page.textContent('h1')).toBe('Sign in')
  expect(complaints, 'no session request without a session').toEqual([])
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', 'a guess')
  await page.keyboard.press('Enter')
  expect(await page.textContent('[role=alert]')).toContain('The email address or the password is wrong.')
  await page.fill('[name=password]', password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-testid=shell] h1')
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/app/home?from=a+link')
  expect(await page.textContent('[data-testid=user-menu]')).toContain('Marta Vale')
  await page.click('[data-testid=user-menu]')
  await page.click('text=Sign out')
  await page.waitForSelector('[name=email]')
  await open('/app/home')
  expect(await page.textContent('h1')).toBe('Sign in')
})

test('a sign-in link does not redirect to another site', async () => {
  const { email, password } = await makeUser('Lena')
  const { page, open, url } = user
  await open('/app/sign-in?next=//other.example/app')
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-testid=shell] h1')
  expect(new URL(page.url()).origin).toBe(url)
})

test('each demo role signs in as its user', async () => {
  const { page, open, complaints } = user
  complaints.splice(0)
  for (const [role, name] of [
    ['admin', 'Ada Marsh'],
    ['publisher', 'Pablo Reyes'],
    ['contributor', 'Chidi Okafor'],
    ['read', 'Rina Sato'],
  ] as const) {
    await signOut(user)
    await open('/app/sign-in')
    await page.click(`button[name=role][value=${role}]`)
    await page.waitForSelector('[data-testid=shell] h1')
    expect(await page.textContent('[data-testid=user-menu]')).toContain(name)
    expect(complaints).toEqual([])
  }
})

test('an invited user sets a name and a password on a phone, and is signed in', async () => {
  await admin('POST /app/api/invitation', { body: { email: 'noor.haddad@example.com', role: 'contributor' } })
  const { page, complaints } = await newVisitor(undefined, phone)
  await page.goto(await linkMailedTo('noor.haddad@example.com'))
  await settled(page)
  expect(await page.textContent('h1')).toBe('Welcome to Chorus')
  await page.fill('[name=firstName]', 'Noor')
  await page.fill('[name=lastName]', 'Haddad')
  await page.fill('[name=password]', 'a garden in june')
  expect([await barriers(page), await scrollsSideways(page)]).toEqual([[], []])
  await page.tap('text=Begin')
  await page.waitForSelector('[data-testid=shell] h1')
  expect(await page.textContent('[data-testid=mobile-tabs] [aria-current=page]')).toBe('Home')
  expect((await admin('GET /user', { query: 'q=Noor' })).json.Items[0]).toMatchObject({ Name: 'Noor Haddad' })
  expect(complaints).toEqual([])
})

test('a password reset link works once, and revokes the user’s API keys', async () => {
  const { email, password } = await makeUser('Ilse')
  const { page, open, url } = user
  const { ask } = await signIn(url, { email, password })
  const { Key } = (await ask('POST /app/api/api-key', { body: { name: 'Nightly export' } })).json.ApiKey
  const withKey = caller(url, account, Key)
  expect((await withKey('GET /me')).status).toBe(200)
  await open('/app/sign-in')
  await page.click('text=Forgot your password?')
  await page.fill('[name=email]', email)
  await page.click('text=Send the link')
  await page.waitForSelector('h1:text("Look into your mail")')
  const link = await linkMailedTo(email)
  await page.goto(link)
  await settled(page)
  await page.fill('[name=password]', 'short')
  await page.click('text=Save and sign in')
  expect(await page.inputValue('[name=password]'), 'rejected by the browser’s validation').toBe('short')
  expect(await page.getByLabel('Also revoke my API keys').isChecked()).toBe(true)
  expect(await page.textContent('[data-ui=checkbox]')).toContain('Nightly export')
  expect(await barriers(page)).toEqual([])
  await page.fill('[name=password]', 'the ferry left at ten')
  await page.click('text=Save and sign in')
  await page.waitForSelector('[data-testid=shell] h1')
  expect((await withKey('GET /me')).status).toBe(401)
  await page.goto(link)
  await page.fill('[name=password]', 'the ferry left at noon')
  await page.click('text=Save and sign in')
  expect(await page.textContent('[role=alert]')).toContain('This link was used already')
})

test('a user whose session ends signs in again in place', async () => {
  const { id, email, password } = await makeUser('Juno')
  const juno = await signedIn({ email, password })
  visitors.push(juno)
  const { page, complaints } = juno
  // Changing a password ends all sessions of that user.
  await admin(`POST /user/${id}`, { body: { password: 'another ferry at ten' } })
  await page.waitForSelector('dialog[open] [name=password]')
  await page.fill('dialog [name=password]', 'a guess')
  await page.click('dialog >> text=Go on')
  await page.waitForSelector('dialog >> text=is wrong')
  await page.fill('dialog [name=password]', 'another ferry at ten')
  await page.click('dialog >> text=Go on')
  await page.waitForSelector('dialog[open]', { state: 'detached' })
  expect(await page.textContent('[data-testid=user-menu]')).toContain('Juno Vale')
  expect(complaints.filter((line) => !line.includes('401'))).toEqual([])
})
