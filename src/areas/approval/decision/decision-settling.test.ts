import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { approvals, pablo } from '../approval.fixture.ts'

const minute = 60_000
let clockOffset = 0
const clock = { now: () => new Date(Date.now() + clockOffset) }

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ clock })
  given = approvals(service, () => clock.now().getTime())
})
afterAll(() => service.stop())

test('an item advances when its remaining approvers are removed', async () => {
  const [leaving, staying] = [await given.user('publisher', 'leaving'), await given.user('publisher', 'staying')]
  const step = (...others: string[]) => ({ name: 'All', mustBeApprovedByEveryone: true, approverIds: others })
  const [moves, waits, abandoned] = [
    await given.waiting(step(pablo, leaving.id), { name: 'Next' }),
    await given.waiting(step(pablo, leaving.id, staying.id)),
    await given.waiting(step(leaving.id)),
  ]
  for (const { post } of [moves, waits]) await service.publisher(`POST /workflow-item/${post.Id}`)
  await given.mails()
  await service.admin(`DELETE /user/${leaving.id}`)
  clockOffset += 2 * minute
  const stepOf = async ({ post }: typeof moves) => (await given.item(post.Id))?.StepId
  await expect.poll(() => stepOf(moves), { timeout: 20_000 }).toBe(moves.workflow.Steps[1]?.Id)
  expect(await stepOf(waits), 'an approver has not decided yet').toBe(waits.workflow.Steps[0]?.Id)
  const { WorkflowId, Status } = await given.item(abandoned.post.Id)
  expect([Status, WorkflowId === abandoned.workflow.Id], 'nobody is left: the default workflow has it').toEqual([
    'pending',
    false,
  ])
  const last = await service.publisher(`POST /workflow-item/${moves.post.Id}`)
  expect(last.json.Data.Status).toBe('approved')
})
