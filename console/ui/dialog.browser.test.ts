import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const { open, expectNoBarriers } = gallery('Dialog')

test('opening moves focus to the first field, traps it, and closing returns it', async () => {
  const { page, press } = await open()
  await page.getByRole('button', { name: 'Rename' }).focus()
  await press('Enter')
  await page.getByRole('dialog', { name: 'Rename campaign' }).waitFor()
  expect(await focusOf(page)).toBe('Name')
  const inside = []
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
    await press(key)
    inside.push(
      await page.evaluate(`document.activeElement === document.body || !!document.activeElement.closest('dialog')`),
    )
  }
  expect(inside, 'never behind it').toEqual(inside.map(() => true))
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focusOf(page)).toBe('Rename')
})

test('Enter in a field submits the dialog, and the page behind it is inert', async () => {
  const { page, press } = await open()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Autumn')
  expect(await page.evaluate(`document.querySelector('dialog').matches(':modal')`), 'the rest is inert').toBe(true)
  await press('Enter')
  await page.getByText('Named Autumn').waitFor()
  expect(await focusOf(page)).toBe('Rename')
})

test('a dialog without fields focuses its close button, and a click on the backdrop closes it', async () => {
  const { page } = await open()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete campaign' }).waitFor()
  expect(await focusOf(page)).toBe('Close')
  await page.mouse.click(5, 5)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focusOf(page)).toBe('Delete')
})

test('has no accessibility violations, open or closed', async () => {
  await expectNoBarriers()
  await expectNoBarriers((page) => page.getByRole('button', { name: 'Rename' }).click())
})
