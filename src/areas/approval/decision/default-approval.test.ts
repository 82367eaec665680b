import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../../../tests/support/caller.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { approvals } from '../approval.fixture.ts'

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
})
afterAll(() => service.stop())

const later = Math.floor(Date.now() / 1000) + 86_400
const part = { network: 'LinkedIn', message: 'From the composer', credentialIds: [profiles.linkedInPage] }
/** The composer's request without a chosen workflow. */
const compose = async (as: Caller = service.contributor) => {
  const body = { campaignId: '002demo00000001', startDateTime: later, parts: [part] }
  const { status, json } = await as('POST /app/api/compose', { body })
  expect(status, JSON.stringify(json)).toBe(200)
  return json.Items[0].Post as { Id: string; ApproveStatus: string }
}
const defaultWorkflow = async () =>
  (await service.admin('GET /app/api/workflow')).json.Items.find((one: { IsDefault: number }) => one.IsDefault)
const error = ({ status, json }: { status: number; json: { Errors?: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]

describe('content of a user who may not publish', () => {
  test('is submitted to the default workflow, and a publisher decides', async () => {
    await ownerQuery(
      service.databaseUrl,
      `update workflow_items set status = 'removed' where status = 'pending' and account_id = '001demo00000001'`,
    )
    for (const id of ['cwfdemo00000001', 'cwfdemo00000002'])
      expect((await service.admin(`DELETE /app/api/workflow/${id}`)).status).toBe(200)
    const post = await compose()
    expect(post.ApproveStatus).toBe('Pending')
    expect(await given.item(post.Id)).toMatchObject({ Status: 'pending', PostId: post.Id })
    const waiting = await service.publisher('GET /app/api/workflow-item', { query: 'view=to-decide' })
    expect(waiting.json.Items.map(({ EntityId }: { EntityId: string }) => EntityId)).toContain(post.Id)
    expect((await service.publisher(`POST /workflow-item/${post.Id}`)).json.Data.Status).toBe('approved')
    expect(await given.standing(post.Id)).toEqual(['pending', 'Approved'])
  })

  test('waits in the default workflow if none is chosen', async () => {
    await given.workflow({ name: 'Chosen by nobody' })
    const post = await compose()
    const item = await given.item(post.Id)
    expect(item).toMatchObject({ Status: 'pending', PostId: post.Id })
    expect(item.WorkflowId).toBe((await defaultWorkflow()).Id)
  })

  test('can’t change content that an admin has scheduled', async () => {
    const post = await given.post({}, service.admin)
    const answers = [
      await service.contributor(`POST /message/${post.MessageId}`, { body: { message: 'Other words' } }),
      await service.contributor(`POST /post/${post.Id}`, { body: { firstComment: { text: 'First' } } }),
      await service.contributor(`POST /post/${post.Id}`, { body: { startDateTime: later + 60 } }),
      await service.contributor(`POST /post/${post.Id}/change-campaign`, { body: { campaignId: '002demo00000002' } }),
      await service.contributor(`DELETE /post/${post.Id}`),
      await service.contributor(`DELETE /message/${post.MessageId}`),
    ]
    for (const response of answers) expect(error(response)).toEqual([403, expect.stringContaining('someone else')])
    expect(await given.standing(post.Id)).toEqual(['pending', 'Approved'])
  })
})
