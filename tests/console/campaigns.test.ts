import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, caller } from '../support/caller.ts'
import { sharedKey } from '../support/keeper.ts'
import { profiles } from '../support/publishing.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { barriers, navigate, phone, scrollsSideways, type Visitor, visitor } from './visitor.ts'

let admin: Caller
let publisher: Visitor
beforeAll(async () => {
  const { url } = await sharedProgram()
  admin = caller(url, '001demo00000001', sharedKey)
  publisher = await visitor('publisher')
})
afterAll(() => publisher.close())

const campaignOf = async (id: string) => (await admin(`GET /campaign/${id}`, { query: 'withTags=1' })).json.Campaign

/** A campaign with a number of scheduled posts and a draft. */
async function newCampaign(name: string, planned: number) {
  const id: string = (await admin('POST /campaign', { body: { name } })).json.Campaign.Id
  const posts: string[] = []
  for (let number = 0; number <= planned; number++) {
    const body = { network: 'LinkedIn', campaignId: id, message: `${name} ${number}` }
    const messageId = (await admin('POST /message', { body })).json.Message.Id
    const rest = { credentialIds: profiles.linkedInPage, startDateTime: '2031-09-01 09:00:00' }
    const { json } = await admin('POST /post', {
      body: { messageId, ...rest, ...(number === planned && { status: 'draft' }) },
    })
    posts.push(json.Post.Id)
  }
  return { id, posts }
}

test('a campaign is created, renamed, colored, tagged and found, with its state in the URL', async () => {
  const { page, complaints } = publisher
  await navigate(page, '/app/campaigns')
  await page.keyboard.press('n')
  await page.waitForSelector('dialog')
  await page.click('dialog >> button:has-text("Make the campaign")')
  await page.waitForSelector('dialog >> text=Give it a name')
  await page.locator('dialog').getByLabel('Name').fill('Ridge walks')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  await page.click('dialog >> button:has-text("Make the campaign")')
  await page.waitForSelector('[data-ui=panel] >> text=Ridge walks')
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.locator('[data-ui=panel]').getByLabel('Name').fill('Ridge walks, autumn')
  await page.click('[data-testid=campaign-line] >> button:has-text("Save")')
  await expect.poll(async () => (await campaignOf(id)).Name).toBe('Ridge walks, autumn')
  await page.getByLabel('Colour #BE185D').click()
  await expect.poll(async () => (await campaignOf(id)).Color).toBe('#BE185D')
  await page.getByLabel('Is over on').fill('2031-12-24')
  await expect.poll(async () => (await campaignOf(id)).EndDate).toContain('2031-12-24')
  await page.locator('[data-ui=panel]').getByRole('combobox', { name: 'Tags' }).click()
  await page.click('[data-ui=panel] [role=option]:has-text("Evergreen")')
  await expect.poll(async () => (await campaignOf(id)).Tags).toEqual(['Evergreen'])
  await page.click('[data-ui=panel] >> text=Links and UTM')
  await page.getByLabel('Source', { exact: true }).fill('ridge')
  await page.click('[data-testid=campaign-utm] >> button:has-text("Save")')
  await expect
    .poll(async () => (await admin(`GET /app/api/campaign/${id}/link-settings`)).json.LinkSettings.UtmSource)
    .toBe('ridge')
  expect(await barriers(page, '[data-ui=panel]')).toEqual([])

  await page.fill('[data-find]', 'ridge')
  await expect.poll(() => page.locator('[data-ui=table] tbody tr').count()).toBe(1)
  expect(await page.textContent('[data-ui=table] tbody tr')).toContain('24 Dec 2031')
  await page.click('button:has-text("Saved views")')
  await page.click('text=Save this view…')
  await page.locator('dialog').getByLabel('Name').fill('Ridges')
  await page.click('dialog >> button:has-text("Save")')
  await page.waitForSelector('[data-ui=toast] >> text=Saved as “Ridges”')
  await navigate(page, '/app/campaigns?status=archived')
  await page.click('button:has-text("Saved views")')
  await page.click('[data-testid=saved-views] >> text=Ridges')
  await expect.poll(() => new URL(page.url()).search).toBe('?q=ridge')
  // Another user's change appears without a reload.
  await admin(`POST /campaign/${id}`, { body: { name: 'Ridge walks, winter' } })
  await page.waitForSelector('[data-ui=table] >> text=Ridge walks, winter')
  expect(complaints).toEqual([])
})

test('pausing and archiving affect the announced number of posts, and pausing is undone', async () => {
  const { id, posts } = await newCampaign('Announced numbers', 3)
  const { page, open } = publisher
  await open(`/app/campaigns/${id}`)
  await page.click('[data-ui=panel-actions] >> text=Pause')
  await page.waitForSelector('dialog >> text=3 planned posts will be held until you resume.')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  await page.click('dialog >> button:has-text("Pause")')
  await page.waitForSelector('[data-ui=panel] [data-ui=status-badge]:has-text("Paused")')
  expect((await campaignOf(id)).Status).toBe('paused')
  await page.click('[data-ui=toast] >> text=Undo')
  await page.waitForSelector('[data-ui=panel] [data-ui=status-badge]:has-text("Active")')
  await page.click('[data-ui=panel-actions] >> text=Archive')
  await page.waitForSelector('dialog >> text=3 planned posts will be deleted.')
  await page.waitForSelector('dialog >> text=1 draft will be deleted.')
  await page.click('dialog >> button:has-text("Archive")')
  await page.waitForSelector('[data-ui=panel] [data-ui=status-badge]:has-text("Archived")')
  for (const post of posts) expect((await admin(`GET /post/${post}`)).status).toBe(404)
  await page.click('[data-ui=panel-actions] >> text=More')
  await page.click('[role=menuitem]:has-text("Delete")')
  await page.waitForSelector('dialog >> text=no post is touched')
  await page.click('dialog >> button:has-text("Delete")')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/app/campaigns')
  expect((await admin(`GET /campaign/${id}`)).status).toBe(404)
})

test('a reader on a phone sees statistics and is offered no changes', async () => {
  const reader = await visitor('read', phone)
  const { page, complaints } = reader
  await navigate(page, '/app/campaigns/002demo00000001')
  await page.waitForSelector('[data-testid=campaign-networks]')
  expect(
    await page
      .locator('[data-ui=panel-actions], [data-testid=campaign-colors], button:has-text("New campaign")')
      .count(),
  ).toBe(0)
  expect(await barriers(page, '[data-ui=panel]')).toEqual([])
  expect(await scrollsSideways(page)).toEqual([])
  expect(complaints).toEqual([])
  await reader.close()
})
