import type { CDPSession } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profiles } from '../support/publishing.ts'
import { deep } from '../support/randomness.ts'
import { adminOf, linkMailedTo, makeUser } from './test-users.ts'
import {
  barriers,
  type Kind,
  leaveScreen,
  navigate,
  phone,
  scrollsSideways,
  settled,
  type Visitor,
  visitor,
  wide,
} from './visitor.ts'

/** Every screen in both themes and two widths: no accessibility violation, no browser error, no horizontal scrolling. */

type Theme = 'light' | 'dark'
type View = readonly [size: typeof wide | typeof phone, theme: Theme, of: Kind]

/** Far from other posts: only panels are checked, for which a few posts are enough. */
const quietDay = '2029-03-12'

let adminVisitor: Visitor
let postId: string
beforeAll(async () => {
  adminVisitor = await visitor('admin')
  const admin = await adminOf()
  const message = { network: 'LinkedIn', campaignId: '002demo00000001', message: 'Checked' }
  const messageId = (await admin('POST /message', { body: message })).json.Message.Id
  const when = { credentialIds: profiles.linkedInPage, startDateTime: `${quietDay} 09:00:00` }
  postId = (await admin('POST /post', { body: { messageId, ...when } })).json.Post.Id
})
afterAll(() => adminVisitor.close())

/** All checks in one window and theme, and in the others only those whose result can differ; the first theme alternates between screens. */
const viewsOf = (turn: number): View[] => {
  const [one, other] = turn % 2 ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  // The frame around all screens is different on phones; it is checked once.
  const there: Kind = turn === 0 ? 'everything' : deep<Kind>('colours and room', 'everything')
  return [
    [wide, one, 'everything'],
    [wide, other, 'colours'],
    [phone, other, there],
    [phone, one, 'colours'],
  ]
}

/** Resizes the same page to a phone and back. */
const devtools = new WeakMap<Visitor, CDPSession>()
const sizes = new WeakMap<Visitor, typeof wide | typeof phone>()
async function resize(one: Visitor, size: typeof wide | typeof phone) {
  if ((sizes.get(one) ?? wide) === size) return
  sizes.set(one, size)
  const session = devtools.get(one) ?? (await one.page.context().newCDPSession(one.page))
  devtools.set(one, session)
  const mobile = size === phone
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: mobile })
  await session.send('Emulation.setDeviceMetricsOverride', { ...size.viewport, deviceScaleFactor: 1, mobile })
  expect(await one.page.evaluate(`[innerWidth, matchMedia('(pointer: coarse)').matches]`)).toEqual([
    size.viewport.width,
    mobile,
  ])
  await settled(one.page)
}

interface Where {
  part?: string
  at?: Visitor
}

let turn = 0
async function checkScreen(path: string, where: Where = {}) {
  let found = await errorsAt(path, where)
  // Other tests may delete files before the lists are updated, so a 404 is checked a second time. A real error occurs again.
  if (found.length > 0 && found.every((complaint) => complaint.includes('404'))) {
    await leaveScreen(where.at ?? adminVisitor)
    found = await errorsAt(path, where)
  }
  expect(found, path).toEqual([])
}

/** Asserts that there is no accessibility violation and no horizontal scrolling; returns the browser's errors. */
async function errorsAt(path: string, { part = '', at = adminVisitor }: Where): Promise<string[]> {
  const { page, complaints } = at
  await navigate(page, path)
  for (const [size, theme, of] of viewsOf(turn++)) {
    await resize(at, size)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const here = `${path} ${theme} ${size.viewport.width}`
    expect(await barriers(page, part, of), here).toEqual([])
    expect(await scrollsSideways(page), `${here} scrolls horizontally`).toEqual([])
  }
  await resize(at, wide)
  return complaints.splice(0)
}

test('the screens of the sidebar are accessible', async () => {
  const paths = await adminVisitor.page.$$eval('[data-testid=sidebar-links] a', (links) =>
    links.map((link) => link.getAttribute('href') ?? ''),
  )
  expect(paths).toContain('/app/calendar')
  for (const path of paths) await checkScreen(path === '/app/calendar' ? `${path}?day=${quietDay}` : path)
})

test('the calendar views and panels are accessible', async () => {
  const address = `/app/calendar?day=${quietDay}`
  // The month view is covered by the sidebar test.
  for (const view of ['week', 'day', 'list']) await checkScreen(`${address}&view=${view}`, { part: 'main' })
  for (const panel of [`post=${postId}`, `list=${quietDay}`, 'late=1', 'wrong=1'])
    await checkScreen(`${address}&${panel}`, { part: '[data-ui=panel]' })
})

test('the approval views and the campaign panel are accessible', async () => {
  for (const path of ['/app/approvals?view=decided', '/app/approvals?view=waiting'])
    await checkScreen(path, { part: 'main' })
  await checkScreen('/app/campaigns/002demo00000001', { part: '[data-ui=panel]' })
})

test('the network apps and one app’s panel are accessible', async () => {
  await checkScreen('/app/profiles?view=apps', { part: 'main' })
  await checkScreen('/app/profiles?view=apps&app=Instagram', { part: '[data-ui=panel]' })
})

test('the composer with the media picker is accessible', () =>
  checkScreen('/app/compose?media=1', { part: 'dialog[open]' }))

test('the people screens and all settings, with their panels and dialogs, are accessible', async () => {
  const { page } = adminVisitor
  await navigate(page, '/app/settings/me')
  const paths = await page.$$eval('[data-testid=settings-nav] a', (links) =>
    links.map((link) => link.getAttribute('href') ?? ''),
  )
  expect(paths).toHaveLength(10)
  for (const path of ['/app/people?user=00Ademo00000003', '/app/people?team=025demo00000001'])
    await checkScreen(path, { part: '[data-ui=panel]' })
  for (const path of ['/app/people?view=invitations', ...paths.slice(1)]) await checkScreen(path, { part: 'main' })
  await checkScreen('/app/settings/workflows?workflow=new', { part: 'dialog[open]' })
})

test('the page for unknown URLs is accessible', () => checkScreen('/app/nowhere/at/all', { part: 'main' }))

test('the command palette, the shortcut list and the user menu are accessible', async () => {
  const { page } = adminVisitor
  await leaveScreen(adminVisitor)
  for (const [key, what] of [
    ['Control+k', 'dialog[data-testid=palette]'],
    ['?', 'dialog[data-testid=shortcut-list]'],
  ] as const) {
    await page.keyboard.press(key)
    await page.waitForSelector(what)
    for (const [size, theme, of] of viewsOf(turn++)) {
      await resize(adminVisitor, size)
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      expect(await barriers(page, what, of), what).toEqual([])
    }
    await resize(adminVisitor, wide)
    await page.keyboard.press('Escape')
  }
  await page.click('[data-testid=user-menu]')
  expect(await barriers(page), 'menu').toEqual([])
})

test('the sign-in, password reset and invitation pages are accessible', async () => {
  const visitorWithoutSession = await visitor()
  const { email } = await makeUser('Wanda')
  await fetch(`${visitorWithoutSession.url}/app/api/password-reset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  const { pathname, search } = new URL(await linkMailedTo(email))
  await visitorWithoutSession.open('/app/sign-in')
  for (const path of ['/app/sign-in', '/app/reset', pathname + search, '/app/invitation?token=x'])
    await checkScreen(path, { at: visitorWithoutSession })
  await visitorWithoutSession.close()
})
