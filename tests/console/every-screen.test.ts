import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profiles } from '../support/publishing.ts'
import { adminOf } from './newcomer.ts'
import { barriers, phone, scrollsSideways, settled, type Visitor, visitor, walk, wide } from './visitor.ts'

/** Every screen in both themes and two widths: no barrier, no complaint of the browser, nothing to scroll sideways. */

const windows = [
  ['wide', wide],
  ['phone', phone],
] as const
const themes = ['light', 'dark'] as const
/** Far from what the demo plans: what opens beside the calendar is looked at, not the calendar again. */
const quietDay = '2031-05-12'

/** Looks at an address in both themes: at everything in one of them, which is another one on a phone, and at the colours in the other. */
async function look({ page, complaints }: Visitor, path: string) {
  await walk(page, path)
  const isWide = page.viewportSize()?.width === wide.viewport.width
  for (const [index, theme] of (isWide ? themes : themes.toReversed()).entries()) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    expect(await barriers(page, index === 0 ? 'everything' : 'colours'), `${path} ${theme}`).toEqual([])
    expect(await scrollsSideways(page), `${path} ${theme} scrolls sideways`).toEqual([])
  }
  expect(complaints.splice(0), path).toEqual([])
}

describe.each(windows)('%s', (_, size) => {
  let visiting: Visitor
  beforeAll(async () => {
    visiting = await visitor('admin', size)
    await visiting.open('/app/home')
  })
  afterAll(() => visiting.close())

  test('every place of the rail', async () => {
    const paths = await visiting.page.$$eval('.rail-places a', (links) =>
      links.map((link) => link.getAttribute('href')),
    )
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths) await look(visiting, path ?? '')
  })

  test('every view of the calendar and what opens beside it', async () => {
    const admin = await adminOf()
    const message = { network: 'LinkedIn', campaignId: '002demo00000001', message: 'Looked at' }
    const messageId = (await admin('POST /message', { body: message })).json.Message.Id
    const when = { credentialIds: profiles.linkedInPage, startDateTime: `${quietDay} 09:00:00` }
    const { Post } = (await admin('POST /post', { body: { messageId, ...when } })).json
    for (const what of [
      'view=week',
      'view=day',
      'view=list',
      `post=${Post.Id}`,
      `list=${quietDay}`,
      'late=1',
      'wrong=1',
    ])
      await look(visiting, `/app/calendar?day=${quietDay}&${what}`)
  })

  test('what is open beside lists: an approval, a campaign', async () => {
    for (const path of ['/app/approvals?view=decided', '/app/approvals?view=waiting', '/app/campaigns/002demo00000001'])
      await look(visiting, path)
  })

  test('the composer with the library over it', () => look(visiting, '/app/compose?media=1'))

  test('people and every section of the settings, with what opens in them', async () => {
    const { page, complaints } = visiting
    await walk(page, '/app/settings/me')
    const paths = await page.$$eval('.settings-nav a', (links) => links.map((link) => link.getAttribute('href') ?? ''))
    expect(paths).toHaveLength(10)
    const parts = [
      ...['/app/people?user=00Ademo00000003', '/app/people?team=025demo00000001', '/app/people?view=invitations'],
      ...[...paths.slice(1), '/app/settings/workflows?workflow=new'],
    ]
    // Both themes of their screens were looked at; of their parts each is, in one.
    for (const [index, path] of parts.entries()) {
      await page.emulateMedia({ colorScheme: (index + Number(size === wide)) % 2 ? 'dark' : 'light' })
      await walk(page, path)
      expect([await barriers(page), await scrollsSideways(page)], path).toEqual([[], []])
    }
    expect(complaints.splice(0)).toEqual([])
  })

  test('addresses that lead nowhere', () => look(visiting, '/app/nowhere/at/all'))

  test('palette, keys and the menu behind one’s name', async () => {
    const { page } = visiting
    await walk(page, '/app/home')
    for (const [key, what] of [
      ['Control+k', 'dialog.palette'],
      ['?', 'dialog.key-list'],
    ] as const) {
      await page.keyboard.press(key)
      await page.waitForSelector(what)
      await settled(page)
      expect(await barriers(page), what).toEqual([])
      await page.keyboard.press('Escape')
    }
    if (size === wide) {
      await page.click('.myself')
      expect(await barriers(page), 'menu').toEqual([])
    }
  })
})

test.each(windows)('the way in, %s', async (_, size) => {
  const visiting = await visitor(undefined, size)
  await visiting.open('/app/sign-in')
  for (const path of ['/app/sign-in', '/app/reset', '/app/reset?token=x', '/app/invitation?token=x'])
    await look(visiting, path)
  await visiting.close()
})
