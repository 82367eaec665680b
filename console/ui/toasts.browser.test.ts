import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const { open, expectNoBarriers } = gallery('Toasts')

test('messages appear in an existing polite live region and do not take focus', async () => {
  const { page, press } = await open()
  const region = page.getByRole('status')
  expect(await region.getAttribute('aria-live')).toBe('polite')
  expect(await region.textContent()).toBe('')
  await page.getByRole('button', { name: 'Show a message' }).focus()
  await press('Enter')
  await region.getByText('3 posts were moved.').waitFor()
  expect(await focusOf(page)).toBe('Show a message')
  for (let count = 0; count < 4; count++) await press('Enter')
  await expect.poll(() => region.getByText('3 posts were moved.').count(), { message: 'three at most' }).toBe(3)
})

test('undo runs once, and a message can be dismissed with the keyboard', async () => {
  const { page, press } = await open()
  await page.getByRole('button', { name: 'Show an undo' }).click()
  await page.getByRole('button', { name: 'Undo', exact: true }).focus()
  await press('Enter')
  await page.getByText('The post is back.').waitFor()
  expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Dismiss' }).focus()
  await press('Enter')
  await expect.poll(() => page.getByRole('status').textContent()).toBe('')
})

test('a message disappears after ten seconds, but not while its buttons are focused or hovered', async () => {
  const { page } = await open()
  await page.clock.install()
  await page.getByRole('button', { name: 'Show a problem' }).click()
  const message = page.getByText('The post was refused.')
  await message.waitFor()
  await page.clock.runFor(9_000)
  await page.getByRole('button', { name: 'Dismiss' }).focus()
  await page.clock.runFor(60_000)
  expect(await message.count()).toBe(1)
  await page.getByRole('button', { name: 'Show an undo' }).focus()
  await page.clock.runFor(9_000)
  expect(await message.count(), 'the time starts again').toBe(1)
  await page.clock.runFor(2_000)
  await message.waitFor({ state: 'detached' })
})

test('has no accessibility violations', async () => {
  await expectNoBarriers()
  await expectNoBarriers(async (page) => {
    for (const button of await page.getByRole('button', { name: /^Show/ }).all()) await button.click()
  })
})
