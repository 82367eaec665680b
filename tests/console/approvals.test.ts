import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, caller } from '../support/caller.ts'
import { type SharedProgram, sharedKey } from '../support/keeper.ts'
import { profiles } from '../support/publishing.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { barriers, leaveScreen, navigate, phone, scrollsSideways, settled, type Visitor, visitor } from './visitor.ts'

const [ada, pablo] = ['00Ademo00000001', '00Ademo00000002']

let program: SharedProgram
let admin: Caller
let approver: Visitor
let author: Visitor
let contributor: Caller
beforeAll(async () => {
  program = await sharedProgram()
  admin = caller(program.url, '001demo00000001', sharedKey)
  contributor = caller(program.url, '001demo00000001', `${sharedKey}-contributor`)
  ;[approver, author] = await Promise.all([visitor('publisher'), visitor('contributor')])
})
afterAll(() => Promise.all([approver, author].map(({ close }) => close())))

interface Step {
  name: string
  approverIds: string[]
}

const workflow = async (...steps: Step[]): Promise<string> =>
  (await admin('POST /app/api/workflow', { body: { name: 'Two pairs of eyes', steps } })).json.Workflow.Id

let serial = 0
/** A post of the contributor that waits in a workflow. */
async function waiting(workflowId: string, text = `Waits for a decision ${serial++}`) {
  const campaignId = '002demo00000001'
  const written = { network: 'LinkedIn', campaignId, message: text }
  const messageId: string = (await contributor('POST /message', { body: written })).json.Message.Id
  const body = { messageId, credentialIds: profiles.linkedInPage, startDateTime: '2031-08-01 09:00:00', workflowId }
  const id: string = (await contributor('POST /post', { body })).json.Post.Id
  return { id, messageId, itemId: await itemOf(id) }
}

const itemOf = async (entityId: string): Promise<string> => {
  const { json } = await admin('GET /app/api/workflow-item', { query: 'view=waiting&_count=100' })
  const item = json.Items.find(({ EntityId }: { EntityId: string }) => EntityId === entityId)
  if (!item) throw new Error(`${entityId} is not among the ${json.Total} that wait`)
  return item.Id
}
const statusOf = async (id: string) => (await admin(`GET /app/api/workflow-item/${id}`)).json.Item.Status

async function openItem({ page }: Visitor, id: string) {
  await navigate(page, `/app/approvals?item=${id}`)
  await page.waitForSelector('[data-testid=content-card]')
}

