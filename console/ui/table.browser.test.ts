import { expect, test } from 'vitest'
import { gallery } from '../../tests/support/gallery.ts'

const { open, expectNoBarriers } = gallery('Table')
/** The number of the focused row; 0 outside of the rows. */
const focusedRow = 'Number(document.activeElement.getAttribute("aria-rowindex")) - 1'

test('the rows are one tab stop; arrow keys, letters, Page Up, Page Down, Home and End move between rows', async () => {
  const { page, press } = await open()
  const at = () => page.evaluate(focusedRow)
  await page.getByRole('row', { name: 'Campaign 1 0' }).focus()
  for (const [key, row] of [
    ['ArrowDown', 2],
    ['j', 3],
    ['ArrowUp', 2],
    ['k', 1],
    ['ArrowUp', 1],
    ['End', 500],
    ['ArrowDown', 500],
    ['Home', 1],
  ] as const) {
    await press(key)
    await expect.poll(at, { message: key }).toBe(row)
  }
  await press('PageDown')
  await expect.poll(at).toBeGreaterThan(3)
  expect(await page.locator('tbody tr[tabindex="0"]').count()).toBe(1)
  await press('Tab')
  expect(await at()).toBe(-1)
  await press('Shift+Tab')
  expect(await at()).toBeGreaterThan(3)
})

test('after the focused row is scrolled out of view, a visible row is the tab stop', async () => {
  const { page } = await open()
  await page.evaluate(`document.querySelector('[role=grid]').parentElement.scrollTo({ top: 9000 })`)
  await page.getByRole('row', { name: 'Campaign 252 ' }).waitFor()
  expect(await page.locator('tbody tr[tabindex="0"]').count()).toBe(1)
})

test('Enter opens a row; x, Space and the checkboxes select rows, with Shift a range', async () => {
  const { page, press } = await open()
  const grid = page.getByRole('grid', { name: 'Campaigns' })
  expect([await grid.getAttribute('aria-rowcount'), await grid.getAttribute('aria-multiselectable')]).toEqual([
    '501',
    'true',
  ])
  const first = page.getByRole('row', { name: 'Campaign 1 0' })
  await first.focus()
  await press('Enter')
  await page.getByText('0 selected, row-0 open').waitFor()
  await press('x')
  await page.getByText('1 selected').waitFor()
  expect(await first.getAttribute('aria-selected')).toBe('true')
  await press('ArrowDown', 'ArrowDown')
  await expect.poll(() => page.evaluate(focusedRow)).toBe(3)
  await press('Shift+X')
  await page.keyboard.press('Shift+Space')
  await page.getByText('3 selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select Campaign 2', exact: true }).click()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByText('500 selected').waitFor()
})

test('a column header exposes the sort direction', async () => {
  const { page, press } = await open()
  const clicks = page.getByRole('columnheader', { name: 'Clicks' })
  expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending')
  await clicks.getByRole('button').focus()
  await press('Enter')
  await expect.poll(() => clicks.getAttribute('aria-sort')).toBe('ascending')
  await press(' ')
  await expect.poll(() => clicks.getAttribute('aria-sort')).toBe('descending')
  expect(await page.locator('th[aria-sort]').count()).toBe(1)
})

test('has no accessibility violations', () => expectNoBarriers())
