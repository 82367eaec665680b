import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, chidi, pablo } from '../approval.fixture.ts'

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
})
afterAll(() => service.stop())

const change = (id: string, body: object) => service.admin(`PUT /app/api/workflow/${id}`, { body })
const names = (steps: { Name: string }[]) => steps.map(({ Name }) => Name)

test('only admins create and change workflows', async () => {
  const { Id } = await given.workflow({ name: 'One' })
  const body = { name: 'Mine', steps: [{ name: 'One' }] }
  for (const as of [service.publisher, service.contributor, service.reader])
    for (const route of ['POST /app/api/workflow', `PUT /app/api/workflow/${Id}`, `DELETE /app/api/workflow/${Id}`])
      expect((await as(route, { body })).status).toBe(403)
  for (const route of [`PUT /app/api/workflow/${Id}`, `DELETE /app/api/workflow/${Id}`])
    expect((await service.otherAdmin(route, { body })).text).toBe(
      (await service.otherAdmin(route.replace(Id, 'cwfabsent000000'), { body })).text,
    )
  expect((await service.otherAdmin(`PUT /app/api/workflow/${Id}`, { body })).status).toBe(404)
})

test('invalid workflows are rejected with a reason', async () => {
  const refusals: [body: unknown, sentence: string][] = [
    [{ steps: [{ name: 'One' }] }, 'Missing value for parameter name.'],
    [{ name: 'x' }, 'Missing value for parameter steps.'],
    [{ name: 'x', steps: [] }, 'steps must hold 1 to 20 elements.'],
    [{ name: 'x', steps: Array(21).fill({ name: 'One' }) }, 'steps must hold 1 to 20 elements.'],
    [{ name: 'x', steps: [{ name: 'One' }, {}] }, 'steps element 2: name is missing.'],
    [{ name: 'x', steps: ['One'] }, 'steps element 1: must be an object.'],
    [
      { name: 'x', steps: [{ name: 'One', approverIds: [chidi] }] },
      `approverIds names ${chidi}, who is no active admin or publisher of this account.`,
    ],
    [
      { name: 'x', steps: [{ name: 'One', approverIds: ['00Ademo00000005'] }] },
      'approverIds names 00Ademo00000005, who is no active admin or publisher of this account.',
    ],
    [
      { name: 'x', steps: [{ id: 'cwsabsent000000', name: 'One' }] },
      expect.stringContaining('no step of this workflow'),
    ],
  ]
  for (const [body, sentence] of refusals) {
    const { status, json } = await service.admin('POST /app/api/workflow', { body })
    expect([status, json.Errors?.API.Error]).toEqual([400, sentence])
  }
  const form = `name=Form&steps[0][name]=One&steps[0][approverIds]=${pablo},${ada}&steps[1][name]=Two`
  const { json } = await service.admin('POST /app/api/workflow', { body: form })
  expect(names(json.Workflow.Steps)).toEqual(['One', 'Two'])
  expect(json.Workflow.Steps[0].Approvers.length).toBe(2)
})

test('steps keep their ids when reordered and renamed; omitted steps are no longer listed', async () => {
  const { Id, Steps } = await given.workflow({ name: 'A', approverIds: [pablo] }, { name: 'B' }, { name: 'C' })
  const [a, b, c] = Steps.map((step) => step.Id)
  const steps = [{ id: c, name: 'C' }, { name: 'New' }, { id: a, name: 'A again', mustBeApprovedByEveryone: 1 }]
  const { json } = await change(Id, { name: 'Changed', steps })
  expect([json.Workflow.Name, names(json.Workflow.Steps)]).toEqual(['Changed', ['C', 'New', 'A again']])
  expect([json.Workflow.Steps[0].Id, json.Workflow.Steps[2].Id]).toEqual([c, a])
  expect([json.Workflow.Steps[2].Approvers, json.Workflow.Steps[2].MustBeApprovedByEveryone]).toEqual([[], true])
  expect((await service.reader(`GET /workflow-step/${b}`)).json.Name).toBe('B')
  expect((await service.reader('GET /workflow-step', { query: `workflowId=${Id}` })).json.Total).toBe(3)
  for (const wrong of [
    [{ id: b, name: 'B' }],
    [
      { id: a, name: 'A' },
      { id: a, name: 'A' },
    ],
  ])
    expect((await change(Id, { steps: wrong })).status).toBe(400)
  const untouched = (await change(Id, { status: 'active' })).json.Workflow
  expect(names(untouched.Steps)).toEqual(['C', 'New', 'A again'])
})

const defaultWorkflow = async () =>
  (await service.admin('GET /app/api/workflow')).json.Items.find((one: { IsDefault: number }) => one.IsDefault)

