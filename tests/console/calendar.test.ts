import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, caller } from '../support/caller.ts'
import { type SharedProgram, sharedKey } from '../support/keeper.ts'
import { profiles } from '../support/publishing.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { type DemoRole, navigate, settled, type Visitor, visitor } from './visitor.ts'

let program: SharedProgram
let admin: Caller
let publisher: Visitor
beforeAll(async () => {
  program = await sharedProgram()
  admin = caller(program.url, '001demo00000001', sharedKey)
  publisher = await visitor('publisher')
})
afterAll(() => publisher.close())

/** Far from the posts of the demo, in UTC; the publisher's time zone is Madrid, two hours ahead. */
const month = '2031-05'
const at = (day: number, hour = 9) => `${month}-${String(day).padStart(2, '0')} ${String(hour).padStart(2, '0')}:00:00`

async function newPost(text: string, startDateTime: string, rest: object = {}): Promise<string> {
  const campaignId = '002demo00000001'
  const message = await admin('POST /message', { body: { network: 'LinkedIn', campaignId, message: text } })
  const body = { messageId: message.json.Message.Id, credentialIds: profiles.linkedInPage, startDateTime, ...rest }
  return (await admin('POST /post', { body })).json.Post.Id
}

const startOf = async (id: string): Promise<string> => (await admin(`GET /post/${id}`)).json.Post.StartDateTime
const chip = (id: string) => `[data-post][data-post="${id}"]`
const cell = (day: string) => `td[data-day="${day}"]`

async function openMonth({ page }: Visitor, more = '') {
  await navigate(page, `/app/calendar?day=${month}-01${more}`)
  await page.waitForSelector('[data-testid=month]')
}

/** The date of the cell that contains a post. */
const dayOf = (page: Page, id: string) => page.locator(chip(id)).locator('xpath=ancestor::td').getAttribute('data-day')

test('a post is moved by shortcut immediately, and restored by undo', async () => {
  const id = await newPost('Moved by keys', at(6))
  const { page, complaints } = publisher
  await openMonth(publisher)
  await page.focus(chip(id))
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(() => dayOf(page, id)).toBe(`${month}-07`)
  await expect.poll(() => startOf(id)).toBe(at(7))
  await page.click('[data-ui=toast] >> text=Undo')
  await expect.poll(() => dayOf(page, id)).toBe(`${month}-06`)
  await expect.poll(() => startOf(id)).toBe(at(6))
  expect(complaints).toEqual([])
})

test('undo does not overwrite another user’s change', async () => {
  const id = await newPost('Moved by two', at(6))
  const { page, complaints } = publisher
  await openMonth(publisher)
  await page.focus(chip(id))
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(() => startOf(id)).toBe(at(7))
  await admin(`POST /post/${id}`, { body: { startDateTime: at(22) } })
  await page.locator('[data-ui=toast] >> text=Undo').last().click()
  await page.waitForSelector('[data-ui=toast] >> text=Somebody changed this')
  await expect.poll(() => dayOf(page, id)).toBe(`${month}-22`)
  expect(await startOf(id)).toBe(at(22))
  expect(complaints.splice(0).filter((complaint) => !complaint.includes(`/post/${id}`))).toEqual([])
})

test('moves faster than their responses are applied in order, and a refetch does not revert them', async () => {
  const id = await newPost('Moved in a hurry', at(6))
  const { page, complaints } = publisher
  await openMonth(publisher)
  const { route, release, responses } = holdFirst(page, id)
  await route
  for (const day of ['07', '08', '09']) {
    await page.focus(chip(id))
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(() => dayOf(page, id)).toBe(`${month}-${day}`)
  }
  // Another user schedules a post, and every browser is notified: the pending move must not be overwritten by a refetch.
  await newPost('Came in between', at(20))
  await page.waitForTimeout(1_500)
  expect(await dayOf(page, id)).toBe(`${month}-09`)
  expect(await startOf(id)).toBe(at(6))
  release()
  await expect.poll(() => responses.length).toBe(3)
  expect(await startOf(id)).toBe(at(9))
  await page.waitForSelector('[data-post]:has-text("Came in")')
  expect(await dayOf(page, id)).toBe(`${month}-09`)
  expect(complaints).toEqual([])
  await page.unrouteAll()
})

/** Holds the first change of a post until it is released. */
function holdFirst(page: Page, id: string) {
  let release = () => {}
  const held = new Promise<void>((go) => {
    release = go
  })
  const [requests, responses]: [number[], number[]] = [[], []]
  const isChange = (one: Request) => one.method() === 'POST' && one.url().endsWith(`/post/${id}`)
  page.on('response', (response) => isChange(response.request()) && responses.push(response.status()))
  const route = page.route(`**/app/api/v2/post/${id}`, async (one) => {
    if (isChange(one.request()) && requests.push(1) === 1) await held
    await one.continue()
  })
  return { route, release: () => release(), responses }
}

test('arrow keys move between days, Enter focuses a post, and M opens the move dialog', async () => {
  const id = await newPost('Moved by dialog', at(14))
  const { page } = publisher
  await openMonth(publisher)
  await page.waitForSelector(chip(id))
  await page.focus(`${cell(`${month}-01`)} [data-day-head]`)
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowLeft', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => page.evaluate('document.activeElement.dataset.post')).toBe(id)
  await page.keyboard.press('m')
  await page.fill('dialog [type=date]', `${month}-20`)
  await page.fill('dialog [type=time]', '16:30')
  await page.click('dialog >> button:text-is("Move")')
  await expect.poll(() => dayOf(page, id)).toBe(`${month}-20`)
  await expect.poll(() => startOf(id)).toBe(`${month}-20 14:30:00`)
})

