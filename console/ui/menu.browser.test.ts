import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const { open, expectNoBarriers } = gallery('Menu')
const trigger = (page: Page) => page.getByRole('button', { name: 'Actions' })
const isClosed = (page: Page) => page.getByRole('menu').waitFor({ state: 'hidden' })

test('Enter, Space and arrow keys open the menu at the first or last item', async () => {
  const { page, press } = await open()
  for (const [key, item] of [
    ['Enter', 'Edit'],
    [' ', 'Edit'],
    ['ArrowDown', 'Edit'],
    ['ArrowUp', 'Delete'],
  ] as const) {
    await trigger(page).focus()
    expect(await trigger(page).getAttribute('aria-expanded')).toBe('false')
    await press(key)
    await expect.poll(() => focusOf(page), { message: key }).toContain(item)
    expect(await trigger(page).getAttribute('aria-expanded')).toBe('true')
    await press('Escape')
    await isClosed(page)
    expect(await focusOf(page), 'the focus returns').toBe('Actions')
  }
})

test('arrow keys wrap around, Home and End move to the ends, letters to the item that starts with them', async () => {
  const { page, press } = await open()
  await trigger(page).click()
  await expect.poll(() => focusOf(page)).toContain('Edit')
  for (const [key, item] of [
    ['ArrowDown', 'Duplicate'],
    ['ArrowUp', 'Edit'],
    ['ArrowUp', 'Delete'],
    ['ArrowDown', 'Edit'],
    ['End', 'Delete'],
    ['Home', 'Edit'],
    ['d', 'Duplicate'],
    ['d', 'Download'],
    ['D', 'Delete'],
    ['d', 'Duplicate'],
    ['q', 'Duplicate'],
  ] as const) {
    await press(key)
    expect(await focusOf(page), key).toContain(item)
  }
})

test('an item runs its action once, closes the menu and returns focus to the trigger', async () => {
  const { page, press } = await open()
  await trigger(page).focus()
  await press('Enter')
  await expect.poll(() => focusOf(page)).toContain('Edit')
  await press('ArrowDown', 'Enter')
  await page.getByText('Chosen: Duplicate').waitFor()
  await isClosed(page)
  expect(await focusOf(page)).toBe('Actions')
  await trigger(page).click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  await page.getByText('Chosen: Download').waitFor()
  await isClosed(page)
  expect(await focusOf(page)).toBe('Actions')
})

test('Tab or an outside click closes the menu; Tab moves on from the trigger', async () => {
  const { page, press } = await open()
  await trigger(page).focus()
  await press('Enter')
  await expect.poll(() => focusOf(page)).toContain('Edit')
  await press('Tab')
  await isClosed(page)
  expect(await focusOf(page)).toBe('After')
  await trigger(page).click()
  await page.getByRole('menu', { name: 'Post actions' }).waitFor()
  await page.mouse.click(5, 5)
  await isClosed(page)
})

test('has no accessibility violations, open or closed', async () => {
  await expectNoBarriers()
  await expectNoBarriers((page) => trigger(page).click())
})
