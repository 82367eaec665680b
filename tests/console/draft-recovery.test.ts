import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { type Caller, caller } from '../support/caller.ts'
import { demoDatabase } from '../support/database/database.ts'
import { type SharedProgram, sharedKey } from '../support/keeper.ts'
import { endPrograms, type Program, runProgram } from '../support/program.ts'
import { profiles } from '../support/publishing.ts'
import { demoKey, testKeys } from '../support/service.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { choose, openSheet, planned, setTime, sheet } from './composer-actions.ts'
import { type Visitor, visitor, wide } from './visitor.ts'

/** No text or change is lost, and nothing is sent twice, whatever happens to the service, the connection, the session and the page. */

const account = '001demo00000001'
const year = '2033'
let program: SharedProgram
let admin: Caller
let publisher: Visitor
/** The same user on another device. */
let otherDevice: Visitor
beforeAll(async () => {
  program = await sharedProgram()
  admin = caller(program.url, account, sharedKey)
  publisher = await visitor('publisher')
  otherDevice = await visitor('publisher')
})
afterAll(async () => {
  await publisher.close()
  await otherDevice.close()
  await endPrograms()
})

const inYear = (as: Caller, text: string) => planned(as, text, `${year}-05-01`, `${year}-06-30`)
const saveStatus = ({ page }: Visitor) => page.textContent('[data-testid=save-status]').catch(() => '')

test('no text is lost and one post is scheduled when the service is killed during writing', async () => {
  const folder = await temporaryFolder()
  const database = await demoDatabase(systemClock)
  const start = (port: string): Program =>
    runProgram('start', [], {
      CHORUS_DATA_DIR: folder.path,
      CHORUS_DATABASE_URL: database.url,
      CHORUS_PORT: port,
      CHORUS_SECRET_KEYS: testKeys,
      CHORUS_DEMO_API_KEY: demoKey,
      CHORUS_RATE_LIMIT: 'off',
      CHORUS_POLL_SECONDS: '0',
      CHORUS_LOG_LEVEL: 'error',
    })
  const first = start('0')
  const url = await first.printed(/Console +(http:\S+)\/app/)
  await first.printed(/Stop with Ctrl-C/)
  const one = await visitor('publisher', wide, { url })
  const { page } = one
  await openSheet(one, `?day=${year}-05-11`)
  await choose(page, 'LinkedIn')
  await page.fill(sheet, 'Written before')
  await expect.poll(() => saveStatus(one)).toContain('Saved')

  first.child.kill('SIGKILL')
  await first.ended
  await page.locator(sheet).pressSequentially(', and while disconnected')
  await page.keyboard.press('Control+Enter')
  await page.waitForSelector('[data-ui=toast]:has-text("did not answer")')
  expect(await saveStatus(one)).toBe('Kept on this device')

  const again = start(new URL(url).port)
  await again.printed(/Stop with Ctrl-C/)
  expect(await page.inputValue(sheet)).toBe('Written before, and while disconnected')
  await page.reload()
  await expect.poll(() => page.inputValue(sheet)).toBe('Written before, and while disconnected')
  await page.keyboard.press('Control+Enter')
  await page.waitForSelector('[data-ui=toast]:has-text("Scheduled on 1 network.")')
  const restarted = caller(url, account, demoKey)
  expect((await inYear(restarted, 'Written before')).map(({ text }) => text)).toEqual([
    'Written before, and while disconnected',
  ])
  expect((await restarted('GET /app/api/draft')).json.Total).toBe(0)
  await one.close()
  again.child.kill('SIGTERM')
  await again.ended
  await database.drop()
  await folder.remove()
})

