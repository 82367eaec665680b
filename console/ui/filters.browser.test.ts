import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const { open, expectNoBarriers } = gallery('Filters')

test('a filter shows its values, and taking them off keeps the focus', async () => {
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

test('a search starts when the user pauses, and a chip says whether it is pressed', async () => {
  const { page, press } = await open()
  await page.getByRole('searchbox', { name: 'Search campaigns' }).pressSequentially('spring')
  await page.getByText('Searched: spring').waitFor()
  const mine = page.getByRole('button', { name: 'Mine' })
  expect(await mine.getAttribute('aria-pressed')).toBe('true')
  await mine.focus()
  await press(' ')
  await expect.poll(() => mine.getAttribute('aria-pressed')).toBe('false')
})

test('they have no barriers', async () => {
  await expectNoBarriers()
  await expectNoBarriers((page) => page.getByRole('button', { name: 'Status', exact: true }).click())
})