test('a post is rejected with a reason, corrected, shown with its changes, and approved in two steps', async () => {
  const workflowId = await workflow({ name: 'Editor', approverIds: [pablo] }, { name: 'Legal', approverIds: [ada] })
  const post = await waiting(workflowId, 'Made for life. Our packs are mended for free.')
  const { page } = approver
  await openItem(approver, post.itemId)
  expect(await page.textContent('[data-testid=approval]')).toContain('Post on LinkedIn')
  expect(await page.textContent('[data-testid=steps]')).toContain('Pablo Reyes missing')
  await page.keyboard.press('r')
  await page.click('[data-testid=decision-form] >> button:text-is("Reject")')
  await page.waitForSelector('[data-testid=decision-form] >> text=Say why')
  await page.fill('[data-testid=decision-form] textarea', 'Nobody mends for life. Say for how long.')
  await page.keyboard.press('Control+Enter')
  await page.waitForSelector('[data-testid=approval-bar] >> text=Rejected')
  await expect.poll(() => statusOf(post.itemId)).toBe('rejected')

  // The author finds it among their own submissions, with the reason and without actions they may not use.
  const authorPage = author.page
  await navigate(authorPage, '/app/approvals')
  expect(await authorPage.textContent('[data-ui=tabs] [aria-current]')).toBe('Sent by me')
  await authorPage.click(`[data-item="${post.itemId}"]`)
  await authorPage.waitForSelector('[data-testid=comments] >> text=Say for how long')
  expect(await authorPage.locator('button:has-text("Approve")').count()).toBe(0)

  await leaveScreen(author)
  const change = (message: string) => contributor(`POST /message/${post.messageId}`, { body: { message } })
  await change('Made for as long as you hike. Our packs are mended for free.')
  await contributor('POST /workflow-item', { body: { entityId: post.id, workflowId } })
  const second = await itemOf(post.id)
  await openItem(approver, second)
  await page.waitForSelector('text=Changed since Pablo Reyes rejected it')
  expect(await page.textContent('[data-testid=content-changes] del')).toContain('life')
  expect(await page.textContent('[data-testid=content-changes] ins')).toContain('as long as you hike')
  expect(await barriers(page, '[data-testid=approval]')).toEqual([])
  await page.keyboard.press('a')
  await page.waitForSelector('[data-ui=toast] >> text=It waits for others now')
  await page.waitForSelector('[data-testid=step][data-state=now] >> text=Legal')

  // An edit restarts the workflow at the first step and shows the changes since the approval.
  await change('Made for as long as you hike. Our packs are mended at cost.')
  await page.waitForSelector('text=Changed since Pablo Reyes approved it')
  expect(await page.textContent('[data-testid=content-changes] ins')).toContain('at cost')
  await page.waitForSelector('[data-testid=step][data-state=now] >> text=Editor')
  await page.keyboard.press('a')
  await page.waitForSelector('[data-testid=step][data-state=now] >> text=Legal')
  await leaveScreen(approver)
  const owner = await visitor('admin')
  await openItem(owner, second)
  await owner.page.click('[data-testid=decision-form] >> text=Approve')
  await owner.page.waitForSelector('[data-ui=toast] >> text=It goes out as planned')
  expect((await admin(`GET /post/${post.id}`)).json.Post).toMatchObject({
    Status: 'pending',
    ApproveStatus: 'Approved',
  })
  expect([...approver.complaints, ...author.complaints, ...owner.complaints]).toEqual([])
  await owner.close()
})

test('a bulk decision has a result per item, and rejected items show the reason and stay selected', async () => {
  const workflowId = await workflow({ name: 'Check', approverIds: [pablo] })
  const posts = [await waiting(workflowId), await waiting(workflowId), await waiting(workflowId)]
  const [first, second, third] = posts as [(typeof posts)[0], (typeof posts)[0], (typeof posts)[0]]
  // The message of one post waits for approval itself.
  const other = await workflow({ name: 'Words', approverIds: [ada] })
  await admin('POST /workflow-item', { body: { entityId: second.messageId, workflowId: other } })
  const { page } = approver
  await openItem(approver, first.itemId)
  // The open item may load before the list.
  await page.waitForSelector(`[data-testid=approval-link][aria-current][data-item="${first.itemId}"]`)
  await page.keyboard.press('x')
  for (const { itemId } of [second, third])
    await page.click(`[data-testid=approval-row]:has([data-item="${itemId}"]) input[type=checkbox]`)
  await page.waitForSelector('[data-testid=bulk-actions] >> text=3 selected')
  expect(await barriers(page, 'main')).toEqual([])
  await page.keyboard.press('a')
  await page.waitForSelector('[data-ui=toast] >> text=2 approved')
  await page.waitForSelector(
    `[data-item="${second.itemId}"] [data-testid=approval-problem] >> text=not approved itself`,
  )
  expect(await Promise.all(posts.map(({ itemId }) => statusOf(itemId)))).toEqual(['approved', 'pending', 'approved'])
  await page.waitForSelector('[data-testid=bulk-actions] >> text=1 selected')
  await page.keyboard.press('r')
  await page.waitForSelector('dialog textarea')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  await page.fill('dialog textarea', 'The words come first.')
  await page.click('dialog >> button:has-text("Reject 1")')
  await expect.poll(() => statusOf(second.itemId)).toBe('rejected')
})

