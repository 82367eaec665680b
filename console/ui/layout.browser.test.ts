import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const [panels, tabs] = [gallery('Panel'), gallery('Tabs')]

test('opening a panel moves focus to its heading; Escape or its close button returns it', async () => {
  const { page, press } = await panels.open()
  const trigger = page.getByRole('button', { name: 'Open the panel' })
  await trigger.press('Enter')
  await page.getByRole('complementary', { name: 'Spring range' }).waitFor()
  expect(await focusOf(page)).toBe('Spring range')
  await press('Escape')
  expect(await focusOf(page)).toBe('Open the panel')
  await trigger.press('Enter')
  await press('Tab', 'Enter')
  await page.getByRole('complementary').waitFor({ state: 'detached' })
  expect(await focusOf(page)).toBe('Open the panel')
})

test('tabs are links in a labelled navigation landmark with one current page', async () => {
  const { page, press } = await tabs.open()
  const links = page.getByRole('navigation', { name: 'Approvals' }).getByRole('link')
  expect(await links.count()).toBe(3)
  expect(await page.locator('[aria-current=page]').allTextContents()).toEqual(['To decide4'])
  await press('Tab', 'Tab')
  expect(await focusOf(page)).toBe('Sent by me')
  await press('Enter')
  await page.waitForURL(/view=sent/)
})

test('has no accessibility violations', async () => {
  await panels.expectNoBarriers()
  await panels.expectNoBarriers((page) => page.getByRole('button', { name: 'Open the panel' }).click())
  await tabs.expectNoBarriers()
})
