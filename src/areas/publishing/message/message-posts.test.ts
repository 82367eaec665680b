import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvals } from '#areas/approval/approval.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { careersPage, image, later, posting, profiles } from '../post/post.fixture.ts'

let service: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = posting(service)
})
afterAll(() => service.stop())

const sentence = ({ status, json }: { status: number; json: { Errors?: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]
const statusesOf = async (id: string) => {
  const { Status, ApproveStatus } = (await service.reader(`GET /post/${id}`)).json.Post
  return [Status, ApproveStatus]
}

test('deleting a message deletes its unsent posts and keeps sent ones', async () => {
  const messageId = await given.message()
  const [unsent, half] = [
    await given.post({ messageId }),
    await given.post({ messageId, credentialIds: `${profiles.linkedInPage},${careersPage}` }),
  ]
  await given.setState(half.Id, 'sent', careersPage)
  expect((await service.publisher(`DELETE /message/${messageId}`)).json).toEqual({ Result: true })
  expect((await service.reader(`GET /post/${unsent.Id}`)).status).toBe(404)
  const { json } = await service.reader(`GET /post/${half.Id}`, { query: 'postlogs=1' })
  expect(json.Post).toMatchObject({
    Status: 'incomplete',
    Postlogs: [{ CredentialId: profiles.linkedInPage, Status: 'failed', Error: 'The message was deleted.' }],
  })
  expect(await given.wrongCounts()).toEqual([])
})

test('a message cannot be deleted while one of its posts is being sent', async () => {
  const messageId = await given.message()
  const [waits, sends] = [await given.post({ messageId }), await given.post({ messageId })]
  await given.setState(sends.Id, 'sending')
  for (const response of [
    await service.publisher(`DELETE /message/${messageId}`),
    await service.publisher(`POST /message/${messageId}`, { body: { message: 'Other' } }),
  ])
    expect(sentence(response)).toEqual([409, expect.stringContaining('being sent at this moment')])
  expect((await service.reader(`GET /post/${waits.Id}`)).status).toBe(200)
  expect((await service.reader(`GET /message/${messageId}`)).json.Message.Message).toBe('Hello')
  expect((await service.publisher(`POST /message/${messageId}`, { body: { tagIds: '0AFdemo00000001' } })).status).toBe(
    200,
  )
})

test("a contributor's change to their own scheduled message needs approval", async () => {
  const messageId = await given.message()
  const own = { messageId, status: 'draft' }
  const [scheduled, draft] = [await given.post(own, service.contributor), await given.post(own, service.contributor)]
  await service.publisher(`POST /post/${scheduled.Id}`, { body: { status: 'pending' } })
  const change = (body: object, as = service.contributor) => as(`POST /message/${messageId}`, { body })
  await change({ tagIds: '0AFdemo00000001' })
  await change({ message: 'By a publisher' }, service.publisher)
  expect(await statusesOf(scheduled.Id)).toEqual(['pending', 'Approved'])
  expect((await change({ message: 'By a contributor' })).status).toBe(200)
  expect([await statusesOf(scheduled.Id), await statusesOf(draft.Id)]).toEqual([
    ['draft', 'Pending'],
    ['draft', 'Approved'],
  ])
  expect((await given.sends(scheduled.Id)).map(({ state, due }) => [state, due])).toEqual([['idle', null]])
  expect((await given.events(scheduled.Id)).map(({ type }) => type)).toEqual([
    'postCreated',
    'postModified',
    'postModified',
  ])
  const waiting = (await service.publisher('GET /workflow-item', { query: 'count=1000' })).json.Items
  expect(waiting.find((item: { EntityId: string }) => item.EntityId === scheduled.Id)).toMatchObject({
    Status: 'pending',
    PostId: scheduled.Id,
  })
  expect(await given.wrongCounts()).toEqual([])
})

test('contributors cannot change a message that some profiles have already published', async () => {
  const messageId = await given.message()
  const own = { messageId, credentialIds: `${profiles.linkedInPage},${careersPage}`, status: 'draft' }
  const { Id } = await given.post(own, service.contributor)
  await service.publisher(`POST /post/${Id}`, { body: { status: 'pending' } })
  await given.setState(Id, 'sent', careersPage)
  const change = (as: typeof service.admin) => as(`POST /message/${messageId}`, { body: { message: 'Other' } })
  expect(sentence(await change(service.contributor))).toEqual([409, expect.stringContaining('only a publisher')])
  expect((await change(service.publisher)).status).toBe(200)
  expect((await given.sends(Id)).map(({ state }) => state).sort()).toEqual(['sent', 'waiting'])
})

test('contributors cannot change a message that others have scheduled, published or submitted', async () => {
  const workflow = await approvals(service).workflow({ name: 'Look' })
  const uses: [what: string, use: (messageId: string) => Promise<unknown>][] = [
    ['scheduled', (messageId) => given.post({ messageId })],
    ['in approval', (messageId) => given.post({ messageId, workflowId: workflow.Id })],
    ['published', async (messageId) => given.setState((await given.post({ messageId })).Id, 'sent')],
    [
      'in approval itself',
      (entityId) => service.publisher('POST /workflow-item', { body: { entityId, workflowId: workflow.Id } }),
    ],
    [
      'approved itself',
      async (entityId) => {
        await service.publisher('POST /workflow-item', { body: { entityId, workflowId: workflow.Id } })
        await service.admin(`POST /workflow-item/${entityId}`)
      },
    ],
  ]
  for (const [what, use] of uses) {
    const messageId = await given.message()
    await given.post({ messageId, status: 'draft' })
    const change = () => service.contributor(`POST /message/${messageId}`, { body: { message: 'Mine now' } })
    expect((await change()).status, 'of a draft').toBe(200)
    await use(messageId)
    for (const response of [await change(), await service.contributor(`DELETE /message/${messageId}`)])
      expect(sentence(response), what).toEqual([403, expect.stringContaining('belongs to someone else')])
  }
})

test('posts awaiting their message follow its approval, and none stays pending without an item', async () => {
  const workflow = await approvals(service).workflow({ name: 'Look' })
  const messageId = await given.message()
  const submit = (as = service.publisher) =>
    as('POST /workflow-item', { body: { entityId: messageId, workflowId: workflow.Id } })
  const decide = (isApprove: 0 | 1) => service.admin(`POST /workflow-item/${messageId}`, { body: { isApprove } })
  const reword = () => service.publisher(`POST /message/${messageId}`, { body: { message: `Words ${Math.random()}` } })
  await submit()
  await decide(1)
  const names = ['stays', 'other', 'theirs', 'draft'] as const
  const ids = new Map<string, string>()
  for (const name of names) {
    const as = name === 'theirs' ? service.contributor : service.publisher
    const { Id } = await given.post({ messageId, status: 'draft' }, as)
    await service.publisher(`POST /post/${Id}`, { body: { status: 'pending' } })
    ids.set(name, Id)
  }
  const of = (name: string) => ids.get(name) as string
  const all = async () => Promise.all(names.map((name) => statusesOf(of(name))))
  const waiting = names.map(() => ['draft', 'Pending'])
  await reword()
  expect(await all()).toEqual(waiting)
  await decide(0)
  expect(await all(), 'rejected with it').toEqual(names.map(() => ['draft', 'Rejected']))
  await submit()
  expect(await all()).toEqual(waiting)
  await decide(1)
  expect(await all(), 'and scheduled again').toEqual(names.map(() => ['pending', 'Approved']))
  await reword()

  await service.publisher(`POST /post/${of('other')}`, { body: { messageId: await given.message() } })
  expect(await statusesOf(of('other')), 'with another message').toEqual(['draft', 'Approved'])
  await service.publisher(`POST /post/${of('draft')}`, { body: { status: 'draft' } })
  expect(await statusesOf(of('draft'))).toEqual(['draft', 'Approved'])
  await service.contributor(`POST /post/${of('theirs')}`, { body: { startDateTime: Math.floor(Date.now() / 1000) } })
  await service.publisher(`POST /post/${of('stays')}`, { body: { startDateTime: later + 60 } })
  await decide(1)
  expect(await statusesOf(of('stays'))).toEqual(['pending', 'Approved'])
  expect(await statusesOf(of('theirs')), 'moved by a contributor in the meantime').toEqual(['draft', 'Pending'])
  expect((await service.publisher(`POST /workflow-item/${of('theirs')}`)).json.Data.Status).toBe('approved')

  await reword()
  await service.admin(`DELETE /workflow-item/${messageId}`)
  expect(await statusesOf(of('stays')), 'its message was withdrawn from approval').toEqual(['draft', 'Approved'])
})

test('a send in preparation starts again with the changed message', async () => {
  const messageId = await given.message()
  const { Id } = await given.post({ messageId })
  await ownerQuery(
    service.databaseUrl,
    `update sends set state = 'preparing', fence = 7, progress = '{"stage":"uploading"}' where content_id = $1`,
    [Id],
  )
  await service.publisher(`POST /message/${messageId}`, { body: { message: 'Other' } })
  const [send] = await ownerQuery(
    service.databaseUrl,
    'select state, fence::int, progress from sends where content_id = $1',
    [Id],
  )
  expect(send).toEqual({ state: 'waiting', fence: 0, progress: null })
})

test('the network of a message is fixed once a post is scheduled or sent; drafts follow a change', async () => {
  const messageId = await given.message()
  const [{ Id: draft }, { Id }] = [await given.post({ messageId, status: 'draft' }), await given.post({ messageId })]
  const change = (network: string) => service.publisher(`POST /message/${messageId}`, { body: { network } })
  expect(sentence(await change('Facebook'))).toEqual([409, expect.stringContaining('1 scheduled or sent post')])
  expect((await change('linkedin')).status).toBe(200)
  await service.publisher(`DELETE /post/${Id}`)
  expect((await change('Facebook')).json.Message.Network).toBe('Facebook')
  expect((await service.reader(`GET /post/${draft}`)).json.Post.Network).toBe('Facebook')
  const schedule = (credentialIds?: string) =>
    service.publisher(`POST /post/${draft}`, { body: { status: 'pending', credentialIds } })
  expect(sentence(await schedule())).toEqual([400, expect.stringContaining('a profile on LinkedIn')])
  expect((await schedule(profiles.facebook)).json.Post).toMatchObject({ Status: 'pending', Network: 'Facebook' })
})

test('changing an approved message withdraws its posts until it is approved again', async () => {
  const approving = approvals(service)
  const [workflow, messageId] = [await approving.workflow({ name: 'Words' }), await given.message()]
  await service.publisher('POST /workflow-item', { body: { entityId: messageId, workflowId: workflow.Id } })
  await service.admin(`POST /workflow-item/${messageId}`)
  const [scheduled, draft] = [await given.post({ messageId }), await given.post({ messageId, status: 'draft' })]
  const change = (body: object) => service.admin(`POST /message/${messageId}`, { body })
  expect((await change({ tagIds: '0AFdemo00000001' })).json.Message.ApproveStatus).toBe('Approved')
  expect((await change({ message: 'Other words' })).json.Message.ApproveStatus).toBe('Pending')
  expect([await statusesOf(scheduled.Id), await statusesOf(draft.Id)]).toEqual([
    ['draft', 'Pending'],
    ['draft', 'Approved'],
  ])
  expect((await approving.item(messageId)).CreatedBy, 'the first submitter').toBe('00Ademo00000002')
  expect(sentence(await service.admin(`POST /post/${scheduled.Id}`, { body: { status: 'pending' } }))).toEqual([
    409,
    expect.stringContaining('waits for approval'),
  ])
  await service.admin(`POST /workflow-item/${messageId}`)
  expect([await statusesOf(scheduled.Id), await statusesOf(draft.Id)]).toEqual([
    ['pending', 'Approved'],
    ['draft', 'Approved'],
  ])
  expect((await given.sends(scheduled.Id)).map(({ state }) => state)).toEqual(['waiting'])
  expect(await given.wrongCounts()).toEqual([])
})

test('an approved message that some profiles have published cannot be changed', async () => {
  const { post } = await approvals(service).waiting({ name: 'One' })
  await service.admin(`POST /post/${post.Id}`, { body: { credentialIds: `${profiles.linkedInPage},${careersPage}` } })
  await service.admin(`POST /workflow-item/${post.Id}`)
  await given.setState(post.Id, 'sent', careersPage)
  const { MessageId } = post
  expect(sentence(await service.admin(`POST /message/${MessageId}`, { body: { message: 'Other' } }))).toEqual([
    409,
    expect.stringContaining('what was approved'),
  ])
})

test('the approval of a post starts again when its message changes', async () => {
  const approving = approvals(service)
  const { workflow, post } = await approving.waiting({ name: 'First' }, { name: 'Second' })
  await service.admin(`POST /workflow-item/${post.Id}`, { body: { isApprove: 1 } })
  expect((await approving.item(post.Id)).StepId).toBe(workflow.Steps[1]?.Id)
  await service.admin(`POST /message/${post.MessageId}`, { body: { message: 'Better words' } })
  expect((await approving.item(post.Id)).StepId).toBe(workflow.Steps[0]?.Id)
  await service.admin(`DELETE /message/${post.MessageId}`)
  expect(await approving.item(post.Id)).toBeUndefined()
})

test('unsent posts protect the current media of their message', async () => {
  const messageId = await given.message({ media: image })
  await given.post({ messageId })
  const held = async () =>
    (
      await ownerQuery<{ media: string }>(
        service.databaseUrl,
        `select media_id as media from media_references h join posts p on p.account_id = h.account_id and p.id = h.holder where p.message_id = $1`,
        [messageId],
      )
    ).map(({ media }) => media)
  expect(await held()).toEqual([image])
  await service.publisher(`POST /message/${messageId}`, { body: { media: '026demo00000004' } })
  expect(await held()).toEqual(['026demo00000004'])
  await service.publisher(`POST /message/${messageId}`, { body: { media: '' } })
  expect(await held()).toEqual([])
})

test('concurrent changes, scheduling, deletion and archiving leave a consistent state', async () => {
  for (let round = 0; round < 4; round++) {
    const campaignId = await given.campaign('All at once')
    const messageId = await given.message({ campaignId })
    const posts = await Promise.all([0, 1, 2].map(() => given.post({ messageId })))
    const calls = [
      () => service.contributor(`POST /message/${messageId}`, { body: { message: 'Other' } }),
      () => service.publisher(`POST /message/${messageId}`, { body: { media: image } }),
      () => service.publisher(`POST /post/${posts[0].Id}`, { body: { status: 'draft' } }),
      () => service.publisher(`POST /post/${posts[1].Id}/change-campaign`, { body: { campaignId: '002demo00000002' } }),
      () => service.publisher(`DELETE /post/${posts[2].Id}`),
      () => given.ask({ messageId }),
      () => service.publisher(`POST /campaign/${campaignId}`, { body: { status: round % 2 ? 'paused' : 'archived' } }),
      () => service.publisher(`DELETE /message/${messageId}`),
    ]
    const answers = await Promise.all([...calls, ...calls].map((call) => call()))
    for (const { status, text } of answers) expect([200, 400, 403, 404, 409], text).toContain(status)
  }
  expect(await given.wrongCounts()).toEqual([])
})
