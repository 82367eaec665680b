import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { focused, leaveScreen, navigate, phone, returnToPage, type Visitor, visitor } from './visitor.ts'

let admin: Visitor
beforeAll(async () => {
  admin = await visitor('admin')
})
afterAll(() => admin.close())
beforeEach(() => navigate(admin.page, '/app/home'))

const press = (keys: string) => admin.page.keyboard.press(keys)

describe('the command palette', () => {
  test('opens by shortcut, matches abbreviations, and navigates', async () => {
    const { page } = admin
    await navigate(page, '/app/nowhere')
    await press('Control+k')
    await page.waitForSelector('dialog[data-testid=palette]')
    await page.keyboard.type('gthm')
    expect(await page.textContent('[role=option][aria-selected=true]')).toContain('Go to Home')
    await press('Enter')
    await page.waitForURL('**/app/home')
    expect(await page.$('dialog[data-testid=palette]')).toBeNull()
  })

  test('finds entities of the account, and offers a search in the calendar', async () => {
    const { page } = admin
    await press('Control+k')
    await page.waitForSelector('dialog[data-testid=palette]')
    await page.keyboard.type('mountain')
    const inCalendar = page.getByRole('option', { name: 'Find “mountain” in the calendar’s posts' })
    await inCalendar.waitFor()
    await page.getByRole('option', { name: 'Library' }).first().waitFor()
    await inCalendar.click()
    await page.waitForURL('**/app/calendar?view=list&find=mountain')
  })

  test('shows when nothing matches, and returns the focus when closed', async () => {
    const { page } = admin
    await page.focus('[data-testid=sidebar-links] a')
    await press('Control+k')
    await page.waitForSelector('dialog[data-testid=palette]')
    await page.keyboard.type('ß')
    expect(await page.textContent('dialog[data-testid=palette]')).toContain('Nothing is called that.')
    await press('Escape')
    expect(await focused(page)).toBe('Home')
  })
})

describe('keyboard shortcuts', () => {
  test('navigate by two keys in sequence, and focus the heading', async () => {
    const { page } = admin
    await navigate(page, '/app/nowhere')
    await press('g')
    await press('h')
    await page.waitForURL('**/app/home')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('title')
  })

  test('are listed, and single-key shortcuts can be disabled', async () => {
    const { page } = admin
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

  test('include a skip link to the content as the first tab stop', async () => {
    const { page, open } = admin
    await open('/app/home')
    await press('Tab')
    expect(await focused(page)).toBe('Skip to the content')
    await press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('main')
  })
})

test('a selected theme persists, and the system’s theme applies otherwise', async () => {
  const { page } = admin
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await background()
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await background()
  expect(dark).not.toBe(light)
  await page.click('[data-testid=user-menu]')
  await page.click('[data-testid=preferences] >> text=Light')
  expect(await background()).toBe(light)
  await page.reload()
  await page.waitForSelector('[data-testid=shell] h1')
  expect(await background()).toBe(light)
  await page.click('[data-testid=user-menu]')
  await page.click('[data-testid=preferences] >> text=System')
  expect(await background()).toBe(dark)
  await page.emulateMedia({ colorScheme: 'light' })
})

test('browser back and forward navigate between screens', async () => {
  const { page } = admin
  await navigate(page, '/app/elsewhere')
  await page.click('[data-testid=sidebar-links] >> text=Home')
  await page.waitForURL('**/app/home')
  await page.goBack()
  await expect.poll(() => page.textContent('h1')).toBe('There is nothing at this address')
  await page.goForward()
  await page.waitForURL('**/app/home')
})

test('a phone shows tabs, and the other actions in the last tab', async () => {
  const { page, complaints, close } = await visitor('admin', phone)
  await navigate(page, '/app/home')
  expect(await page.isVisible('[data-testid=sidebar]')).toBe(false)
  expect(await page.textContent('[data-testid=mobile-tabs] [aria-current=page]')).toBe('Home')
  await page.tap('[data-testid=mobile-tabs] button')
  await page.tap('[role=option] >> text=Sign out')
  await page.waitForSelector('[name=email]')
  expect(complaints).toEqual([])
  await close()
})

test('a bar shows since when the connection is lost, until it is restored', async () => {
  const { page } = admin
  await leaveScreen(admin)
  await page.context().setOffline(true)
  await returnToPage(page)
  await expect
    .poll(() => page.textContent('[data-testid=shell-content] [role=status]'))
    .toContain('No connection to the service since')
  await page.context().setOffline(false)
  await expect.poll(() => page.textContent('[data-testid=shell-content] [role=status]')).toBe('')
})
