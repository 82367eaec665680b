import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, caller } from '../support/caller.ts'
import { openDatabaseProxy } from '../support/database/database-proxy.ts'
import { sharedKey } from '../support/keeper.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { settled, type Visitor, visitor, wide } from './visitor.ts'

/** Two tabs of one browser, and another user's changes. */

let contributor: Visitor
let secondTab: Page
let publisher: Caller
const feeds: Request[] = []
beforeAll(async () => {
  contributor = await visitor('contributor')
  publisher = caller(contributor.url, '001demo00000001', `${sharedKey}-publisher`)
  contributor.page.context().on('request', (request) => {
    if (request.url().includes('/app/api/feed')) feeds.push(request)
  })
  await contributor.open('/app/home')
  secondTab = await contributor.page.context().newPage()
  await secondTab.goto(`${contributor.url}/app/home`)
  await settled(secondTab)
})
afterAll(() => contributor.close())

const isListed = (page: Page, text: string) => page.isVisible(`[data-testid=home-list] >> text=${text}`)

let planned = 0

/** A post with a unique message within the next hour; each is due before the previous ones, so that it is listed first. */
async function plan(message: string) {
  const campaignId = '002demo00000001'
  const { json } = await publisher('POST /message', { body: { campaignId, network: 'LinkedIn', message } })
  const profiles = (await publisher('GET /credential', { query: 'network=LinkedIn' })).json.Items
  const body = {
    messageId: json.Message.Id,
    credentialIds: profiles[0].Id,
    startDateTime: Math.floor(Date.now() / 1000) + 1800 - 60 * planned++,
  }
  expect((await publisher('POST /post', { body })).status).toBe(200)
}

test('two tabs share one feed connection, and both show another user’s post', async () => {
  expect(feeds).toHaveLength(1)
  await plan('Seen in both tabs at once')
  for (const page of [contributor.page, secondTab])
    await expect.poll(() => isListed(page, 'Seen in both tabs')).toBe(true)
})

test('when the tab with the connection is closed, the other reconnects without missing changes', async () => {
  const [listening] = feeds
  const [closed, stays] =
    listening?.frame().page() === secondTab ? [secondTab, contributor.page] : [contributor.page, secondTab]
  await closed.close()
  await plan('Seen by the one that stayed')
  await expect.poll(() => isListed(stays, 'Seen by the one that stayed')).toBe(true)
  expect(feeds).toHaveLength(2)
})

test('changes made while the connection is lost appear after reconnecting, without a reload', async () => {
  const proxy = await openDatabaseProxy((await sharedProgram()).url)
  const reader = await visitor('contributor', wide, { url: proxy.url.replace(/\/$/, '') })
  const { page } = reader
  let failedRequests = 0
  page.on('requestfailed', (request) => {
    if (request.url().includes('/app/api/feed')) failedRequests++
  })
  await reader.open('/app/home')
  await plan('Planned before the disconnection')
  await expect.poll(() => isListed(page, 'Planned before the disconnection')).toBe(true)
  await page.evaluate(`globalThis.notReloaded = true`)

  proxy.cut()
  await page.waitForSelector('[data-testid=offline-bar]')
  await plan('Planned while disconnected')
  // Retried with backoff: about twenty seconds in total.
  await expect.poll(() => failedRequests).toBeGreaterThan(3)
  await plan('Planned just before reconnecting')
  expect(await isListed(page, 'Planned while disconnected')).toBe(false)

  proxy.restore()
  for (const text of ['Planned while disconnected', 'Planned just before reconnecting'])
    await expect.poll(() => isListed(page, text)).toBe(true)
  await page.waitForSelector('[data-testid=offline-bar]', { state: 'detached' })
  await plan('Planned after reconnecting')
  await expect.poll(() => isListed(page, 'Planned after reconnecting')).toBe(true)
  expect(await page.evaluate(`globalThis.notReloaded`)).toBe(true)
  await reader.close()
  proxy.close()
})
