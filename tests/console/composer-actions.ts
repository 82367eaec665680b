import type { Page } from 'playwright-core'
import type { Caller } from '../support/caller.ts'
import { navigate, type Visitor } from './visitor.ts'

/** Actions in the composer. */

export const sheet = '[data-testid=text-editor] textarea'

/** Opens an empty composer, or another URL of it, with a permanent campaign, because the newest may be deleted by another test. */
export async function openSheet({ page }: Visitor, search = '') {
  const query = new URLSearchParams(search)
  if (!['campaign', 'post', 'copy'].some((name) => query.has(name))) query.set('campaign', '002demo00000001')
  await navigate(page, `/app/compose?${query}`)
  await page.waitForSelector(sheet)
}

/** The first usable profile of a network. */
export const choose = (page: Page, network: string) =>
  page.locator(`[data-testid=profile-choice-one]:not([data-broken]):has([data-network=${network}])`).first().click()

/** A day and time far from other posts; each test file uses its own year. */
export async function setTime(page: Page, day: string, time = '10:00') {
  await page.fill('[data-testid=schedule] [type=date]', day)
  await page.fill('[data-testid=schedule] [type=time]', time)
}

interface Planned {
  id: string
  network: string
  text: string
}

/** Posts within some days whose text contains a string, as seen by the admin. */
export async function planned(admin: Caller, text: string, from: string, until: string): Promise<Planned[]> {
  const body = { from: Date.parse(from) / 1000, until: Date.parse(until) / 1000, find: text }
  const { json } = await admin('POST /app/api/calendar', { body })
  return json.Posts.map((post: { Id: string; Network: string; Text: string }) => ({
    id: post.Id,
    network: post.Network,
    text: post.Text,
  }))
}
