import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, chidi, pablo } from '../approval.fixture.ts'

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
})
afterAll(() => service.stop())

const list = async (query: string, as = service.reader) => (await as('GET /workflow-item', { query })).json
const ids = ({ Items }: { Items: { EntityId: string }[] }) => Items.map(({ EntityId }) => EntityId)

describe('the list', () => {
  test('has pending items, newest first, by workflow and step', async () => {
    const { workflow, post } = await given.waiting({ name: 'One' }, { name: 'Two' })
    const other = await given.post({ workflowId: workflow.Id })
    const done = await given.post({ workflowId: workflow.Id })
    await service.admin(`POST /workflow-item/${done.Id}`, { body: { isApprove: 0 } })
    await service.admin(`POST /workflow-item/${post.Id}`)
    const [one, two] = workflow.Steps.map(({ Id }) => Id)
    expect(ids(await list(`workflowId=${workflow.Id}`))).toEqual([other.Id, post.Id])
    expect(ids(await list(`stepId=${one}`))).toEqual([other.Id])
    expect(ids(await list(`stepId=${two}&workflowId=${workflow.Id}`))).toEqual([post.Id])
    expect(ids(await list('stepId=cwsabsent000000'))).toEqual([])
    for (const query of ['stepId=x', 'workflowId=x', 'count=0', 'count=1001', '_count=1001', 'page=-1', 'withSteps=2'])
      expect((await service.reader('GET /workflow-item', { query })).status, query).toBe(400)
    expect((await list('count=1001')).Errors.API.Error).toBe('Page size 1001 is not valid. Use 1 to 1000.')
  })

  test('is paged by page and count, or _page and _count', async () => {
    const workflow = await given.workflow({ name: 'One' })
    const made = []
    for (let number = 0; number < 21; number++) {
      const body = { entityId: await given.message(), workflowId: workflow.Id }
      made.unshift((await service.publisher('POST /workflow-item', { body })).json.Data.EntityId)
    }
    const of = `workflowId=${workflow.Id}`
    expect(ids(await list(of))).toEqual(made.slice(0, 20))
    for (const [page, count] of [
      ['page', 'count'],
      ['_page', '_count'],
    ]) {
      expect(ids(await list(`${of}&${page}=1&${count}=8`))).toEqual(made.slice(8, 16))
      expect((await list(`${of}&${page}=9&${count}=8`)).Total).toBe(21)
    }
    expect(ids(await list(`${of}&count=1000`))).toEqual(made)
  })

  test('includes history, authors and steps on request', async () => {
    const { workflow, post } = await given.waiting(
      { name: 'One' },
      { name: 'Two', mustBeApprovedByEveryone: true, approverIds: [ada, pablo] },
    )
    const [one, two] = workflow.Steps.map(({ Id }) => Id as string)
    await service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove: true, note: 'Fine' } })
    await service.admin(`POST /workflow-item/${post.Id}`, { body: 'isApprove=true' })
    const bare = await list(`workflowId=${workflow.Id}`)
    expect([Object.keys(bare).sort(), bare.Items[0].History]).toEqual([['Items', 'Result', 'Total'], undefined])
    const { Items, Authors, Steps } = await list(`workflowId=${workflow.Id}&withHistory=1&withAuthors=1&withSteps=1`)
    const Created = expect.any(String)
    expect(Items[0].History).toEqual([
      { UserId: pablo, StepId: one, IsApprove: 1, Note: 'Fine', Created },
      { UserId: ada, StepId: two, IsApprove: 1, Note: '', Created },
    ])
    expect(Object.keys(Authors).sort()).toEqual([ada, pablo, chidi])
    expect(Authors[chidi]).toEqual({ Id: chidi, Created, Name: 'Chidi Okafor', Email: 'chidi.okafor@example.com' })
    expect(Object.keys(Steps).sort()).toEqual([one, two].sort())
    expect(Steps[two as string]).toEqual(
      (await service.reader('GET /workflow-step', { query: `workflowId=${workflow.Id}` })).json.Items[1],
    )
  })
})

