import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const { open, expectNoBarriers } = gallery('Combobox')
const one = (page: Page) => page.getByRole('combobox', { name: 'Country', exact: true })
const many = (page: Page) => page.getByRole('combobox', { name: 'Countries' })
/** The text of the option that screen readers announce. */
const active = (page: Page): Promise<string> =>
  page.evaluate(
    `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent ?? ''`,
  )

test('arrow keys open the list and wrap around; the active option is announced while focus stays in the field', async () => {
  const { page, press } = await open()
  await one(page).focus()
  expect(await one(page).getAttribute('aria-expanded')).toBe('false')
  await press('ArrowDown')
  await expect.poll(() => active(page)).toContain('Austria')
  expect(await one(page).getAttribute('aria-expanded')).toBe('true')
  expect(await one(page).getAttribute('aria-autocomplete')).toBe('list')
  const list = await one(page).getAttribute('aria-controls')
  expect(await page.locator(`[id="${list}"]`).getAttribute('role')).toBe('listbox')
  await press('ArrowDown')
  expect(await active(page)).toContain('Belgium')
  await press('ArrowUp', 'ArrowUp')
  expect(await active(page)).toContain('Finland')
  await press('ArrowDown')
  expect(await active(page)).toContain('Austria')
  expect(await focusOf(page)).toBe('Country')
  await press('Escape')
  await expect.poll(() => one(page).getAttribute('aria-expanded')).toBe('false')
  expect(await one(page).inputValue(), 'the choice stays').toBe('Belgium')
  await press('ArrowUp')
  await expect.poll(() => active(page), { message: 'the last option' }).toContain('Finland')
})

test('typing filters by label and detail, Enter selects, and text without a selection is discarded on blur', async () => {
  const { page, press } = await open()
  await one(page).fill('copen')
  expect(await page.getByRole('option').allTextContents()).toEqual(['DenmarkCopenhagen'])
  await press('Enter')
  await expect.poll(() => one(page).inputValue()).toBe('Denmark')
  await one(page).fill('zzz')
  await page.getByText('Nothing is called that.').first().waitFor()
  expect(await active(page)).toBe('')
  await press('Enter')
  await press('Tab')
  await expect.poll(() => one(page).inputValue()).toBe('Denmark')
  expect(await page.getByRole('listbox').count()).toBe(0)
})

test('a click opens the list and selects an option, which is marked as selected', async () => {
  const { page } = await open()
  await one(page).click()
  expect(await page.getByRole('option', { selected: true }).allTextContents()).toEqual(['BelgiumBrussels'])
  await page.getByRole('option', { name: 'Finland' }).click()
  await expect.poll(() => one(page).inputValue()).toBe('Finland')
  expect(await focusOf(page)).toBe('Country')
})

test('a multiple selection keeps the list open, and selected items can be removed', async () => {
  const { page, press } = await open()
  await many(page).focus()
  await press('ArrowDown', 'ArrowDown', 'Enter')
  const chosen = page.getByRole('list', { name: '3 chosen' })
  await chosen.waitFor()
  expect(await many(page).getAttribute('aria-expanded')).toBe('true')
  await press('Escape')
  await chosen.getByRole('button', { name: 'Remove Austria' }).focus()
  await press('Enter')
  await page.getByRole('list', { name: '2 chosen' }).waitFor()
  expect(await focusOf(page), 'the button is gone').toBe('Countries')
})

test('has no accessibility violations, open or closed', async () => {
  await expectNoBarriers()
  await expectNoBarriers((page) => one(page).click())
})