test('items at a removed step, or one without approvers left, move to the default workflow and its approvers are notified', async () => {
  const standard = await defaultWorkflow()
  const cases: [after: { name: string; approverIds: string[] }[], reached: string, moves: boolean][] = [
    [[{ name: 'A', approverIds: [pablo] }], 'B', true],
    [[{ name: 'B', approverIds: [pablo] }], 'A', true],
    [[{ name: 'New', approverIds: [pablo] }], 'A', true],
    [[{ name: 'A', approverIds: [] }], 'A', true],
    [[{ name: 'A', approverIds: [ada] }], 'A', false],
    [
      [
        { name: 'B', approverIds: [pablo] },
        { name: 'A', approverIds: [pablo] },
      ],
      'A',
      false,
    ],
  ]
  for (const [after, reached, moves] of cases) {
    const { workflow, post } = await given.waiting({ name: 'A', approverIds: [pablo] }, { name: 'B' })
    if (reached === 'B') await service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove: 1 } })
    await given.mails()
    const steps = after.map((step) => {
      const id = workflow.Steps.find(({ Name }) => Name === step.name)?.Id
      return { ...(id && { id }), ...step }
    })
    expect((await change(workflow.Id, { steps })).status).toBe(200)
    const item = await given.item(post.Id)
    const what = `${JSON.stringify(after)} at ${reached}`
    expect([item.Status, item.WorkflowId === standard.Id], what).toEqual(['pending', moves])
    if (moves) expect(item.StepId).toBe(standard.Steps[0].Id)
    const recipients = (await given.mails()).map(({ to }) => to).sort()
    expect(recipients, what).toEqual(moves ? ['ada.marsh@example.com', 'pablo.reyes@example.com'] : [])
    expect((await service.publisher(`POST /workflow-item/${post.Id}`)).status, what).toBe(
      after[0]?.approverIds[0] === ada ? 403 : 200,
    )
  }
})

test('items move to the default workflow when the last approver of their step is deleted or may no longer approve', async () => {
  const standard = await defaultWorkflow()
  for (const leave of [
    (id: string) => service.admin(`DELETE /user/${id}`),
    (id: string) => service.admin(`POST /app/api/user/${id}/role`, { body: { role: 'contributor' } }),
  ]) {
    const [last, other] = [
      await given.user('publisher', `last${numbered}`),
      await given.user('publisher', `other${numbered++}`),
    ]
    const singleApprover = await given.waiting({ name: 'Alone', approverIds: [last.id] })
    const both = await given.waiting({ name: 'Both', approverIds: [last.id, other.id] })
    const later = await given.waiting(
      { name: 'Pablo', approverIds: [pablo] },
      { name: 'Alone', approverIds: [last.id] },
    )
    expect((await leave(last.id)).status).toBe(200)
    expect((await given.item(singleApprover.post.Id)).WorkflowId).toBe(standard.Id)
    expect((await given.item(both.post.Id)).WorkflowId).toBe(both.workflow.Id)
    await service.publisher(`POST /workflow-item/${later.post.Id}`)
    expect((await given.item(later.post.Id)).WorkflowId, 'it finds nobody at its next step').toBe(standard.Id)
    const fresh = await given.post({ workflowId: singleApprover.workflow.Id })
    expect((await given.item(fresh.Id)).WorkflowId, 'nobody is left there').toBe(standard.Id)
    expect((await service.publisher(`POST /workflow-item/${singleApprover.post.Id}`)).json.Data.Status).toBe('approved')
  }
})
let numbered = 0

test('an inactive workflow accepts no items, and its pending items move to the default one', async () => {
  const { workflow, post } = await given.waiting({ name: 'A' })
  expect((await service.admin(`DELETE /app/api/workflow/${workflow.Id}`)).json).toEqual({ Result: true })
  expect((await service.reader(`GET /workflow/${workflow.Id}`)).json.Status).toBe('inactive')
  expect((await given.item(post.Id)).WorkflowId).toBe((await defaultWorkflow()).Id)
  await service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove: 0 } })
  const body = { entityId: post.Id, workflowId: workflow.Id }
  const late = await service.contributor('POST /workflow-item', { body })
  expect([late.status, late.json.Errors.API.Error]).toEqual([
    409,
    'The workflow "Check" is not in use. Choose another one.',
  ])
  await change(workflow.Id, { status: 'active' })
  expect((await service.admin('POST /workflow-item', { body })).status).toBe(200)
})

