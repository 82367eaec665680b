import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const { open, expectNoBarriers } = gallery('Filters')

test('a filter shows its values, and removing them keeps focus on it', async () => {
  const { page, press } = await open()
  await page.getByRole('button', { name: 'Status', exact: true }).press('Enter')
  await page.getByRole('checkbox', { name: 'Draft' }).waitFor()
  await press('Tab', ' ')
  await page.getByRole('button', { name: 'Status: Draft' }).waitFor()
  await press('Tab', ' ')
  await page.getByRole('button', { name: 'Status: 2 chosen' }).waitFor()
  await press('Escape')
  expect(await focusOf(page)).toBe('Status: 2 chosen')
  await press('Tab', 'Enter')
  await page.getByRole('button', { name: 'Status', exact: true }).waitFor()
  expect(await focusOf(page)).toBe('Status')
})

test('search is debounced, and a chip exposes its pressed state', async () => {
  const { page, press } = await open()
  await page.getByRole('searchbox', { name: 'Search campaigns' }).pressSequentially('spring')
  await page.getByText('Searched: spring').waitFor()
  const mine = page.getByRole('button', { name: 'Mine' })
  expect(await mine.getAttribute('aria-pressed')).toBe('true')
  await mine.focus()
  await press(' ')
  await expect.poll(() => mine.getAttribute('aria-pressed')).toBe('false')
})

test('has no accessibility violations', async () => {
  await expectNoBarriers()
  await expectNoBarriers((page) => page.getByRole('button', { name: 'Status', exact: true }).click())
})
