import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const popover = gallery('Popover')
const tooltip = gallery('Tooltip')

test('a popover is opened by its trigger, closed by the trigger, Escape or an outside click, and returns focus', async () => {
  const { page, press } = await popover.open()
  const trigger = page.getByRole('button', { name: 'Appearance' })
  await trigger.focus()
  await press('Enter')
  await page.getByRole('dialog', { name: 'Appearance' }).waitFor()
  expect(await trigger.getAttribute('aria-expanded')).toBe('true')
  await press('Tab')
  expect(await focusOf(page)).toBe('Accent')
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await focusOf(page)).toBe('Appearance')
  expect(await trigger.getAttribute('aria-expanded')).toBe('false')
  await trigger.click()
  await page.getByLabel('Accent').waitFor()
  await trigger.click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await trigger.click()
  await page.getByLabel('Accent').waitFor()
  await page.mouse.click(5, 5)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
})

test('a tooltip shows the label on focus and hover, and Escape hides it', async () => {
  const { page, press } = await tooltip.open()
  const bubble = page.locator('[popover=manual]', { hasText: 'Settings' })
  await press('Tab')
  await bubble.waitFor({ state: 'visible' })
  await press('Escape')
  await bubble.waitFor({ state: 'hidden' })
  expect(await focusOf(page)).toBe('Settings')
  await page.getByRole('button', { name: 'Settings' }).hover()
  await bubble.waitFor({ state: 'visible' })
  await page.mouse.move(5, 5)
  await bubble.waitFor({ state: 'hidden' })
})

test('has no accessibility violations', async () => {
  await popover.expectNoBarriers()
  await popover.expectNoBarriers((page) => page.getByRole('button', { name: 'Appearance' }).click())
  await tooltip.expectNoBarriers()
})
