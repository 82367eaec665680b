import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriers, type Visitor, visitor, walk } from './visitor.ts'

let visiting: Visitor
beforeAll(async () => {
  visiting = await visitor('admin')
})
afterAll(() => visiting.close())

test('a profile that broke is found, and connected again from the console', async () => {
  const { page, complaints } = visiting
  await walk(page, '/app/profiles?state=broken')
  await page.click('.profile-card')
  await page.waitForSelector('.profile-verdict')
  expect(await page.textContent('.profile-verdict')).toContain('Broken')
  expect(await barriers(page, '.panel')).toEqual([])
  expect(complaints).toEqual([])

  await walk(page, '/app/profiles/003-1-1500000000000000501')
  // The browser leaves for the network, whose page asks whether it may, and comes back.
  await page.click('.panel-actions a:has-text("Connect again")')
  await page.waitForURL(/oauth|authorize|consent/)
  await page.click('button:not([value=deny])')
  await page.waitForURL(/\/app\/profiles$/)
  await page.waitForSelector('.toast:has-text("The profile is connected")')
})

test('every network that has an app can be chosen to connect a profile', async () => {
  const { page } = visiting
  await walk(page, '/app/profiles')
  await page.keyboard.press('n')
  await page.waitForSelector('dialog .connecting a')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  expect(await page.locator('dialog .connecting a').count()).toBe(6)
  await page.keyboard.press('Escape')
})

test('the times of a queue are painted, and show at once', async () => {
  const { page } = visiting
  await walk(page, '/app/profiles/003-1-2414184')
  await page.waitForSelector('.queue-week')
  const before = await page.locator('.queue-time').count()
  await page.getByLabel('Time').fill('17:45')
  await page.click('button:has-text("Add a time")')
  await expect.poll(() => page.locator('.queue-time:has-text("17:45")').count()).toBe(5)
  await page.reload()
  await expect.poll(() => page.locator('.queue-time').count()).toBe(before + 5)
})
