import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, pablo } from '../approval.fixture.ts'

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
})
afterAll(() => service.stop())

const approver = (Id: string, Name: string, Email: string) => ({ Id, Created: expect.any(String), Name, Email })

test('workflows and steps have the flat responses that clients expect', async () => {
  const { Id } = await given.workflow(
    { name: 'Draft', approverIds: [pablo] },
    { name: 'Legal', mustBeApprovedByEveryone: true, approverIds: [pablo, ada] },
    { name: 'Last look', approverIds: [] },
  )
  const plain = { Result: true, Id, Created: expect.any(String), Name: 'Check', Status: 'active' }
  expect((await service.reader(`GET /workflow/${Id}`)).json).toEqual(plain)
  const { json } = await service.reader(`GET /workflow/${Id}`, { query: 'withSteps=1' })
  const about = { Id: expect.stringMatching(/^cws\w{12}$/), Created: expect.any(String), WorkflowId: Id }
  const people = {
    pablo: approver(pablo, 'Pablo Reyes', 'pablo.reyes@example.com'),
    ada: approver(ada, 'Ada Marsh', 'ada.marsh@example.com'),
  }
  expect(json).toEqual({
    ...plain,
    Steps: [
      { ...about, Name: 'Draft', MustBeApprovedByEveryone: false, Approvers: [people.pablo] },
      { ...about, Name: 'Legal', MustBeApprovedByEveryone: true, Approvers: [people.ada, people.pablo] },
      { ...about, Name: 'Last look', MustBeApprovedByEveryone: false, Approvers: [] },
    ],
  })
  const listed = (await service.reader('GET /workflow-step', { query: `workflowId=${Id}` })).json
  expect(listed).toEqual({ Result: true, Items: json.Steps, Total: 3 })
  const step = (await service.reader(`GET /workflow-step/${json.Steps[1].Id}`)).json
  expect(step).toEqual({ Result: true, ...json.Steps[1] })
})

test('lists are complete or paged', async () => {
  for (let number = 0; number < 3; number++) await given.workflow({ name: 'One' }, { name: 'Two' })
  const all = (await service.reader('GET /workflow')).json
  expect([all.Items.length, all.Items[0].Steps]).toEqual([all.Total, undefined])
  expect((await service.reader('GET /workflow', { query: 'withSteps=1' })).json.Items[0].Steps.length).toBe(2)
  for (const path of ['/workflow', '/workflow-step']) {
    const whole = (await service.reader(`GET ${path}`)).json
    const pages = await Promise.all(
      [0, 1].map((page) => service.reader(`GET ${path}`, { query: `_page=${page}&_count=2` })),
    )
    expect(pages.flatMap(({ json }) => json.Items)).toEqual(whole.Items.slice(0, 4))
    expect(pages.map(({ json }) => json.Total)).toEqual([whole.Total, whole.Total])
    expect((await service.reader(`GET ${path}`, { query: '_count=101' })).json.Errors.API.Error).toBe(
      'Page size 101 is not valid. Use 1 to 100.',
    )
  }
  expect((await service.reader('GET /workflow-step', { query: 'workflowId=cwfabsent000000' })).json.Items).toEqual([])
  const malformed = await service.reader('GET /workflow-step', { query: 'workflowId=nonsense' })
  expect([malformed.status, malformed.json.Errors.API.Error]).toEqual([400, expect.stringContaining('workflowId')])
})

test('workflows of other teams and their steps are invisible', async () => {
  const { Id, Steps } = await given.workflow({ name: 'Secret' })
  expect((await service.admin(`POST /team-entity/${Id}`, { body: { teamIds: '025demo00000002' } })).status).toBe(200)
  expect((await service.admin(`GET /team-entity/${Id}`)).json.Items.length).toBe(1)
  for (const route of [`GET /workflow/${Id}`, `GET /workflow-step/${Steps[0]?.Id}`]) {
    expect((await service.publisher(route)).status, route).toBe(404)
    expect((await service.reader(route)).status, route).toBe(200)
    expect((await service.admin(route)).status, route).toBe(200)
  }
  const seen = (await service.publisher('GET /workflow')).json.Items
  expect(seen.some((workflow: { Id: string }) => workflow.Id === Id)).toBe(false)
  expect((await service.publisher('GET /workflow-step', { query: `workflowId=${Id}` })).json.Total).toBe(0)
  const body = { entityId: await given.message(), workflowId: Id }
  const refused = await service.publisher('POST /workflow-item', { body })
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([400, `workflowId names no workflow: "${Id}".`])
})
