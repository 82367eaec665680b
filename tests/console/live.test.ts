import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, caller } from '../support/caller.ts'
import { openDatabaseProxy } from '../support/database/database-proxy.ts'
import { sharedKey } from '../support/keeper.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { settled, type Visitor, visitor, wide } from './visitor.ts'

/** Two tabs of one browser, and another user's changes. */

let somebody: Visitor
let other: Page
let publisher: Caller
const feeds: Request[] = []
beforeAll(async () => {
  somebody = await visitor('contributor')
  publisher = caller(somebody.url, '001demo00000001', `${sharedKey}-publisher`)
  somebody.page.context().on('request', (request) => {
    if (request.url().includes('/app/api/feed')) feeds.push(request)
  })
  await somebody.open('/app/home')
  other = await somebody.page.context().newPage()
  await other.goto(`${somebody.url}/app/home`)
  await settled(other)
})
afterAll(() => somebody.close())

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

test('one tab listens for both, and both show what somebody else planned', async () => {
  expect(feeds).toHaveLength(1)
  await plan('Seen in both tabs at once')
  for (const page of [somebody.page, other]) await expect.poll(() => isListed(page, 'Seen in both tabs')).toBe(true)
})

test('when the tab that listens is closed, the other listens and has missed nothing', async () => {
  const [listening] = feeds
  const [closed, stays] = listening?.frame().page() === other ? [other, somebody.page] : [somebody.page, other]
  await closed.close()
  await plan('Seen by the one that stayed')
  await expect.poll(() => isListed(stays, 'Seen by the one that stayed')).toBe(true)
  expect(feeds).toHaveLength(2)
})

test('while the line is broken nothing is heard, and all that happened meanwhile is caught up without loading anew', async () => {
  const line = await openDatabaseProxy((await sharedProgram()).url)
  const reader = await visitor('contributor', wide, { url: line.url.replace(/\/$/, '') })
  const { page } = reader
  let refused = 0
  page.on('requestfailed', (request) => {
    if (request.url().includes('/app/api/feed')) refused++
  })
  await reader.open('/app/home')
  await plan('Heard before the line broke')
  await expect.poll(() => isListed(page, 'Heard before the line broke')).toBe(true)
  await page.evaluate(`globalThis.notLoadedAnew = true`)

  line.cut()
  await page.waitForSelector('[data-testid=offline-bar]')
  await plan('Planned while nobody heard')
  // Retried with backoff: about twenty seconds in total.
  await expect.poll(() => refused).toBeGreaterThan(3)
  await plan('Planned just before the line was mended')
  expect(await isListed(page, 'Planned while nobody heard')).toBe(false)

  line.restore()
  for (const text of ['Planned while nobody heard', 'Planned just before the line was mended'])
    await expect.poll(() => isListed(page, text)).toBe(true)
  await page.waitForSelector('[data-testid=offline-bar]', { state: 'detached' })
  await plan('Heard again')
  await expect.poll(() => isListed(page, 'Heard again')).toBe(true)
  expect(await page.evaluate(`globalThis.notLoadedAnew`)).toBe(true)
  await reader.close()
  line.close()
})
