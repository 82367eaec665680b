import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { later, posting } from './post.fixture.ts'

let service: TestService
let make: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService()
  make = posting(service)
})
afterAll(() => service.stop())

interface Entry {
  Kind: string
  UserName: string
  Fields: string[]
  Text: string
}
const historyOf = async (id: string, as = service.reader): Promise<Entry[]> =>
  (await as(`GET /app/api/post/${id}/history`)).json.Items

test('the history lists who created, changed, moved, approved and rejected a post and its results, latest first', async () => {
  const steps = [{ name: 'Check', approverIds: ['00Ademo00000002'] }]
  const workflow = (await service.admin('POST /app/api/workflow', { body: { name: 'History', steps } })).json.Workflow
  const post = await make.post({ status: 'draft' }, service.contributor)
  await service.contributor(`POST /message/${post.MessageId}`, { body: { message: 'Other words' } })
  await service.contributor(`POST /post/${post.Id}`, { body: { startDateTime: later + 60 } })
  await service.contributor('POST /workflow-item', { body: { entityId: post.Id, workflowId: workflow.Id } })
  const decide = (isApprove: number) =>
    service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove, note: isApprove ? '' : 'Not yet' } })
  expect((await decide(0)).status).toBe(200)
  await service.contributor('POST /workflow-item', { body: { entityId: post.Id, workflowId: workflow.Id } })
  expect((await decide(1)).status).toBe(200)
  await service.publisher(`POST /post/${post.Id}/change-campaign`, {
    body: { campaignId: await make.campaign('Elsewhere') },
  })
  await ownerQuery(
    service.databaseUrl,
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, error)
    select account_id, '007history00001', now(), now(), id, campaign_id, message_id, credential_ids[1], network, 'failed', 'The network said no.' from posts where id = $1`,
    [post.Id],
  )
  const entries = await historyOf(post.Id)
  expect(entries.map(({ Kind }) => Kind)).toEqual([
    'failed',
    'moved',
    'approved',
    'to approval',
    'rejected',
    'to approval',
    'changed',
    'words changed',
    'made',
  ])
  expect(entries[0]).toMatchObject({ UserName: '', Text: 'The network said no.' })
  expect(entries[4]).toMatchObject({ Text: 'Not yet', UserName: expect.stringMatching(/\w/) })
  expect(entries[6]).toMatchObject({ Fields: ['startDateTime'] })
  expect(entries[7]).toMatchObject({ Fields: ['message'] })
  const scheduled = await make.post({}, service.contributor)
  expect((await historyOf(scheduled.Id)).map(({ Kind }) => Kind)).toEqual(['to approval', 'made'])
})

test('changes of an invisible message are omitted; an invisible post is not found', async () => {
  const campaignId = await make.campaign('Closed')
  const messageId = await make.message({ campaignId })
  const post = await make.post({ messageId })
  await service.publisher(`POST /message/${messageId}`, { body: { message: 'Changed' } })
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  expect((await service.publisher(`GET /app/api/post/${post.Id}/history`)).status).toBe(404)
  await service.admin(`POST /post/${post.Id}/change-campaign`, { body: { campaignId: '002demo00000001' } })
  const kinds = async (as: typeof service.admin) => (await historyOf(post.Id, as)).map(({ Kind }) => Kind)
  expect(await kinds(service.publisher)).toEqual(['moved', 'made'])
  expect(await kinds(service.admin)).toEqual(['moved', 'words changed', 'made'])
})
