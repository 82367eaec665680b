import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const [fields, areas, times] = [gallery('Field'), gallery('Text area'), gallery('Date and time')]
const [choices, ticks, segments] = [gallery('Select'), gallery('Checkbox and switch'), gallery('Segmented control')]

test('a field is described by its hint or error', async () => {
  const { page } = await fields.open()
  const wrong = page.getByLabel('With an error')
  expect(await wrong.getAttribute('aria-invalid')).toBe('true')
  const description = await wrong.getAttribute('aria-describedby')
  expect(await page.locator(`[id="${description}"]`).textContent()).toBe('A name may have 200 characters.')
  const password = page.getByLabel('Password', { exact: true })
  expect(await password.getAttribute('type')).toBe('password')
  const toggle = page.getByRole('button', { name: 'Show Password' })
  await toggle.press('Enter')
  expect(await password.getAttribute('type')).toBe('text')
  expect(await page.getByRole('button', { name: 'Hide Password' }).getAttribute('aria-pressed')).toBe('true')
})

test('date and time can be typed or changed with arrow keys', async () => {
  const { page, press } = await times.open()
  await page.getByLabel('Day').fill('2026-12-24')
  await page.getByText('2026-12-24 09:30').waitFor()
  await page.getByRole('textbox', { name: 'Time' }).focus()
  await press('ArrowUp')
  await page.getByText('2026-12-24 10:30').waitFor()
  await page.getByLabel('Day').fill('')
  await page.getByText('2026-12-24').waitFor({ state: 'detached' })
})

test('checkbox and switch are toggled by Space and by their label', async () => {
  const { page, press } = await ticks.open()
  const notifications = page.getByRole('switch', { name: 'Email notifications' })
  expect(await notifications.isChecked()).toBe(true)
  await notifications.focus()
  await press(' ')
  await expect.poll(() => notifications.isChecked()).toBe(false)
  await page.getByText('Archived campaigns').click()
  await expect.poll(() => notifications.isChecked()).toBe(true)
})

test('a segmented control is one tab stop with arrow keys', async () => {
  const { page, press } = await segments.open()
  const group = page.getByRole('group', { name: 'View' })
  await press('Tab')
  expect(await focusOf(page)).toBe('Month')
  await press('ArrowRight')
  expect(await group.getByRole('radio', { name: 'Week' }).isChecked()).toBe(true)
  await press('ArrowLeft', 'ArrowLeft')
  expect(await focusOf(page)).toBe('Day')
  await press('Shift+Tab')
  expect(await focusOf(page)).toBe('nothing')
})

test('has no accessibility violations', async () => {
  for (const { expectNoBarriers } of [fields, areas, times, choices, ticks, segments]) await expectNoBarriers()
})
