import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, chidi, pablo } from '../approval.fixture.ts'

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({
    environment: { CHORUS_ROLES: 'api', CHORUS_PUBLIC_URL: 'https://chorus.example.com' },
  })
  given = approvals(service)
})
afterAll(() => service.stop())

const mail = { ada: 'ada.marsh@example.com', pablo: 'pablo.reyes@example.com', chidi: 'chidi.okafor@example.com' }

test('each approver of a step gets an email when it is reached, and the submitter about the outcome', async () => {
  await given.mails()
  const workflow = await given.workflow(
    { name: 'First', approverIds: [pablo] },
    { name: 'Second', mustBeApprovedByEveryone: true, approverIds: [ada, pablo] },
  )
  const messageId = await given.message(`${'😀'.repeat(499)}abc`)
  const post = await given.post({ messageId, workflowId: workflow.Id })
  const item = await given.item(post.Id)
  const [request, ...more] = await given.mails()
  expect([request?.to, more]).toEqual([mail.pablo, []])
  expect(request?.subject).toBe('Chidi Okafor asks you to approve a LinkedIn post')
  for (const part of ['step "First"', 'Network: LinkedIn', 'GMT', `${'😀'.repeat(499)}a…`, item.Id])
    expect(request?.text).toContain(part)
  expect(request?.text).toContain('https://chorus.example.com/docs')

  await service.publisher(`POST /workflow-item/${item.Id}`)
  const next = await given.mails()
  expect(next.map(({ to }) => to).sort()).toEqual([mail.ada, mail.pablo])
  await service.publisher(`POST /workflow-item/${item.Id}`)
  expect(await given.mails()).toEqual([])
  await service.admin(`POST /workflow-item/${item.Id}`, { body: { note: 'Well done' } })
  const [outcome, ...rest] = await given.mails()
  expect([outcome?.to, outcome?.subject, rest]).toEqual([mail.chidi, 'Ada Marsh approved a LinkedIn post', []])
  expect(outcome?.text).toContain('Note: Well done')
})

test('the email about a rejection has its note', async () => {
  const { post } = await given.waiting({ name: 'One' })
  await given.mails()
  await service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove: 0, note: 'Name the station' } })
  const [outcome, ...rest] = await given.mails()
  expect([outcome?.to, outcome?.subject, rest]).toEqual([mail.chidi, 'Pablo Reyes rejected a LinkedIn post', []])
  expect(outcome?.text).toContain('Note: Name the station')
})

test('webhooks receive submissions and outcomes, not intermediate steps', async () => {
  const { workflow, post } = await given.waiting({ name: 'One' }, { name: 'Two' })
  const item = await given.item(post.Id)
  await service.publisher(`POST /workflow-item/${item.Id}`, { body: { note: 'On' } })
  await service.admin(`POST /workflow-item/${item.Id}`, { body: { note: 'Good' } })
  const about = {
    WorkflowItemID: item.Id,
    WorkflowID: workflow.Id,
    StoryID: '',
    BoardID: '',
    PostID: post.Id,
    MessageID: post.MessageId,
    Network: 'LinkedIn',
  }
  const [one, two] = workflow.Steps.map(({ Id }) => Id)
  expect(await given.events(post.Id)).toEqual([
    ['newApprovalItem', { ...about, StepID: one, Status: 'pending', Note: '', UserID: chidi }],
    ['approvalItemApproved', { ...about, StepID: two, Status: 'approved', Note: 'Good', UserID: ada }],
  ])
  const entityId = await given.message()
  await service.contributor('POST /workflow-item', { body: { entityId, workflowId: workflow.Id } })
  await service.publisher(`POST /workflow-item/${entityId}`, { body: { isApprove: 'false', note: 'No' } })
  const [, [type, rejected] = []] = await given.events(entityId)
  expect([type, rejected]).toEqual([
    'approvalItemRejected',
    {
      WorkflowItemID: expect.any(String),
      WorkflowID: workflow.Id,
      StepID: one,
      Status: 'rejected',
      StoryID: '',
      BoardID: '',
      PostID: '',
      MessageID: entityId,
      Network: 'LinkedIn',
      Note: 'No',
      UserID: pablo,
    },
  ])
})
