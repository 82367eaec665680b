import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, caller } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { type SharedProgram, sharedKey } from '../support/keeper.ts'
import { profiles } from '../support/publishing.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { barriers, navigate, type Visitor, visitor } from './visitor.ts'

let program: SharedProgram
let admin: Caller
let publisher: Visitor
beforeAll(async () => {
  program = await sharedProgram()
  admin = caller(program.url, '001demo00000001', sharedKey)
  publisher = await visitor('publisher')
})
afterAll(() => publisher.close())

/** Far from the posts of other tests, in UTC; the publisher's time zone is two hours ahead. */
const month = '2031-06'
const at = (day: number) => `${month}-${String(day).padStart(2, '0')} 09:00:00`
const chip = (id: string) => `[data-post][data-post="${id}"]`

async function newPost(text: string, day: number, campaignId = '002demo00000001'): Promise<string> {
  const message = await admin('POST /message', { body: { network: 'LinkedIn', campaignId, message: text } })
  const body = { messageId: message.json.Message.Id, credentialIds: profiles.linkedInPage, startDateTime: at(day) }
  return (await admin('POST /post', { body })).json.Post.Id
}
const postOf = async (id: string) => (await admin(`GET /post/${id}`)).json.Post
const startsOf = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await postOf(id))?.StartDateTime))

const wholeMonth = `/app/calendar?day=${month}-01`
async function openMonth() {
  await navigate(publisher.page, wholeMonth)
  await publisher.page.waitForSelector('[data-testid=month]')
}

test('selected posts are moved, restored by undo, assigned to another campaign, and deleted after confirmation', async () => {
  const ids = [await newPost('One of three', 3), await newPost('Two of three', 4), await newPost('Three of three', 5)]
  const [first, second, third] = ids as [string, string, string]
  const { page, open, complaints } = publisher
  await openMonth()
  await page.focus(chip(first))
  await page.keyboard.press('x')
  await page.click(chip(third), { modifiers: ['Shift'] })
  await page.waitForSelector('[data-testid=selection-bar] >> text=3 posts selected')
  expect(await barriers(page, '[data-testid=selection-bar], [data-post][data-selected]')).toEqual([])
  await page.focus(chip(second))
  await page.keyboard.press('Alt+ArrowRight')
  await page.waitForSelector('[data-ui=toast] >> text=3 posts moved')
  await expect.poll(() => startsOf(ids)).toEqual([at(4), at(5), at(6)])
  await page.click('[data-ui=toast] >> text=Undo')
  await page.waitForSelector('[data-ui=toast] >> text=3 posts moved back')
  expect(await startsOf(ids)).toEqual([at(3), at(4), at(5)])
  await page.waitForSelector(`td[data-day="${month}-05"] ${chip(third)}`)

  // Undo does not overwrite another user's change.
  await page.focus(chip(second))
  await page.keyboard.press('Alt+ArrowRight')
  await expect.poll(() => startsOf(ids)).toEqual([at(4), at(5), at(6)])
  await admin(`POST /post/${first}`, { body: { startDateTime: at(20) } })
  await page.click('[data-ui=toast]:has-text("3 posts moved") >> text=Undo')
  await page.waitForSelector('[data-ui=toast][data-kind=problem] >> text=Somebody changed this')
  await page.waitForSelector('[data-ui=toast] >> text=2 posts moved back')
  expect(await startsOf(ids)).toEqual([at(20), at(4), at(5)])
  await page.waitForSelector(`td[data-day="${month}-20"] ${chip(first)}`)
  await admin(`POST /post/${first}`, { body: { startDateTime: at(3) } })
  await page.waitForSelector(`td[data-day="${month}-03"] ${chip(first)}`)

  // The user's own changes don't block undo: two moves, then the first undo restores the original times.
  const undoButtons = page.locator('[data-ui=toast]:has-text("3 posts moved") >> text=Undo')
  for (const times of [1, 2]) {
    await page.focus(chip(second))
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(() => undoButtons.count()).toBe(times)
  }
  expect(await startsOf(ids)).toEqual([at(5), at(6), at(7)])
  await undoButtons.first().click()
  await expect.poll(() => startsOf(ids)).toEqual([at(3), at(4), at(5)])

  // In a bulk move only the rejected post is rolled back; the others keep their new times.
  await page.keyboard.press('m')
  await ownerQuery(program.databaseUrl, `update sends set state = 'sent', due = null where content_id = $1`, [second])
  await page.fill('dialog [type=date]', `${month}-10`)
  expect(await page.textContent('dialog')).toContain('7 days later')
  await page.click('dialog >> button:text-is("Move")')
  await page.waitForSelector('[data-ui=toast][data-kind=problem]')
  await expect.poll(() => startsOf(ids)).toEqual([at(10), at(4), at(12)])
  await ownerQuery(program.databaseUrl, `update sends set state = 'waiting', due = planned where content_id = $1`, [
    second,
  ])

  // After a reload nothing is selected.
  await open(wholeMonth)
  for (const id of ids) {
    await page.focus(chip(id))
    await page.keyboard.press('x')
  }
  await page.click('[data-testid=selection-bar] >> text=Campaign…')
  await page.locator('dialog').getByRole('combobox').fill('Trail')
  await page.click('dialog [role=option]:has-text("Trail stories")')
  await page.click('dialog >> button:has-text("Change campaign")')
  await page.waitForSelector('[data-ui=toast] >> text=3 posts are of “Trail stories” now.')
  expect((await postOf(first)).CampaignId).toBe('002demo00000002')
  await page.click('[data-ui=toast]:has-text("Trail stories") >> text=Undo')
  await expect.poll(async () => (await postOf(third)).CampaignId).toBe('002demo00000001')

  await open(wholeMonth)
  await page.focus(chip(first))
  await page.keyboard.press('Delete')
  await page.click('dialog >> text=Keep it')
  await page.keyboard.press('x')
  await page.focus(chip(second))
  await page.keyboard.press('x')
  await page.keyboard.press('Delete')
  await page.waitForSelector('dialog >> text=Delete 2 posts?')
  await page.click('dialog >> button:text-is("Delete")')
  await page.waitForSelector('[data-ui=toast] >> text=2 posts were deleted')
  expect((await admin(`GET /post/${first}`)).status).toBe(404)
  expect(complaints).toEqual([])
})

