import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriers, navigate, type Visitor, visitor } from './visitor.ts'

let adminVisitor: Visitor
beforeAll(async () => {
  adminVisitor = await visitor('admin')
})
afterAll(() => adminVisitor.close())

test('a broken profile is found by its state, and reconnected', async () => {
  const { page, complaints } = adminVisitor
  await navigate(page, '/app/profiles?state=broken')
  await page.click('[data-testid=profile-card]')
  await page.waitForSelector('[data-testid=profile-status]')
  expect(await page.textContent('[data-testid=profile-status]')).toContain('Broken')
  expect(await barriers(page, '[data-ui=panel]')).toEqual([])
  expect(complaints).toEqual([])

  await navigate(page, '/app/profiles/003-1-1500000000000000501')
  // The browser is redirected to the network's consent page and back.
  await page.click('[data-ui=panel-actions] a:has-text("Connect again")')
  await page.waitForURL(/oauth|authorize|consent/)
  await page.click('button:not([value=deny])')
  await page.waitForURL(/\/app\/profiles$/)
  await page.waitForSelector('[data-ui=toast]:has-text("The profile is connected")')
})

test('every network with an app is offered when connecting a profile', async () => {
  const { page } = adminVisitor
  await navigate(page, '/app/profiles')
  await page.keyboard.press('n')
  await page.waitForSelector('dialog [data-testid=connect-list] a')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  expect(await page.locator('dialog [data-testid=connect-list] a').count()).toBe(6)
  await page.keyboard.press('Escape')
})

test('new queue times appear immediately, and persist', async () => {
  const { page } = adminVisitor
  await navigate(page, '/app/profiles/003-1-2414184')
  await page.waitForSelector('[data-testid=queue-week]')
  const before = await page.locator('[data-testid=queue-time]').count()
  await page.getByLabel('Time').fill('17:45')
  await page.click('button:has-text("Add a time")')
  await expect.poll(() => page.locator('[data-testid=queue-time]:has-text("17:45")').count()).toBe(5)
  await page.reload()
  await expect.poll(() => page.locator('[data-testid=queue-time]').count()).toBe(before + 5)
})

test('admins see the registration of a network app, check it, and see its usage and budget', async () => {
  const { page, complaints } = adminVisitor
  complaints.length = 0
  await navigate(page, '/app/profiles')
  await page.click('[data-ui=tabs] a:has-text("Network apps")')
  await page.waitForSelector('[data-testid=network-apps] [data-testid=profile-card]')
  expect(await page.locator('[data-testid=network-apps] [data-testid=profile-card]').count()).toBe(6)
  await page.locator('[data-testid=network-apps] [data-testid=profile-card]:has-text("LinkedIn")').focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-ui=panel] h2:has-text("LinkedIn")')
  expect(new URL(page.url()).search).toBe('?view=apps&app=LinkedIn')
  const panel = page.locator('[data-ui=panel]')
  for (const text of ['community-management', 'CHORUS_LINKEDIN_SCOPES=share', 'docs/networks/linkedin.md', '202607'])
    expect(await panel.textContent()).toContain(text)
  await page.click('[data-ui=panel-actions] button:has-text("Check now")')
  await page.waitForSelector('[data-testid=network-apps-findings]')
  expect(await page.textContent('[data-testid=network-apps-findings]')).toContain(
    "LinkedIn accepts the app's ID and secret.",
  )
  expect(await page.locator('[data-testid=network-apps-findings] li').count()).toBeGreaterThan(2)
  expect(await barriers(page, 'main')).toEqual([])
  await page.keyboard.press('Escape')
  await page.waitForSelector('[data-ui=panel]', { state: 'detached' })

  await navigate(page, '/app/profiles?view=apps&app=Twitter')
  await page.waitForSelector('[data-testid=network-apps-budgets]')
  expect(await page.textContent('[data-testid=network-apps-budgets]')).toContain(
    'Limit set with CHORUS_X_MONTHLY_SPEND',
  )
  expect(complaints).toEqual([])
})

test('only admins see network apps', async () => {
  const publisher = await visitor('publisher')
  await publisher.open('/app/profiles?view=apps')
  await publisher.page.waitForSelector('[data-testid=profiles-list] [data-testid=profile-card]')
  expect(await publisher.page.locator('[data-testid=network-apps], [data-ui=tabs]').count()).toBe(0)
  await publisher.close()
})