describe('submitting', () => {
  test('requires an existing post or message and workflow', async () => {
    const workflowId = (await given.workflow({ name: 'One' })).Id
    const entityId = await given.message()
    const refusals: [body: object, sentence: unknown][] = [
      [{ workflowId }, 'Missing value for parameter entityId.'],
      [{ entityId }, 'Missing value for parameter workflowId.'],
      [{ workflowId, entityId: '0ASabsent000000' }, 'entityId names no post, message or story: "0ASabsent000000".'],
      [{ workflowId, entityId: '004absent000000' }, 'entityId names no post, message or story: "004absent000000".'],
      [{ workflowId, entityId: '002demo00000001' }, 'entityId names no post, message or story: "002demo00000001".'],
      [{ workflowId: 'cwfabsent000000', entityId }, 'workflowId names no workflow: "cwfabsent000000".'],
    ]
    for (const [body, sentence] of refusals) {
      const { status, json } = await service.publisher('POST /workflow-item', { body })
      expect([status, json.Errors.API.Error]).toEqual([400, sentence])
    }
    expect((await service.reader('POST /workflow-item', { body: { entityId, workflowId } })).status).toBe(403)
    const foreign = await service.otherAdmin('POST /workflow-item', { body: { entityId, workflowId } })
    expect([foreign.status, foreign.json.Errors.API.Error]).toEqual([
      400,
      `entityId names no post, message or story: "${entityId}".`,
    ])
    expect((await service.publisher('POST /workflow-item', { body: { entityId, workflowId } })).status).toBe(200)
    const again = await service.publisher('POST /workflow-item', { body: { entityId, workflowId } })
    expect([again.status, again.json.Errors.API.Error]).toEqual([
      409,
      'It waits for approval already, at the step "One".',
    ])
  })

  test('a published post is rejected', async () => {
    const post = await given.post({}, service.publisher)
    await ownerQuery(service.databaseUrl, `update sends set state = 'sent', due = null where content_id = $1`, [
      post.Id,
    ])
    const workflowId = (await given.workflow({ name: 'One' })).Id
    const { status } = await service.publisher('POST /workflow-item', { body: { entityId: post.Id, workflowId } })
    expect(status).toBe(409)
  })
})

test('only its approvers submit rejected content to another workflow', async () => {
  const { workflow, post } = await given.waiting({ name: 'One', approverIds: [ada] })
  await service.admin(`POST /workflow-item/${post.Id}`, { body: { isApprove: 0 } })
  const easier = await given.workflow({ name: 'Easier', approverIds: [pablo] })
  const send = (as: typeof service.admin, workflowId: string) =>
    as('POST /workflow-item', { body: { entityId: post.Id, workflowId } })
  const refused = await send(service.publisher, easier.Id)
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([403, expect.stringContaining('the step "One"')])
  expect((await send(service.publisher, workflow.Id)).status).toBe(200)
  await service.publisher(`DELETE /workflow-item/${post.Id}`)
  expect(await given.standing(post.Id), 'taking it out makes nothing good').toEqual(['draft', 'Rejected'])
  expect((await send(service.publisher, easier.Id)).status).toBe(403)
  expect((await send(service.admin, easier.Id)).json.Data.WorkflowId).toBe(easier.Id)
})

test('an approval in an inactive workflow is ignored', async () => {
  const { workflow, post } = await given.waiting({ name: 'One' })
  await service.admin(`POST /workflow-item/${post.Id}`)
  await service.admin(`DELETE /app/api/workflow/${workflow.Id}`)
  await service.publisher(`POST /post/${post.Id}`, { body: { credentialIds: '003-1-2414184' } })
  expect(await given.standing(post.Id)).toEqual(['pending', 'Approved'])
  await service.contributor(`POST /post/${post.Id}`, { body: { credentialIds: '003-1-2414183' } })
  expect(await given.standing(post.Id)).toEqual(['draft', 'Pending'])
  expect((await given.item(post.Id)).WorkflowId, 'in the default workflow').not.toBe(workflow.Id)
})

