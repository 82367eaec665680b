import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, chidi, pablo } from '../approval.fixture.ts'

const hour = 60 * 60 * 1000

let service: TestService
let given: ReturnType<typeof approvals>
const clock = { time: Date.now(), now: () => new Date(clock.time) }
beforeAll(async () => {
  service = await startTestService({ clock, environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service, () => clock.time)
})
afterAll(() => service.stop())
beforeEach(() => given.mails())

const listed = async (view: string, as = service.publisher) =>
  (await as('GET /app/api/workflow-item', { query: `view=${view}&_count=100` })).json.Items as {
    [field: string]: unknown
  }[]
const one = async (view: string, entityId: string, as = service.publisher) =>
  (await listed(view, as)).find(({ EntityId }) => EntityId === entityId)
const approve = (id: string, as = service.publisher) => as(`POST /workflow-item/${id}`)

test('an item has its step, missing approvers, waiting time, and whether it can be approved in time', async () => {
  const { post, workflow } = await given.waiting(
    { name: 'First', approverIds: [pablo] },
    { name: 'Second', mustBeApprovedByEveryone: true },
  )
  const waiting = await one('to-decide', post.Id)
  expect(waiting).toMatchObject({
    WorkflowName: 'Check',
    StepName: 'First',
    Step: 1,
    Steps: 2,
    Round: 1,
    CreatedByName: 'Chidi Okafor',
    Text: 'To be approved',
    Network: 'LinkedIn',
    Status: 'pending',
    PostId: post.Id,
    MayDecide: 1,
    // One day is left for two steps.
    DueState: 'tight',
    Reminded: '0000-00-00 00:00:00',
    Missing: [{ Id: pablo, Name: 'Pablo Reyes' }],
  })
  expect(await one('to-decide', post.Id, service.contributor)).toBeUndefined()
  expect(await one('sent', post.Id, service.contributor)).toMatchObject({ MayDecide: 0, WorkflowId: workflow.Id })
  expect(await one('waiting', post.Id, service.reader)).toMatchObject({ MayDecide: 0 })

  clock.time += hour
  await approve(waiting?.Id as string)
  await approve(waiting?.Id as string)
  expect(await one('to-decide', post.Id)).toBeUndefined()
  const second = await one('to-decide', post.Id, service.admin)
  expect(second).toMatchObject({ StepName: 'Second', Step: 2, Missing: [{ Id: ada, Name: 'Ada Marsh' }] })
  expect(second?.WaitingSince).toBe(new Date(clock.time).toISOString().slice(0, 19).replace('T', ' '))
  clock.time += 24 * hour
  expect(await one('waiting', post.Id)).toMatchObject({ DueState: 'over' })
  await approve(waiting?.Id as string, service.admin)
  expect(await one('waiting', post.Id)).toBeUndefined()
  const decided = await listed('decided')
  expect(decided[0]).toMatchObject({ EntityId: post.Id, Status: 'approved', DueState: 'none', Missing: [] })
})

test('an item in any status is found by its id, by users who may see it', async () => {
  const { post } = await given.waiting({ name: 'Only', approverIds: [pablo] })
  const { Id } = await given.item(post.Id)
  const read = (as = service.reader, id = Id) => as(`GET /app/api/workflow-item/${id}`)
  expect((await read(service.reader, post.Id)).json.Item.Id).toBe(Id)
  expect((await read()).json.Item).toMatchObject({ Id, Status: 'pending', StepName: 'Only', MayDecide: 0 })
  expect((await read(service.publisher)).json.Item.MayDecide).toBe(1)
  await service.publisher(`POST /workflow-item/${Id}`, { body: { action: 'reject', note: 'No' } })
  expect((await read()).json.Item).toMatchObject({ Status: 'rejected', DueState: 'none', Missing: [] })
  expect((await read(service.otherAdmin)).status).toBe(404)
})

test('an item without approvers waits for the admins', async () => {
  const { post } = await given.waiting({ name: 'Nobody', approverIds: [] })
  expect(await one('to-decide', post.Id)).toBeUndefined()
  expect(await one('waiting', post.Id)).toMatchObject({ MayDecide: 0 })
  expect(await one('to-decide', post.Id, service.admin)).toMatchObject({ MayDecide: 1, Missing: [] })
})

test('the history has the content at each decision and the changes since the last one', async () => {
  const { post } = await given.waiting({ name: 'One', approverIds: [pablo] }, { name: 'Two', approverIds: [ada] })
  const item = await given.item(post.Id)
  const changes = async () => (await service.reader(`GET /app/api/workflow-item/${item.Id}/changes`)).json
  expect(await changes()).toMatchObject({ EntityId: post.Id, Changed: [], Rounds: [{ Round: 1, Decisions: [] }] })

  await approve(item.Id)
  await service.publisher(`POST /message/${post.MessageId}`, { body: { message: 'For as long as you hike' } })
  const after = await changes()
  expect(after.Rounds).toMatchObject([
    { Round: 2, CreatedBy: pablo, Decisions: [] },
    { Round: 1, CreatedBy: chidi, Decisions: [{ UserId: pablo, IsApprove: 1 }] },
  ])
  expect(after.Rounds[1].Parts[0]).toEqual({ Name: 'Text', Text: 'To be approved' })
  expect(after.Now).toEqual(after.Rounds[0].Parts)
  expect(after.Now.map(({ Name }: { Name: string }) => Name)).toEqual(['Text', 'Profiles'])
  expect(after.Changed).toEqual([{ Name: 'Text', Before: 'To be approved', Now: 'For as long as you hike' }])
  expect(after.Authors[pablo].Name).toBe('Pablo Reyes')

  // Rejected and corrected: a new item, whose history includes the previous one.
  await service.publisher(`POST /workflow-item/${item.Id}`, { body: { isApprove: 0, note: 'Name the trail' } })
  const firstComment = { text: 'On the Kungsleden' }
  const mended = await service.contributor(`POST /post/${post.Id}`, { body: { firstComment, status: 'pending' } })
  expect(mended.status, mended.text).toBe(200)
  const again = await given.item(post.Id)
  const { Changed, Rounds } = (await service.reader(`GET /app/api/workflow-item/${again.Id}/changes`)).json
  expect(Changed).toEqual([{ Name: 'First comment', Before: '', Now: 'On the Kungsleden' }])
  expect(Rounds.map(({ ItemId, Round }: { ItemId: string; Round: number }) => [ItemId, Round])).toEqual([
    [again.Id, 1],
    [item.Id, 2],
    [item.Id, 1],
  ])
})

test('missing approvers can be reminded once a day', async () => {
  const { post } = await given.waiting({ name: 'Both', mustBeApprovedByEveryone: true })
  const item = await given.item(post.Id)
  await approve(item.Id)
  await given.mails()
  const remind = (as = service.contributor) => as(`POST /app/api/workflow-item/${item.Id}/remind`)
  expect((await remind()).json.Reminded).toEqual([{ Id: ada, Name: 'Ada Marsh' }])
  const [mail, ...more] = await given.mails()
  expect([mail?.to, mail?.subject, more]).toEqual([
    'ada.marsh@example.com',
    'Chidi Okafor still asks you to approve a LinkedIn post',
    [],
  ])
  expect(mail?.text).toContain(item.Id)
  const again = await remind()
  expect([again.status, again.headers.get('retry-after'), await given.mails()]).toEqual([429, '86400', []])
  clock.time += 24 * hour
  expect((await remind(service.admin)).status).toBe(409)
  expect((await remind(service.reader)).status).toBe(403)
  expect((await remind()).status).toBe(200)
})

test('several items are decided at once with separate results', async () => {
  const made = [
    await given.waiting({ name: 'A' }),
    await given.waiting({ name: 'B' }),
    await given.waiting({ name: 'C' }),
  ]
  const items = []
  for (const { post } of made) items.push(await given.item(post.Id))
  const [first, second, third] = items
  await service.publisher(`POST /message/${made[1]?.post.MessageId}`, { body: { message: 'Other words' } })
  await approve(third.Id, service.admin)
  const body = {
    items: [{ id: first.Id, stepId: first.StepId, round: 1 }, { id: second.Id, round: 1 }, { id: third.Id }],
    isApprove: 1,
  }
  const { status, json } = await service.publisher('POST /app/api/workflow-items', { body })
  expect([status, json.Items]).toEqual([
    200,
    [
      { Id: first.Id, Status: 'approved', Problem: '' },
      { Id: second.Id, Status: '', Problem: expect.stringContaining('changed since you looked') },
      { Id: third.Id, Status: '', Problem: expect.stringContaining('approved already') },
    ],
  ])
  expect(await given.standing(made[0]?.post.Id ?? '')).toEqual(['pending', 'Approved'])
  expect(await given.standing(made[1]?.post.Id ?? '')).toEqual(['draft', 'Pending'])
  const [entry] = (await service.admin('GET /app/api/audit', { query: '_count=1' })).json.Items
  expect(entry).toMatchObject({
    Operation: 'POST /app/api/workflow-items',
    EntityId: first.Id,
    Count: 1,
    UserId: pablo,
  })
  expect((await service.contributor('POST /app/api/workflow-items', { body })).status).toBe(403)
})

test('content of other teams is not listed, emailed or decided', async () => {
  const campaign = (await service.admin('POST /campaign', { body: { name: 'Hidden' } })).json.Campaign.Id
  const workflow = await given.workflow({ name: 'One' })
  const messageId = await given.message('Secret', campaign)
  const post = await given.post({ messageId, workflowId: workflow.Id }, service.admin)
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: '025demo00000002' } })
  const { Id } = await given.item(post.Id)
  expect(await one('waiting', post.Id)).toBeUndefined()
  expect((await service.publisher(`GET /app/api/workflow-item/${Id}/changes`)).status).toBe(404)
  expect((await service.publisher(`POST /app/api/workflow-item/${Id}/remind`)).status).toBe(404)
  const { json } = await service.publisher('POST /app/api/workflow-items', {
    body: { items: [{ id: Id }], isApprove: 1 },
  })
  expect(json.Items).toEqual([{ Id, Status: '', Problem: 'Workflow item not found.' }])
})
