import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { day, type StoryHelpers, storyHelpers, unix } from './story.fixture.ts'

let service: TestService
let given: StoryHelpers
let boardId: string
let workflowId: string
beforeAll(async () => {
  service = await startTestService()
  given = storyHelpers(service)
  boardId = (await given.board()).id
  workflowId = await given.workflow()
})
afterAll(() => service.stop())

let ID: string
let messageId: string
beforeEach(async () => {
  messageId = await given.message('Before')
  ID = (await given.make({ boardId, workflowId, messageIds: messageId }, service.contributor)).ID
})

const status = async () => (await given.read(ID)).Status
const change = (body: object, as = service.publisher) => as(`POST /story/${ID}`, { body })
const approvals = async () =>
  (
    await given.query<{ status: string; round: number }>(
      'select status, round from workflow_items where entity_id = $1 order by created, id',
      [ID],
    )
  ).map((item) => `${item.status} ${item.round}`)

test('a story is pending, is approved, and webhooks are sent with its board and network', async () => {
  expect(await given.read(ID)).toMatchObject({ Status: 'pending', WorkflowId: workflowId })
  const { json } = await given.decide(ID, 1)
  expect(json.Data).toMatchObject({ Status: 'approved', StoryId: ID, BoardId: boardId, MessageId: '' })
  expect(await status()).toBe('approved')
  const about = {
    StoryID: ID,
    BoardID: boardId,
    MessageID: '',
    PostID: '',
    Network: 'LinkedIn',
    WorkflowID: workflowId,
  }
  for (const type of ['newApprovalItem', 'approvalItemApproved'])
    expect(await given.events(type, ID)).toMatchObject([about])
})

test('a rejected story restarts at step one when published again, and only its approvers can publish it', async () => {
  await given.decide(ID, 0)
  expect(await status()).toBe('rejected')
  expect((await change({ title: 'Better' })).json.Item.Status).toBe('rejected')
  expect((await change({ isDraft: 0 })).json.Item.Status).toBe('pending')
  expect(await approvals()).toEqual(['rejected 1', 'pending 1'])
})

test('a content change restarts at step one; changed dates, tags and topics do not', async () => {
  await change({ tagIds: '0AFdemo00000001', isFeatured: 1, publishDatetime: unix(Date.now() + day) })
  expect(await approvals()).toEqual(['pending 1'])
  await change({ description: 'Other' })
  expect(await approvals()).toEqual(['pending 2'])
  expect((await change({ isDraft: 1 })).status).toBe(409)
  await given.decide(ID, 1)
  expect((await change({ tagIds: '' })).json.Item.Status).toBe('approved')
  expect((await change({ messageIds: '' })).json.Item.Status).toBe('pending')
  expect(await approvals()).toEqual(['approved 2', 'pending 1'])
})

test('a story with a changed message returns to its approvers', async () => {
  await given.decide(ID, 1)
  await service.publisher(`POST /message/${messageId}`, { body: { message: 'After' } })
  await expect.poll(status).toBe('pending')
})

test('a story submitted by POST /workflow-item and withdrawn is a draft', async () => {
  await given.decide(ID, 1)
  expect((await service.publisher('POST /workflow-item', { body: { entityId: ID, workflowId } })).status).toBe(200)
  expect(await status()).toBe('pending')
  expect((await service.publisher(`DELETE /workflow-item/${ID}`)).status).toBe(200)
  expect(await status()).toBe('draft')
  await service.publisher(`DELETE /story/${ID}`)
  expect((await service.admin(`POST /workflow-item/${ID}`, { body: { isApprove: 1 } })).status).toBe(404)
})
