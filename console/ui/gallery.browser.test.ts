import { expect, test } from 'vitest'
import { focusOf, gallery } from '../../tests/support/gallery.ts'

const shown = ['Button', 'Badges', 'Details', 'Diff', 'States'].map(gallery)

test('a busy or disabled button is announced and does nothing', async () => {
  const { page } = await (shown[0] as (typeof shown)[0]).open()
  const disabled = page.getByRole('button', { name: 'Disabled' })
  expect([await disabled.getAttribute('aria-disabled'), await disabled.getAttribute('title')]).toEqual([
    'true',
    'Choose a profile first.',
  ])
  await disabled.focus()
  expect(await focusOf(page)).toBe('Disabled')
})

test('static components have no accessibility violations', async () => {
  for (const { expectNoBarriers } of shown) await expectNoBarriers()
})