test('after a lost response, a reload does not schedule the post twice', async () => {
  const { page } = publisher
  await openSheet(publisher, `?day=${year}-05-12`)
  await choose(page, 'LinkedIn')
  await page.fill(sheet, 'The answer got lost')
  await expect.poll(() => saveStatus(publisher)).toContain('Saved')
  // The request takes effect, but its response is lost on every retry.
  await page.route('**/app/api/compose', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.keyboard.press('Control+Enter')
  await page.waitForSelector('[data-ui=toast]:has-text("did not answer")')
  await page.unroute('**/app/api/compose')
  await page.reload()
  await page.waitForSelector('[data-ui=toast]:has-text("planned already")')
  await expect.poll(() => page.inputValue(sheet)).toBe('')
  expect(await inYear(admin, 'The answer got lost')).toHaveLength(1)
})

test('text written offline is saved once online, and appears in another browser', async () => {
  const { page } = publisher
  await openSheet(publisher)
  await page.fill(sheet, 'Written with a connection')
  await expect.poll(() => saveStatus(publisher)).toContain('Saved')
  await page.context().setOffline(true)
  await page.locator(sheet).pressSequentially(', and without')
  await page.waitForSelector('[data-testid=offline-bar]')
  await expect.poll(() => saveStatus(publisher)).toBe('Kept on this device')
  await page.context().setOffline(false)
  await expect.poll(() => saveStatus(publisher)).toContain('Saved')
  await openSheet(otherDevice)
  await otherDevice.page.click('[data-ui=header-actions] >> text="Drafts"')
  await otherDevice.page.click('[role=menuitem]:has-text("Written with a connection, and without")')
  await expect.poll(() => otherDevice.page.inputValue(sheet)).toBe('Written with a connection, and without')

  // Both continue: the second to save sees both versions and chooses.
  await otherDevice.page.locator(sheet).pressSequentially(' (elsewhere)')
  await expect.poll(() => saveStatus(otherDevice)).toContain('Saved')
  await page.locator(sheet).pressSequentially(' (here)')
  await page.waitForSelector('dialog[data-testid=conflict]:has-text("(elsewhere)"):has-text("(here)")')
  await page.click('dialog >> text="Take theirs"')
  await expect.poll(() => page.inputValue(sheet)).toContain('(elsewhere)')
  await page.click('button:has-text("Start over")')
})

test('a reloaded or crashed page restores the text', async () => {
  const { page } = otherDevice
  await openSheet(otherDevice)
  await page.locator(sheet).pressSequentially('Typed a moment ago')
  await page.reload()
  await expect.poll(() => page.inputValue(sheet)).toBe('Typed a moment ago')
  await page.focus(sheet)
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', then it crashed')
  await expect.poll(() => saveStatus(otherDevice)).toBeTruthy()
  // Until the draft is stored.
  await page.waitForTimeout(500)
  const address = page.url()
  const other = await page.context().newPage()
  const devtools = await page.context().newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  devtools.send('Page.crash').catch(() => {})
  await crashed
  await other.goto(address)
  await expect.poll(() => other.inputValue(sheet)).toBe('Typed a moment ago, then it crashed')
})

test('a session that ends during writing asks for the password in place, and keeps the text', async () => {
  const [email, password] = ['mira.vale@example.com', 'the ferry leaves at nine']
  const names = { firstName: 'Mira', lastName: 'Vale' }
  const { json } = await admin('POST /user', { body: { email, password, role: 'publisher', ...names } })
  const one = await visitor()
  const { page, open } = one
  await open('/app/sign-in')
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-testid=shell] h1')
  await openSheet(one, `?day=${year}-05-13`)
  await choose(page, 'LinkedIn')
  await page.fill(sheet, 'Written in two sessions')
  // Changing a password ends all sessions of that user.
  await admin(`POST /user/${json.User.Id}`, { body: { password: 'another ferry at ten' } })
  // No dialog opens during typing: keystrokes would end up in it.
  await page.locator(sheet).pressSequentially(', and then some', { delay: 100 })
  await page.waitForSelector('dialog[open] [name=password]')
  await page.fill('dialog [name=password]', 'another ferry at ten')
  await page.click('dialog >> text=Go on')
  await page.waitForSelector('dialog[open]', { state: 'detached' })
  expect(await page.inputValue(sheet)).toBe('Written in two sessions, and then some')
  await page.keyboard.press('Control+Enter')
  await page.waitForSelector('[data-ui=toast]:has-text("Scheduled on 1 network.")')
  expect(await inYear(admin, 'Written in two sessions, and then some')).toHaveLength(1)
  await one.close()
})

test('two users who edit one post are notified, and can merge their changes', async () => {
  const campaignId = '002demo00000001'
  const message = await admin('POST /message', { body: { network: 'LinkedIn', campaignId, message: 'As it was' } })
  const made = await admin('POST /post', {
    body: {
      messageId: message.json.Message.Id,
      credentialIds: profiles.linkedInPage,
      startDateTime: `${year}-05-14 08:00:00`,
    },
  })
  const id = made.json.Post.Id
  const ada = await visitor('admin')
  await openSheet(ada, `?post=${id}`)
  await openSheet(publisher, `?post=${id}`)
  await ada.page.waitForSelector('[data-ui=notice]:has-text("Pablo Reyes is editing")')
  await ada.page.fill(sheet, 'As Ada wants it')
  await publisher.page.fill(sheet, 'As Pablo wants it')
  await setTime(publisher.page, `${year}-05-15`, '12:00')
  await ada.page.keyboard.press('Control+s')
  await ada.page.waitForSelector('[data-ui=toast]:has-text("The post was changed.")')

  const { page } = publisher
  await page.waitForSelector('[data-ui=notice][data-changed]:has-text("Ada Marsh changed this post")')
  await page.keyboard.press('Control+s')
  const dialog = page.locator('dialog[data-testid=conflict]')
  await dialog.waitFor()
  expect(await dialog.textContent()).toContain('As Ada wants it')
  expect(await dialog.textContent()).toContain('As Pablo wants it')
  expect(await dialog.textContent()).toContain('changed by both')
  // Her text is kept; his change of the time, which she did not touch, is kept too.
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('[data-ui=toast]:has-text("The post was changed.")')
  const after = (await admin(`GET /post/${id}`)).json.Post
  expect(after.StartDateTime).toBe(`${year}-05-15 10:00:00`)
  expect((await admin(`GET /message/${after.MessageId}`)).json.Message.Message).toBe('As Ada wants it')
  await ada.close()
})