test('missing approvers are reminded by email, once a day', async () => {
  const post = await waiting(await workflow({ name: 'Check', approverIds: [pablo] }), 'Nobody looks at this one')
  const mails = async () => {
    const outbox = join(program.folder, 'outbox')
    const all = await Promise.all((await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')))
    return all.filter(
      (text) => text.includes('pablo.reyes') && text.replace(/=\r?\n/g, '').includes('Nobody looks at this one'),
    )
  }
  // The approver was notified when the step became theirs.
  await expect.poll(async () => (await mails()).length).toBe(1)
  const { page } = author
  await openItem(author, post.itemId)
  await page.click('button:has-text("Remind")')
  await page.waitForSelector('[data-ui=toast] >> text=A mail went to Pablo Reyes')
  await expect.poll(async () => (await mails()).length).toBe(2)
  await page.waitForSelector('[data-testid=pending-approvers] >> text=Reminded')
  await page.click('button:has-text("Remind")')
  await page.waitForSelector('[data-ui=toast] >> text=less than a day ago')
  expect((await mails()).length).toBe(2)
  await leaveScreen(author)
})

test('shortcuts move through the list, a note survives a reload, and a decision opens the next item', async () => {
  const workflowId = await workflow({ name: 'Check', approverIds: [pablo] })
  const posts = [await waiting(workflowId), await waiting(workflowId)]
  const { page } = approver
  await openItem(approver, posts[0]?.itemId ?? '')
  await page.keyboard.press('n')
  await page.keyboard.type('Half a thought')
  await page.waitForTimeout(400)
  await page.reload()
  await expect.poll(() => page.inputValue('[data-testid=decision-form] textarea')).toBe('Half a thought')
  await page.click('button:has-text("Add note")')
  await page.waitForSelector('[data-testid=comments] >> text=Half a thought')
  expect(await page.inputValue('[data-testid=decision-form] textarea')).toBe('')
  await page.focus('[data-testid=approval-link][aria-current]')
  await page.keyboard.press('A')
  await expect.poll(() => statusOf(posts[0]?.itemId ?? '')).toBe('approved')
  await expect.poll(() => new URL(page.url()).searchParams.get('item')).not.toBe(posts[0]?.itemId)
  await page.waitForSelector(`[data-item="${posts[0]?.itemId}"]`, { state: 'detached' })
  await page.waitForSelector('[data-testid=approval-link][aria-current]')
  /** The item before or after the open one; other tests may submit items at any moment. */
  const neighbor = (step: number): Promise<string | undefined> =>
    page.$$eval(
      '[data-testid=approval-link]',
      (links, by) =>
        links[links.findIndex((link) => link.hasAttribute('aria-current')) + by]?.getAttribute('data-item'),
      step,
    ) as Promise<string | undefined>
  for (const [key, step] of (await neighbor(-1))
    ? ([
        ['k', -1],
        ['j', 1],
      ] as const)
    : ([
        ['j', 1],
        ['k', -1],
      ] as const)) {
    const wanted = await neighbor(step)
    await page.keyboard.press(key)
    await expect.poll(() => new URL(page.url()).searchParams.get('item')).toBe(wanted)
    await page.waitForSelector(`[data-testid=approval-link][aria-current][data-item="${wanted}"]`)
  }
})

test('a board story is decided on a phone, and readers are offered no decision', async () => {
  const { json } = await admin('GET /app/api/workflow-item', { query: 'view=waiting&_count=100' })
  const story = json.Items.find(({ StoryId }: { StoryId: string }) => StoryId)
  const reader = await visitor('read', phone)
  await navigate(reader.page, '/app/approvals')
  await reader.page.click(`[data-item="${story.Id}"]`)
  await reader.page.waitForSelector('[data-testid=content-card]')
  expect(await reader.page.textContent('[data-testid=approval-bar]')).toContain('Story of a board')
  expect(await reader.page.locator('[data-testid=decision-form]').count()).toBe(0)
  expect(await reader.page.locator('button:has-text("Remind")').count()).toBe(0)
  await settled(reader.page)
  expect(await barriers(reader.page, '[data-testid=approval]')).toEqual([])
  expect(await scrollsSideways(reader.page)).toEqual([])
  await reader.page.click('button[aria-label="Back to the list"]')
  await reader.page.waitForSelector('[data-testid=approval]', { state: 'detached' })
  expect(reader.complaints).toEqual([])
  await reader.close()
})