describe('the default workflow', () => {
  test('exists from the start with one step for all current and future admins and publishers', async () => {
    const { json } = await service.otherAdmin('GET /app/api/workflow')
    expect(json.Items).toMatchObject([
      {
        Name: 'Default approval',
        Status: 'active',
        IsDefault: 1,
        Steps: [{ Name: 'Approval', MustBeApprovedByEveryone: false, ApproverRoles: ['admin', 'publisher'] }],
      },
    ])
    const { Id, Steps } = await defaultWorkflow()
    const late = await given.user('publisher', 'late')
    const shown = (await service.reader(`GET /workflow/${Id}`, { query: 'withSteps=1' })).json
    expect(Object.keys(shown)).toEqual(['Result', 'Id', 'Created', 'Name', 'Status', 'Steps'])
    expect(Object.keys(shown.Steps[0])).not.toContain('ApproverRoles')
    expect(shown.Steps[0].Approvers.map((one: { Id: string }) => one.Id)).toEqual(
      expect.arrayContaining([ada, pablo, late.id]),
    )
    expect(shown.Steps[0].Approvers.map((one: { Id: string }) => one.Id)).not.toContain(chidi)
    const post = await given.post()
    expect(await given.item(post.Id)).toMatchObject({ WorkflowId: Id, StepId: Steps[0].Id, CreatedBy: chidi })
    expect((await late.as(`POST /workflow-item/${post.Id}`)).json.Data.Status).toBe('approved')
  })

  test('can be edited and replaced, but not deleted or deactivated', async () => {
    const before = await defaultWorkflow()
    for (const refused of [
      await service.admin(`DELETE /app/api/workflow/${before.Id}`),
      await change(before.Id, { status: 'inactive' }),
      await change(before.Id, { isDefault: 0 }),
    ])
      expect([refused.status, refused.json.Errors.API.Error]).toEqual([
        409,
        expect.stringContaining('default workflow'),
      ])
    const next = await given.workflow({ name: 'Only Pablo', approverIds: [pablo] })
    expect((await change(next.Id, { isDefault: 1 })).json.Workflow).toMatchObject({ Id: next.Id, IsDefault: 1 })
    expect((await defaultWorkflow()).Id).toBe(next.Id)
    const post = await given.post()
    expect((await given.item(post.Id)).WorkflowId).toBe(next.Id)
    expect((await service.admin(`DELETE /app/api/workflow/${before.Id}`)).status).toBe(200)
    const dead = await change(before.Id, { isDefault: 1 })
    expect([dead.status, dead.json.Errors.API.Error]).toEqual([409, expect.stringContaining('not in use')])
    expect((await change(before.Id, { status: 'active', isDefault: 1 })).json.Workflow.IsDefault).toBe(1)
    const steps = [{ id: before.Steps[0].Id, name: 'Publishers', approverRoles: ['publisher'] }]
    expect((await change(before.Id, { steps })).json.Workflow.Steps).toMatchObject([
      { Name: 'Publishers', ApproverRoles: ['publisher'] },
    ])
    expect((await change(before.Id, { steps: [{ name: 'A', approverRoles: ['read'] }] })).status).toBe(400)
    await change(before.Id, { steps: [{ ...steps[0], approverRoles: ['admin', 'publisher'] }] })
  })

  test('hands content over to another workflow that its submitter chooses', async () => {
    const chosen = await given.workflow({ name: 'Chosen' })
    const post = await given.post()
    const { Id } = await given.item(post.Id)
    const body = { entityId: post.Id, workflowId: chosen.Id }
    const other = await given.user('contributor', 'somebody')
    expect((await other.as('POST /workflow-item', { body })).status, 'not the submitter').toBe(409)
    const moved = await service.contributor('POST /workflow-item', { body })
    expect(moved.json.Data).toMatchObject({ Id, WorkflowId: chosen.Id, StepId: chosen.Steps[0]?.Id, Status: 'pending' })
    expect((await service.contributor('POST /workflow-item', { body })).status).toBe(409)
  })

  test('takes content whose workflow is deactivated during submission', async () => {
    for (let round = 0; round < 8; round++) {
      const workflow = await given.workflow({ name: 'A' })
      const entityId = await given.message()
      const [sent, retired] = await Promise.all([
        service.publisher('POST /workflow-item', { body: { entityId, workflowId: workflow.Id } }),
        service.admin(`DELETE /app/api/workflow/${workflow.Id}`),
      ])
      expect(retired.status).toBe(200)
      const item = await given.item(entityId)
      if (sent.status === 409) expect(item).toBeUndefined()
      else expect([sent.status, item.WorkflowId]).toEqual([200, (await defaultWorkflow()).Id])
    }
  })
})
