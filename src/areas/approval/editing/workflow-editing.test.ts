import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('only admins make and change workflows', async () => {
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

test('what cannot be a workflow is refused, and the sentence says why', async () => {
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

test('steps keep their ids when they change places and names; those left out are listed no longer', async () => {
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

test('what waits at a step that goes moves to the next it has not passed, or to the last; whoever decides there is told', async () => {
  const cases: [after: string[], reached: string, lands: string][] = [
    [['A', 'C'], 'B', 'C'],
    [['A'], 'B', 'A'],
    [['A', 'New', 'C'], 'B', 'New'],
    [['C', 'A'], 'B', 'C'],
    [['B', 'C'], 'A', 'B'],
    [['A', 'C'], 'A', 'A'],
  ]
  for (const [after, reached, lands] of cases) {
    const { workflow, post } = await given.waiting({ name: 'A' }, { name: 'B' }, { name: 'C' })
    if (reached === 'B') await service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove: 1 } })
    await given.mails()
    const steps = after.map((name) => {
      const id = workflow.Steps.find(({ Name }) => Name === name)?.Id
      return { ...(id && { id }), name, approverIds: [pablo] }
    })
    const { Steps } = (await change(workflow.Id, { steps })).json.Workflow
    const at = (await given.item(post.Id)).StepId
    expect(Steps.find(({ Id }: { Id: string }) => Id === at)?.Name, `${after} at ${reached}`).toBe(lands)
    const told = (await given.mails()).map(({ to }) => to)
    expect(told, `${after} at ${reached}`).toEqual(reached === lands ? [] : ['pablo.reyes@example.com'])
  }
})

test('a workflow is put out of use only when nothing waits in it, and then takes nothing new', async () => {
  const { workflow, post } = await given.waiting({ name: 'A' })
  for (const refused of [
    await service.admin(`DELETE /app/api/workflow/${workflow.Id}`),
    await change(workflow.Id, { status: 'inactive' }),
  ])
    expect([refused.status, refused.json.Errors.API.Error]).toEqual([
      409,
      expect.stringMatching(/^1 item waits for approval in this workflow\./),
    ])
  await service.admin(`DELETE /workflow-item/${post.Id}`)
  expect((await service.admin(`DELETE /app/api/workflow/${workflow.Id}`)).json).toEqual({ Result: true })
  expect((await service.reader(`GET /workflow/${workflow.Id}`)).json.Status).toBe('inactive')
  const body = { entityId: post.Id, workflowId: workflow.Id }
  const late = await service.contributor('POST /workflow-item', { body })
  expect([late.status, late.json.Errors.API.Error]).toEqual([
    409,
    'The workflow "Check" is not in use. Choose another one.',
  ])
  await change(workflow.Id, { status: 'active' })
  expect((await service.contributor('POST /workflow-item', { body })).status).toBe(200)
})

test('of sending something to a workflow and putting it out of use at the same moment, one is refused', async () => {
  for (let round = 0; round < 8; round++) {
    const workflow = await given.workflow({ name: 'A' })
    const entityId = await given.message()
    const [sent, retired] = await Promise.all([
      service.publisher('POST /workflow-item', { body: { entityId, workflowId: workflow.Id } }),
      service.admin(`DELETE /app/api/workflow/${workflow.Id}`),
    ])
    expect([sent.status, retired.status].sort()).toEqual([200, 409])
  }
})
