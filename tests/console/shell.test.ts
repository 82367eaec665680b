import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { comeBack, focused, phone, rest, type Visitor, visitor, walk } from './visitor.ts'

let somebody: Visitor
beforeAll(async () => {
  somebody = await visitor('admin')
})
afterAll(() => somebody.close())
beforeEach(() => walk(somebody.page, '/app/home'))

const press = (keys: string) => somebody.page.keyboard.press(keys)

describe('the palette', () => {
  test('opens by keys, finds by letters in their order, and goes there', async () => {
    const { page } = somebody
    await walk(page, '/app/nowhere')
    await press('Control+k')
    await page.waitForSelector('dialog[data-testid=palette]')
    await page.keyboard.type('gthm')
    expect(await page.textContent('[role=option][aria-selected=true]')).toContain('Go to Home')
    await press('Enter')
    await page.waitForURL('**/app/home')
    expect(await page.$('dialog[data-testid=palette]')).toBeNull()
  })

  test('finds what is in the account, and posts by the calendar', async () => {
    const { page } = somebody
    await press('Control+k')
    await page.waitForSelector('dialog[data-testid=palette]')
    await page.keyboard.type('mountain')
    const inCalendar = page.getByRole('option', { name: 'Find “mountain” in the calendar’s posts' })
    await inCalendar.waitFor()
    await page.getByRole('option', { name: 'Library' }).first().waitFor()
    await inCalendar.click()
    await page.waitForURL('**/app/calendar?view=list&find=mountain')
  })

  test('says when nothing is called that, and gives the focus back', async () => {
    const { page } = somebody
    await page.focus('[data-testid=sidebar-links] a')
    await press('Control+k')
    await page.waitForSelector('dialog[data-testid=palette]')
    await page.keyboard.type('ß')
    expect(await page.textContent('dialog[data-testid=palette]')).toContain('Nothing is called that.')
    await press('Escape')
    expect(await focused(page)).toBe('Home')
  })
})

describe('keys', () => {
  test('two after each other go to a place, and its heading has the focus', async () => {
    const { page } = somebody
    await walk(page, '/app/nowhere')
    await press('g')
    await press('h')
    await page.waitForURL('**/app/home')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('title')
  })

  test('are listed, and those of letters can be switched off', async () => {
    const { page } = somebody
    await press('?')
    await page.waitForSelector('dialog[data-testid=shortcut-list]')
    expect(await page.textContent('dialog[data-testid=shortcut-list]')).toContain('Go to Home')
    await press('Escape')
    await page.click('[data-testid=user-menu]')
    await page.click('text=Single keys')
    await press('Escape')
    await press('?')
    await press('Control+k')
    await page.waitForSelector('dialog[data-testid=palette]')
    expect(await page.$('dialog[data-testid=shortcut-list]')).toBeNull()
    await press('Escape')
    await page.click('[data-testid=user-menu]')
    await page.click('text=Single keys')
  })

  test('the first leads past the rail to the content', async () => {
    const { page, open } = somebody
    await open('/app/home')
    await press('Tab')
    expect(await focused(page)).toBe('Skip to the content')
    await press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('main')
  })
})

test('a chosen theme stays, and the system decides otherwise', async () => {
  const { page } = somebody
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await ground()
  expect(dark).not.toBe(light)
  await page.click('[data-testid=user-menu]')
  await page.click('[data-testid=preferences] >> text=Light')
  expect(await ground()).toBe(light)
  await page.reload()
  await page.waitForSelector('[data-testid=shell] h1')
  expect(await ground()).toBe(light)
  await page.click('[data-testid=user-menu]')
  await page.click('[data-testid=preferences] >> text=System')
  expect(await ground()).toBe(dark)
  await page.emulateMedia({ colorScheme: 'light' })
})

test('back and forward are those of the browser', async () => {
  const { page } = somebody
  await walk(page, '/app/elsewhere')
  await page.click('[data-testid=sidebar-links] >> text=Home')
  await page.waitForURL('**/app/home')
  await page.goBack()
  await expect.poll(() => page.textContent('h1')).toBe('There is nothing at this address')
  await page.goForward()
  await page.waitForURL('**/app/home')
})

test('a phone has its tabs, and everything else behind one of them', async () => {
  const { page, complaints, close } = await visitor('admin', phone)
  await walk(page, '/app/home')
  expect(await page.isVisible('[data-testid=sidebar]')).toBe(false)
  expect(await page.textContent('[data-testid=mobile-tabs] [aria-current=page]')).toBe('Home')
  await page.tap('[data-testid=mobile-tabs] button')
  await page.tap('[role=option] >> text=Sign out')
  await page.waitForSelector('[name=email]')
  expect(complaints).toEqual([])
  await close()
})

test('without a connection a bar says since when, until there is one', async () => {
  const { page } = somebody
  await rest(somebody)
  await page.context().setOffline(true)
  await comeBack(page)
  await expect
    .poll(() => page.textContent('[data-testid=shell-content] [role=status]'))
    .toContain('No connection to the service since')
  await page.context().setOffline(false)
  await expect.poll(() => page.textContent('[data-testid=shell-content] [role=status]')).toBe('')
})