test('a post is dragged to another day, but a sent post stays and the reason is shown', async () => {
  const id = await newPost('Dragged', at(8))
  const { page, open } = publisher
  await openMonth(publisher)
  const drag = async (from: string, to: string) => {
    const [a, b] = [await page.locator(from).first().boundingBox(), await page.locator(to).boundingBox()]
    await page.mouse.move((a?.x ?? 0) + 40, (a?.y ?? 0) + 8)
    await page.mouse.down()
    await page.mouse.move((b?.x ?? 0) + 60, (b?.y ?? 0) + 60, { steps: 6 })
    await page.mouse.up()
  }
  await drag(chip(id), cell(`${month}-22`))
  await expect.poll(() => dayOf(page, id)).toBe(`${month}-22`)
  await expect.poll(() => startOf(id)).toBe(at(22))
  expect(new URL(page.url()).searchParams.get('post'), 'a drag opens nothing').toBeNull()
  await open('/app/calendar')
  await page.waitForSelector('[data-post][data-status=sent]')
  const sent = (await page.locator('[data-post][data-status=sent]').first().getAttribute('data-post')) ?? ''
  await drag(chip(sent), 'td[data-cursor]')
  await page.waitForSelector('[data-ui=toast][data-kind=problem]')
})

test('the URL names the open post, whose panel shows the text, the time and the history', async () => {
  const id = await newPost('The whole text of it,\nover two lines', at(15))
  const { page } = publisher
  await openMonth(publisher)
  await page.click(chip(id))
  await page.waitForSelector('[data-ui=panel] >> text=over two lines')
  expect(new URL(page.url()).searchParams.get('post')).toBe(id)
  expect(await page.textContent('[data-ui=panel]')).toContain('11:00 Europe/Madrid')
  await page.click('[data-ui=panel] >> text=What happened')
  await page.waitForSelector('[data-testid=history-entries] >> text=Made by Ada Marsh')
  await page.reload()
  await page.waitForSelector('[data-ui=panel] >> text=over two lines')
  await page.keyboard.press('Escape')
  await page.waitForSelector('[data-ui=panel]', { state: 'detached' })
})

test('shortcuts change views and months, and the URL holds filters and the search text', async () => {
  const id = await newPost(`${'x'.repeat(120)} needle behind`, at(27))
  const { page } = publisher
  await openMonth(publisher)
  for (const [key, what] of [
    ['2', '[data-testid=week]'],
    ['4', '[data-testid=agenda]'],
    ['3', '[data-testid=week]'],
    ['1', '[data-testid=month]'],
  ] as const) {
    await page.keyboard.press(key)
    await page.waitForSelector(what)
  }
  await page.keyboard.press(']')
  await page.waitForSelector('h1:text("June 2031")')
  await page.keyboard.press('[')
  await page.fill('[data-find]', 'needle behind')
  await expect.poll(() => page.locator('[data-post]').count()).toBe(1)
  await page.waitForSelector(chip(id))
  await openMonth(publisher, '&network=Twitter')
  await settled(page)
  expect(await page.locator(chip(id)).count()).toBe(0)
})

test('another user’s move appears in the day view', async () => {
  const id = await newPost('Moved by another user', at(28))
  const { page } = publisher
  await navigate(page, `/app/calendar?view=day&day=${month}-28`)
  await page.waitForSelector(chip(id))
  await admin(`POST /post/${id}`, { body: { startDateTime: at(29) } })
  await page.waitForSelector(chip(id), { state: 'detached' })
})

test.each<[DemoRole, boolean]>([
  ['read', false],
  ['contributor', true],
])('the role %s is offered only the permitted actions', async (role, mayWrite) => {
  const id = await newPost(`Seen by ${role}`, at(16), mayWrite ? { status: 'draft' } : {})
  const one = await visitor(role)
  await openMonth(one, `&post=${id}`)
  await one.page.waitForSelector('[data-ui=panel] [data-testid=post-text]')
  expect(await one.page.locator('text="New post"').count()).toBe(mayWrite ? 1 : 0)
  expect(await one.page.locator('[data-ui=panel] >> text="Move to…"').count()).toBe(mayWrite ? 1 : 0)
  await one.page.focus(chip(id))
  await one.page.keyboard.press('Alt+ArrowRight')
  await one.page.keyboard.press('m')
  expect(await one.page.locator('dialog[open]').count()).toBe(mayWrite ? 1 : 0)
  if (!mayWrite) expect(await startOf(id)).toBe(at(16))
  await one.close()
})

test('a contributor sees that posts scheduled by others cannot be moved', async () => {
  const id = await newPost('Scheduled by an admin', at(17))
  const one = await visitor('contributor')
  await openMonth(one, `&post=${id}`)
  await one.page.waitForSelector('[data-ui=panel] [data-testid=post-text]')
  expect(await one.page.locator('[data-ui=panel] >> text="Move to…"').count()).toBe(0)
  await one.page.focus(chip(id))
  await one.page.keyboard.press('Alt+ArrowRight')
  await one.page.waitForSelector('[data-ui=toast][data-kind=problem]')
  await expect.poll(() => dayOf(one.page, id)).toBe(`${month}-17`)
  expect(await startOf(id)).toBe(at(17))
  await one.close()
})
