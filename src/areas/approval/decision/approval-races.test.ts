import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, pablo } from '../approval.fixture.ts'

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
})
afterAll(() => service.stop())

const twenty = <Result>(call: (number: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, number) => call(number)))
const by = (number: number) => (number % 2 === 0 ? service.admin : service.publisher)
const statuses = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).sort((one, other) => one - other)
const one = (first: number, others: number) => [first, ...Array(19).fill(others)]

test('of twenty concurrent approvals one takes effect, with one event and one email', async () => {
  const { post } = await given.waiting({ name: 'One' })
  await given.mails()
  const answers = await twenty((number) => by(number)(`POST /workflow-item/${post.Id}`))
  expect(statuses(answers)).toEqual(one(200, 409))
  expect((await given.events(post.Id)).map(([type]) => type)).toEqual(['newApprovalItem', 'approvalItemApproved'])
  expect((await given.mails()).length).toBe(1)
  expect((await given.sends(post.Id)).length).toBe(1)
})

test('twenty concurrent approvals by both required approvers approve once', async () => {
  const step = { name: 'All', mustBeApprovedByEveryone: true, approverIds: [ada, pablo] }
  const { post } = await given.waiting(step)
  const answers = await twenty((number) => by(number)(`POST /workflow-item/${post.Id}`))
  expect(answers.filter(({ json }) => json.Data?.Status === 'approved').length).toBe(1)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect((await given.events(post.Id)).length).toBe(2)
})

test('a decision concurrent with another does not apply to the next step', async () => {
  const { workflow, post } = await given.waiting({ name: 'One' }, { name: 'Two' })
  const stepId = workflow.Steps[0]?.Id
  const answers = await twenty((number) => by(number)(`POST /workflow-item/${post.Id}`, { body: { stepId } }))
  expect(statuses(answers)).toEqual(one(200, 409))
  expect((await given.item(post.Id)).StepId).toBe(workflow.Steps[1]?.Id)
})

test('of twenty concurrent submissions of a post one succeeds, and so of withdrawals', async () => {
  const workflow = await given.workflow({ name: 'One' })
  const post = await given.post({}, service.publisher)
  const body = { entityId: post.Id, workflowId: workflow.Id }
  expect(statuses(await twenty((number) => by(number)('POST /workflow-item', { body })))).toEqual(one(200, 409))
  expect((await given.events(post.Id)).length).toBe(1)
  expect(statuses(await twenty((number) => by(number)(`DELETE /workflow-item/${post.Id}`)))).toEqual(one(200, 404))
})

test('concurrent approval, rejection, withdrawal, change and deletion leave a consistent state', async () => {
  for (let round = 0; round < 6; round++) {
    const { workflow, post } = await given.waiting({ name: 'One' })
    const calls = [
      () => service.admin(`POST /workflow-item/${post.Id}`),
      () => service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove: 0 } }),
      () => service.admin(`DELETE /workflow-item/${post.Id}`),
      () => service.contributor(`POST /message/${post.MessageId}`, { body: { message: `Round ${round}` } }),
      () => service.publisher(`POST /post/${post.Id}`, { body: { credentialIds: '003-1-2414184' } }),
      () => service.admin(`PUT /app/api/workflow/${workflow.Id}`, { body: { steps: [{ name: 'Other' }] } }),
      ...(round % 2 ? [() => service.admin(`DELETE /post/${post.Id}`)] : []),
    ]
    for (const { status, text } of await Promise.all(calls.map((call) => call())))
      expect([200, 404, 409], text).toContain(status)
    const [send] = await given.sends(post.Id)
    const item = await given.item(post.Id)
    if (round % 2) expect([send, item]).toEqual([undefined, undefined])
    else {
      const [status, approveStatus] = await given.standing(post.Id)
      expect(send?.state).toBe(status === 'pending' ? 'waiting' : 'idle')
      if (item) expect([status, approveStatus]).toEqual(['draft', 'Pending'])
    }
  }
})

test('of concurrent submission and scheduling of a message one is rejected', async () => {
  const workflow = await given.workflow({ name: 'One' })
  for (let round = 0; round < 8; round++) {
    const messageId = await given.message()
    const [sent, post] = await Promise.all([
      service.admin('POST /workflow-item', { body: { entityId: messageId, workflowId: workflow.Id } }),
      given.post({ messageId }, service.publisher).catch(() => undefined),
    ])
    expect([sent.status, post?.Status]).toEqual(post ? [409, 'pending'] : [200, undefined])
  }
})

test('there was no deadlock', async () => {
  const [row] = await ownerQuery<{ deadlocks: string }>(
    service.databaseUrl,
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  expect(Number(row?.deadlocks)).toBe(0)
})