describe('withdrawing', () => {
  test('leaves a draft; a contributor who schedules it submits it again', async () => {
    const workflowId = (await given.workflow({ name: 'One' })).Id
    const othersPost = await given.post({ workflowId })
    const ours = await given.post({ workflowId }, service.publisher)
    expect((await service.contributor(`DELETE /workflow-item/${ours.Id}`)).status).toBe(403)
    expect((await service.reader(`DELETE /workflow-item/${ours.Id}`)).status).toBe(403)
    const item = await given.item(ours.Id)
    expect((await service.admin(`DELETE /workflow-item/${item.Id}`)).json).toEqual({ Result: true })
    expect((await service.contributor(`DELETE /workflow-item/${othersPost.Id}`)).json).toEqual({ Result: true })
    expect(await given.standing(ours.Id)).toEqual(['draft', 'Approved'])
    expect(await given.standing(othersPost.Id)).toEqual(['draft', 'Approved'])
    for (const route of [
      `DELETE /workflow-item/${item.Id}`,
      `POST /workflow-item/${item.Id}`,
      `POST /workflow-item/${ours.Id}`,
    ])
      expect((await service.admin(route)).json.Errors.API.Error, route).toBe('Workflow item not found.')
    await service.contributor(`POST /post/${othersPost.Id}`, { body: { status: 'pending' } })
    expect(await given.standing(othersPost.Id)).toEqual(['draft', 'Pending'])
    expect((await service.publisher(`POST /workflow-item/${othersPost.Id}`)).json.Data.Status).toBe('approved')
    expect((await service.publisher(`POST /post/${ours.Id}`, { body: { status: 'pending' } })).json.Post.Status).toBe(
      'pending',
    )
  })

  test('a decided item is rejected', async () => {
    const { post } = await given.waiting({ name: 'One' })
    await service.admin(`POST /workflow-item/${post.Id}`)
    expect((await service.admin(`DELETE /workflow-item/${post.Id}`)).status).toBe(409)
    expect(await given.standing(post.Id)).toEqual(['pending', 'Approved'])
  })

  test('deleting a post removes it from its workflow', async () => {
    const { post } = await given.waiting({ name: 'One' })
    await service.contributor(`DELETE /post/${post.Id}`)
    expect(await given.item(post.Id)).toBeUndefined()
    expect((await service.admin(`POST /workflow-item/${post.Id}`)).status).toBe(404)
  })
})

test('items of other teams’ campaigns and other accounts are invisible', async () => {
  const campaign = (await service.admin('POST /campaign', { body: { name: 'Hidden' } })).json.Campaign.Id
  const workflow = await given.workflow({ name: 'One', approverIds: [pablo] })
  const messageId = await given.message('Secret', campaign)
  await given.mails()
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: '025demo00000002' } })
  const post = await given.post({ messageId, workflowId: workflow.Id }, service.admin)
  const recipients = (await given.mails()).map(({ to }) => to)
  expect(recipients, 'users are not emailed content they may not see').toEqual(['ada.marsh@example.com'])
  const item = await given.item(post.Id)
  const of = `workflowId=${workflow.Id}`
  expect([
    (await list(of, service.publisher)).Total,
    (await list(of)).Total,
    (await list(of, service.admin)).Total,
  ]).toEqual([0, 1, 1])
  for (const verb of ['POST', 'DELETE'])
    for (const as of [service.publisher, service.otherAdmin]) {
      const absent = await as(`${verb} /workflow-item/cwiabsent000000`)
      expect(absent.status).toBe(404)
      for (const id of [item.Id, post.Id, 'nonsense'])
        expect((await as(`${verb} /workflow-item/${id}`)).text).toBe(absent.text)
    }
  // The named approver cannot see it, so the item does not wait for them.
  expect((await service.admin(`POST /workflow-item/${item.Id}`)).json.Data.Status).toBe('approved')
})