/** As if the network had rejected it, or its response had been lost. */
async function markFailed(id: string, isUnconfirmed: boolean) {
  const { databaseUrl } = program
  const state = isUnconfirmed ? 'unconfirmed' : 'failed'
  await ownerQuery(databaseUrl, `update sends set state = $2, due = null where content_id = $1`, [id, state])
  await ownerQuery(
    databaseUrl,
    `update posts set status = 'error', start_date_time = now() - interval '1 hour' where id = $1`,
    [id],
  )
  await ownerQuery(
    databaseUrl,
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, error, is_unconfirmed)
    select account_id, '007' || right(id, 12), now(), now(), id, campaign_id, message_id, credential_ids[1], network, 'failed', 'The network said no.', $2 from posts where id = $1`,
    [id, isUnconfirmed],
  )
}

test('failed posts are sent again, unconfirmed posts are marked as sent, and late posts are moved, sent or dropped', async () => {
  const [again, unconfirmed] = [await newPost('Failed here', 20), await newPost('Unconfirmed here', 21)]
  await markFailed(again, false)
  await markFailed(unconfirmed, true)
  const { page } = publisher
  await openMonth()
  await page.click('[data-testid=attention-bar] >> text=Repair')
  await page.waitForSelector('[data-ui=panel] >> text=Unconfirmed here')
  expect(await barriers(page, '[data-ui=panel]')).toEqual([])
  const row = (text: string) => page.locator('[data-testid=attention-list] > li', { hasText: text })
  await row('Unconfirmed here').getByText('Mark as sent').click()
  await page.getByLabel('Its address').fill('https://www.linkedin.com/feed/update/1')
  await page.click('dialog >> button:has-text("Mark as sent")')
  await expect.poll(async () => (await postOf(unconfirmed)).Status).toBe('complete')
  await row('Failed here').getByText('Send again').click()
  await page.waitForSelector('[data-ui=toast] >> text=It is on its way')
  await expect.poll(async () => (await postOf(again)).Status).toBe('complete')

  const late = [await newPost('Late one', 22), await newPost('Late two', 22), await newPost('Late three', 22)]
  const [moved, sent, dropped] = late as [string, string, string]
  // Each post has its own minute, which identifies it in the list.
  for (const [index, id] of late.entries())
    await ownerQuery(
      program.databaseUrl,
      `with late as (update sends set state = 'late', due = null where content_id = $1)
      update posts set start_date_time = date_trunc('day', now()) - interval '30 days' + $2 * interval '1 minute' where id = $1`,
      [id, index + 1],
    )
  await navigate(page, `${wholeMonth}&late=1`)
  const lateRow = (id: string) =>
    page.locator('[data-testid=attention-list] > li', { has: page.locator(`a[href*="${id}"]`) })
  await lateRow(moved).getByText('Move to…').click()
  await page.fill('dialog [type=date]', `${month}-25`)
  await page.click('dialog >> button:text-is("Move")')
  await expect.poll(async () => (await postOf(moved)).StartDateTime).toContain(`${month}-25`)
  await lateRow(dropped).getByText('Drop').click()
  await expect.poll(async () => (await admin(`GET /post/${dropped}`)).status).toBe(404)
  await lateRow(sent).getByText('Send now').click()
  await expect.poll(async () => (await postOf(sent)).Status).toBe('complete')
})

test('an event is added to the calendar, edited, deleted, and restored by undo', async () => {
  const { page, open } = publisher
  // After a reload no other undo is offered.
  await open(wholeMonth)
  await page.click('[data-ui=page-header] button[aria-label="More"]')
  await page.click('[role=menuitem]:has-text("New event")')
  await page.getByLabel('Title').fill('Trade fair')
  await page.getByLabel('From').fill(`${month}-16`)
  await page.getByLabel('Until').fill(`${month}-18`)
  await page.getByLabel('About').fill('Hall 4 <b> & the forum')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  await page.click('dialog >> button:has-text("Add to the calendar")')
  await expect.poll(() => page.locator('[data-testid=month] [data-event]:has-text("Trade fair")').count()).toBe(3)
  await page.click(`td[data-day="${month}-17"] [data-event]`)
  await page.waitForSelector('[data-ui=panel] >> text=Hall 4 <b> & the forum')
  await page.click('[data-ui=panel-actions] >> text=Edit')
  await page.getByLabel('Title').fill('Trade fair, Lyon')
  await page.click('dialog >> button:has-text("Save")')
  await page.waitForSelector('[data-ui=panel] >> text=Trade fair, Lyon')
  await page.click('[data-ui=panel-actions] >> text=Delete')
  await expect.poll(() => page.locator('[data-testid=month] [data-event]').count()).toBe(0)
  await page.click('[data-ui=toast] >> text=Undo')
  await page.waitForSelector('[data-testid=month] [data-event]:has-text("Trade fair, Lyon")')
})

test('the calendar link is shown once, serves iCalendar, and is rejected after it is revoked', async () => {
  await newPost('Read by another calendar', 23)
  const { page } = publisher
  await openMonth()
  await page.click('[data-ui=page-header] button[aria-label="More"]')
  await page.click('[role=menuitem]:has-text("Subscribe")')
  await page.click('dialog >> text=Make the address')
  const address = await page.getByLabel('Address for your calendar').inputValue()
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  const { pathname, search } = new URL(address)
  const fetchCalendar = () => fetch(program.url + pathname + search)
  const answer = await fetchCalendar()
  const lines = (await answer.text()).split('\r\n')
  expect([answer.status, answer.headers.get('content-type'), lines[0], lines.filter(Boolean).at(-1)]).toEqual([
    200,
    expect.stringContaining('text/calendar'),
    'BEGIN:VCALENDAR',
    'END:VCALENDAR',
  ])
  const count = (line: string) => lines.filter((one) => one === line).length
  expect(count('BEGIN:VEVENT')).toBeGreaterThan(0)
  expect(count('END:VEVENT')).toBe(count('BEGIN:VEVENT'))
  await page.keyboard.press('Escape')
  await page.click('[data-ui=page-header] button[aria-label="More"]')
  await page.click('[role=menuitem]:has-text("Subscribe")')
  await page.waitForSelector('dialog >> text=It was last read')
  expect(await page.locator('dialog input').count(), 'shown once').toBe(0)
  await page.click('dialog >> text=End it')
  await page.waitForSelector('[data-ui=toast] >> text=leads nowhere any more')
  expect([401, 403, 404]).toContain((await fetchCalendar()).status)
  await page.keyboard.press('Escape')
})

test('filters are stored in the URL, and a view is saved under a name', async () => {
  const tag = (await admin('POST /tag', { body: { tag: 'calendar-only' } })).json.Tag.Id
  const campaign = (await admin('POST /campaign', { body: { name: 'Tagged for the calendar', tagIds: tag } })).json
    .Campaign
  const [tagged, plain] = [await newPost('With the tag', 27, campaign.Id), await newPost('Without', 27)]
  const { page } = publisher
  await openMonth()
  await page.waitForSelector(chip(plain))
  await page.click('[data-ui=page-header] button:has-text("Tags")')
  await page.getByLabel('calendar-only').click()
  await page.waitForSelector(chip(plain), { state: 'detached' })
  await page.waitForSelector(chip(tagged))
  expect(new URL(page.url()).searchParams.get('tag')).toBe(tag)
  await page.keyboard.press('Escape')
  await page.click('button:has-text("Saved views")')
  await page.click('text=Save this view…')
  await page.locator('dialog').getByLabel('Name').fill('Only mine')
  await page.click('dialog >> button:has-text("Save")')
  await navigate(page, `${wholeMonth}&view=list`)
  await page.click('button:has-text("Saved views")')
  await page.click('[data-testid=saved-views] >> text=Only mine')
  await expect.poll(() => new URL(page.url()).search).toBe(`?tag=${tag}`)
})
