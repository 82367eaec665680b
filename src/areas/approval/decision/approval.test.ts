import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, chidi, pablo } from '../approval.fixture.ts'

const hour = 60 * 60 * 1000
let clockOffset = 0
const clock = { now: () => new Date(Date.now() + clockOffset) }

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ clock, environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service, () => clock.now().getTime())
})
afterAll(() => service.stop())

const decide = (as: TestService['admin'], id: string, body: object = {}) => as(`POST /workflow-item/${id}`, { body })
const error = ({ status, json }: { status: number; json: { Errors: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]

describe('scheduling without approval', () => {
  test('by a contributor leaves a draft without sends', async () => {
    for (const rest of [{}, { status: 'pending' }]) {
      const post = await given.post(rest)
      expect([post.Status, post.ApproveStatus]).toEqual(['draft', 'Pending'])
      expect(await given.sends(post.Id)).toEqual([{ state: 'idle', due: null }])
    }
  })

  test('is rejected by the database', async () => {
    const { post } = await given.waiting({ name: 'Legal' })
    for (const status of ['pending', 'inqueue', 'complete'])
      await expect(
        ownerQuery(service.databaseUrl, 'update posts set status = $2 where id = $1', [post.Id, status]),
      ).rejects.toThrow('approved_before_scheduled')
  })

  test('ends when a scheduled post is submitted', async () => {
    const workflow = await given.workflow({ name: 'Legal' })
    const post = await given.post({}, service.publisher)
    expect(post.Status).toBe('pending')
    const body = { entityId: post.Id, workflowId: workflow.Id }
    expect(error(await service.contributor('POST /workflow-item', { body }))[0], 'it is not theirs').toBe(403)
    expect(await given.standing(post.Id)).toEqual(['pending', 'Approved'])
    await service.publisher('POST /workflow-item', { body })
    expect(await given.standing(post.Id)).toEqual(['draft', 'Pending'])
    expect(await given.sends(post.Id)).toEqual([{ state: 'idle', due: null }])
  })
})

describe('approval', () => {
  test('passes the steps in order and then schedules the post as planned', async () => {
    const { workflow, post } = await given.waiting(
      { name: 'First', approverIds: [pablo] },
      { name: 'Second', approverIds: [ada] },
    )
    const [first, second] = workflow.Steps.map(({ Id }) => Id)
    const item = await given.item(post.Id)
    expect(item).toEqual({
      Id: expect.stringMatching(/^cwi\w{12}$/),
      Created: expect.any(String),
      Modified: expect.any(String),
      CreatedBy: chidi,
      Status: 'pending',
      StepId: first,
      WorkflowId: workflow.Id,
      MessageId: post.MessageId,
      PostId: post.Id,
      StoryId: '',
      BoardId: '',
      EntityId: post.Id,
      Network: 'LinkedIn',
      History: [],
    })
    const { History: _history, ...about } = item
    const moved = await decide(service.publisher, item.Id, { isApprove: 1, stepId: first })
    expect(moved.json).toEqual({ Result: true, Data: { ...about, StepId: second, Modified: expect.any(String) } })
    expect(await given.standing(post.Id)).toEqual(['draft', 'Pending'])
    const done = await decide(service.admin, post.Id)
    expect([done.json.Data.Status, done.json.Data.StepId]).toEqual(['approved', second])
    expect(await given.standing(post.Id)).toEqual(['pending', 'Approved'])
    const [send] = await given.sends(post.Id)
    expect([send?.state, Math.round(((send?.due?.getTime() ?? 0) - clock.now().getTime()) / hour)]).toEqual([
      'waiting',
      24,
    ])
    expect(await given.item(post.Id)).toBeUndefined()
    const again = await decide(service.admin, item.Id)
    expect(error(again)).toEqual([409, 'It was approved already. Send it to a workflow again to have it decided anew.'])
  })

  test('needs one approver of the step, or all if the step requires it', async () => {
    const any = await given.waiting({ name: 'Any', approverIds: [ada, pablo] })
    expect((await decide(service.publisher, any.post.Id)).json.Data.Status).toBe('approved')
    const all = await given.waiting({ name: 'All', mustBeApprovedByEveryone: true, approverIds: [ada, pablo] })
    for (let time = 0; time < 2; time++)
      expect((await decide(service.publisher, all.post.Id)).json.Data.Status).toBe('pending')
    expect(await given.standing(all.post.Id)).toEqual(['draft', 'Pending'])
    expect((await decide(service.admin, all.post.Id)).json.Data.Status).toBe('approved')
    expect(await given.standing(all.post.Id)).toEqual(['pending', 'Approved'])
  })

  test('does not wait for deleted approvers', async () => {
    const draft = { firstName: 'Gone', lastName: 'Soon', email: 'gone@example.com', password: 'a long password' }
    const deletedUser = (await service.admin('POST /user', { body: { ...draft, role: 'publisher' } })).json.User.Id
    const step = { name: 'All', mustBeApprovedByEveryone: true, approverIds: [pablo, deletedUser] }
    const { workflow, post } = await given.waiting(step)
    expect((await decide(service.publisher, post.Id)).json.Data.Status).toBe('pending')
    await service.admin(`DELETE /user/${deletedUser}`)
    const { Approvers } = (await service.reader(`GET /workflow-step/${workflow.Steps[0]?.Id}`)).json
    expect(Approvers.map(({ Id }: { Id: string }) => Id)).toEqual([pablo])
    expect((await decide(service.publisher, post.Id)).json.Data.Status).toBe('approved')
  })

  test('at a step without approvers is requested from admins', async () => {
    await given.mails()
    const { post } = await given.waiting({ name: 'Open', approverIds: [] })
    expect((await given.mails()).map(({ to }) => to)).toEqual(['ada.marsh@example.com'])
    expect(error(await decide(service.publisher, post.Id))).toEqual([403, expect.stringContaining('the step "Open"')])
    expect((await decide(service.admin, post.Id)).json.Data.Status).toBe('approved')
  })

  test('by an admin replaces all required approvers', async () => {
    const { id } = await given.user('publisher', 'absentee')
    const step = { name: 'All', mustBeApprovedByEveryone: true, approverIds: [pablo, id] }
    const { post } = await given.waiting(step)
    expect((await decide(service.publisher, post.Id)).json.Data.Status).toBe('pending')
    expect((await decide(service.admin, post.Id)).json.Data.Status).toBe('approved')
  })

  test('is rejected if the item is at another step', async () => {
    const { workflow, post } = await given.waiting({ name: 'One' }, { name: 'Two' })
    const [one, two] = workflow.Steps.map(({ Id }) => Id)
    expect(error(await decide(service.admin, post.Id, { stepId: two }))).toEqual([
      409,
      expect.stringContaining('"One"'),
    ])
    expect((await decide(service.admin, post.Id, { stepId: one })).status).toBe(200)
    expect(error(await decide(service.admin, post.Id, { stepId: one }))).toEqual([
      409,
      expect.stringContaining('"Two"'),
    ])
  })

  test('after the planned time publishes the post immediately', async () => {
    const { post } = await given.waiting({ name: 'Slow' })
    clockOffset = 48 * hour
    await decide(service.admin, post.Id)
    const [send] = await given.sends(post.Id)
    expect([send?.state, Math.abs((send?.due?.getTime() ?? 0) - clock.now().getTime()) < 10_000]).toEqual([
      'waiting',
      true,
    ])
    clockOffset = 0
  })

  test('of a queued draft keeps its place in the queue', async () => {
    const workflow = await given.workflow({ name: 'One' })
    await ownerQuery(
      service.databaseUrl,
      `insert into queue_slots (account_id, credential_id, weekday, minutes)
      values ('001demo00000001', '003-1-2414183', 1, 600) on conflict do nothing`,
    )
    const post = await given.post({ status: 'inqueue', workflowId: workflow.Id })
    expect(await given.standing(post.Id)).toEqual(['inqueue-draft', 'Pending'])
    const slot = () =>
      ownerQuery<{ slot: Date }>(service.databaseUrl, 'select slot from sends where content_id = $1', [post.Id])
    const before = await slot()
    expect(before[0]?.slot).toBeInstanceOf(Date)
    await decide(service.admin, post.Id)
    expect(await given.standing(post.Id)).toEqual(['inqueue', 'Approved'])
    expect(await slot()).toEqual(before)
    expect((await given.sends(post.Id))[0]).toEqual({ state: 'waiting', due: before[0]?.slot })
  })
})

describe('a rejection', () => {
  test('at any step leaves a rejected draft that can be submitted again from the first step', async () => {
    const step = { name: 'All', mustBeApprovedByEveryone: true, approverIds: [ada, pablo] }
    const { workflow, post } = await given.waiting({ name: 'First' }, step)
    await decide(service.publisher, post.Id)
    await decide(service.publisher, post.Id)
    const { json } = await decide(service.admin, post.Id, { action: 'reject', note: 'Too loud' })
    expect(json.Data.Status).toBe('rejected')
    expect(await given.standing(post.Id)).toEqual(['draft', 'Rejected'])
    expect(await given.sends(post.Id)).toEqual([{ state: 'idle', due: null }])
    expect(error(await decide(service.admin, post.Id))).toEqual([
      409,
      expect.stringMatching(/^It was rejected already/),
    ])
    const body = { entityId: post.Id, workflowId: workflow.Id }
    const again = (await service.contributor('POST /workflow-item', { body })).json.Data
    expect([again.Status, again.StepId]).toEqual(['pending', workflow.Steps[0]?.Id])
    expect(await given.standing(post.Id)).toEqual(['draft', 'Pending'])
  })
})

describe('a message', () => {
  test('can be scheduled once approved, not while pending or rejected', async () => {
    const workflow = await given.workflow({ name: 'One' })
    const send = (entityId: string, as = service.contributor) =>
      as('POST /workflow-item', { body: { entityId, workflowId: workflow.Id } })
    const [good, bad] = [await given.message(), await given.message()]
    expect((await send(good)).json.Data).toMatchObject({
      MessageId: good,
      PostId: '',
      EntityId: good,
      Network: 'LinkedIn',
    })
    await send(bad)
    await expect(given.post({ messageId: good }, service.publisher)).rejects.toThrow('waits for approval')
    const draft = await given.post({ messageId: good, status: 'draft' }, service.publisher)
    await decide(service.admin, good)
    await decide(service.admin, bad, { isApprove: 0 })
    expect((await service.publisher(`POST /post/${draft.Id}`, { body: { status: 'pending' } })).status).toBe(200)
    await expect(given.post({ messageId: bad }, service.publisher)).rejects.toThrow('rejected')
    expect(error(await send(good, service.publisher))).toEqual([
      409,
      expect.stringContaining('1 scheduled post uses this message'),
    ])
    expect((await send(good)).status, 'approved content of somebody else').toBe(403)
    await send(bad)
    await service.contributor(`DELETE /workflow-item/${bad}`)
    await expect(given.post({ messageId: bad }, service.publisher)).rejects.toThrow('rejected')
  })

  test('that is pending delays posts made from it', async () => {
    const { workflow, post } = await given.waiting({ name: 'One' })
    await service.admin('POST /workflow-item', { body: { entityId: post.MessageId, workflowId: workflow.Id } })
    expect(error(await decide(service.admin, post.Id))).toEqual([
      409,
      expect.stringContaining('The message of this post is not approved itself'),
    ])
    await decide(service.admin, post.MessageId)
    expect((await decide(service.admin, post.Id)).json.Data.Status).toBe('approved')
  })
})

describe('a change', () => {
  test('of the post or its message restarts approval and discards earlier approvals', async () => {
    const step = { name: 'All', mustBeApprovedByEveryone: true, approverIds: [ada, pablo] }
    const { workflow, post } = await given.waiting({ name: 'First', approverIds: [pablo] }, step)
    const changes = [
      () => service.contributor(`POST /message/${post.MessageId}`, { body: { message: `Changed ${clock.now()}` } }),
      () => service.contributor(`POST /post/${post.Id}`, { body: { credentialIds: '003-1-2414184' } }),
    ]
    for (const change of changes) {
      await decide(service.publisher, post.Id)
      await decide(service.publisher, post.Id)
      expect((await given.item(post.Id)).StepId).toBe(workflow.Steps[1]?.Id)
      await given.mails()
      expect((await change()).status).toBe(200)
      expect((await given.item(post.Id)).StepId).toBe(workflow.Steps[0]?.Id)
      expect((await given.mails()).map(({ to }) => to)).toEqual(['pablo.reyes@example.com'])
    }
    await decide(service.publisher, post.Id)
    expect((await decide(service.admin, post.Id)).json.Data.Status, 'one of two in this round').toBe('pending')
    expect((await decide(service.publisher, post.Id)).json.Data.Status).toBe('approved')
    expect((await given.events(post.Id)).map(([type]) => type)).toEqual(['newApprovalItem', 'approvalItemApproved'])
  })
})
