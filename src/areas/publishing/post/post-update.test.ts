import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvals, pablo } from '#areas/approval/approval.fixture.ts'
import type { Caller } from '../../../../tests/support/caller.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { careersPage, later, posting, preset, profiles } from './post.fixture.ts'

let service: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = posting(service)
})
afterAll(() => service.stop())

const change = (id: string, body: unknown, as: Caller = service.publisher) => as(`POST /post/${id}`, { body })
const move = (id: string, campaignId: string, as: Caller = service.publisher) =>
  as(`POST /post/${id}/change-campaign`, { body: { campaignId } })
const statusesOf = async (id: string) => {
  const { Status, ApproveStatus } = (await service.reader(`GET /post/${id}`)).json.Post
  return [Status, ApproveStatus]
}
const sentence = ({ status, json }: { status: number; json: { Errors?: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]

test('an update keeps fields that are not given', async () => {
  const before = await given.post({ credentialIds: careersPage, targetingPresetId: preset })
  const { json } = await change(before.Id, { startDateTime: later + 3600 }, service.admin)
  expect(json.Post).toEqual({
    ...before,
    StartDateTime: '2030-03-17 18:46:40',
    Modified: expect.any(String),
    ModifiedBy: '00Ademo00000001',
  })
  expect((await given.sends(before.Id))[0]?.due).toEqual(new Date((later + 3600) * 1000))
  expect((await change(before.Id, {})).json.Post).toMatchObject({ Status: 'pending', TargetingPresetId: preset })
  expect((await change(before.Id, { targetingPresetId: '' })).json.Post.TargetingPresetId).toBeNull()
  expect((await given.events(before.Id)).map(({ type }) => type)).toEqual([
    'postCreated',
    ...Array(3).fill('postModified'),
  ])
})

test('profiles, message and status change atomically', async () => {
  const campaignId = await given.campaign('Other')
  const messageId = await given.message({ network: 'X', campaignId })
  const { Id, MessageId } = await given.post()
  expect(sentence(await change(Id, { messageId }))).toEqual([400, expect.stringContaining('a profile on LinkedIn')])
  expect(sentence(await change(Id, { credentialIds: '' }))).toEqual([400, expect.stringContaining('at least one')])
  const { json } = await change(Id, { messageId, credentialIds: profiles.x, status: 'draft' })
  expect(json.Post).toMatchObject({
    MessageId: messageId,
    CampaignId: campaignId,
    Network: 'Twitter',
    Credentials: profiles.x,
    Status: 'draft',
  })
  expect(await given.sends(Id)).toMatchObject([
    { campaign: campaignId, credential: profiles.x, state: 'idle', due: null },
  ])
  expect(sentence(await change(Id, { messageId: '005absent000000' }))).toEqual([
    400,
    expect.stringContaining('messageId'),
  ])
  expect(sentence(await change(Id, { messageId: '005demo00000056' }))).toEqual([
    409,
    expect.stringContaining('archived'),
  ])
  expect((await change(Id, { messageId: MessageId, credentialIds: careersPage })).status).toBe(200)
  expect(await given.wrongCounts()).toEqual([])
})

test('an audience that belongs to none of the new profiles is refused', async () => {
  const { Id } = await given.post({ credentialIds: careersPage, targetingPresetId: preset })
  expect(sentence(await change(Id, { credentialIds: profiles.linkedInPage }))).toEqual([
    400,
    expect.stringContaining('targetingPresetId'),
  ])
  const both = { credentialIds: profiles.linkedInPage, targetingPresetId: '' }
  expect((await change(Id, both)).json.Post.TargetingPresetId).toBeNull()
})

test('scheduling a draft whose time just passed publishes it now; one further back is refused with the time', async () => {
  const { Id } = await given.post({ status: 'draft' })
  const plan = (moment: string) =>
    ownerQuery(service.databaseUrl, `update posts set start_date_time = ${moment} where id = $1`, [Id])
  await plan(`'2020-01-01'`)
  expect(sentence(await change(Id, { status: 'pending' }))).toEqual([
    400,
    expect.stringContaining('startDateTime is 2020-01-01 00:00:00 UTC, which has passed'),
  ])
  expect(sentence(await change(Id, { startDateTime: '2021-02-03T04:05:06+01:00' }))).toEqual([
    400,
    expect.stringContaining('2021-02-03 03:05:06 UTC'),
  ])
  expect(await statusesOf(Id)).toEqual(['draft', 'Approved'])
  await plan(`now() - interval '30 minutes'`)
  const { Modified, StartDateTime } = (await change(Id, { status: 'pending' })).json.Post
  expect(StartDateTime).toBe(Modified)
})

test('contributors do not change what others have scheduled, and what they change of their own needs approval', async () => {
  const { Id: foreign } = await given.post()
  for (const body of [{ startDateTime: later + 1 }, { credentialIds: careersPage }, { status: 'draft' }, {}])
    expect(sentence(await change(foreign, body, service.contributor))).toEqual([
      403,
      expect.stringContaining('belongs to someone else'),
    ])
  expect(await statusesOf(foreign)).toEqual(['pending', 'Approved'])

  const { Id } = await given.post({ status: 'draft' }, service.contributor)
  const schedule = async () => {
    await service.publisher(`DELETE /workflow-item/${Id}`)
    await change(Id, { status: 'pending' })
    expect(await statusesOf(Id)).toEqual(['pending', 'Approved'])
  }
  const now = Math.floor(Date.now() / 1000)
  for (const body of [{ credentialIds: careersPage }, { startDateTime: later + 1 }, { startDateTime: now }]) {
    await schedule()
    expect((await change(Id, body, service.contributor)).json.Post).toMatchObject({
      Status: 'draft',
      ApproveStatus: 'Pending',
    })
    expect((await given.sends(Id)).map(({ state, due }) => [state, due])).toEqual([['idle', null]])
    await change(Id, { startDateTime: later + 2 })
    expect(await statusesOf(Id)).toEqual(['draft', 'Pending'])
  }
  await schedule()
  await change(Id, { status: 'draft' }, service.contributor)
  expect(await statusesOf(Id), 'withdrawn by its author').toEqual(['draft', 'Approved'])
  await change(Id, { startDateTime: later + 3 }, service.contributor)
  expect(await statusesOf(Id)).toEqual(['draft', 'Approved'])
  expect((await change(Id, {}, service.reader)).status).toBe(403)
})

test('a draft can be changed by anyone who sees it until another user submits it for approval', async () => {
  const { Id } = await given.post({ status: 'draft' })
  expect((await change(Id, { credentialIds: careersPage }, service.contributor)).status).toBe(200)
  const { Id: workflowId } = await approvals(service).workflow({ name: 'Look' })
  await service.publisher('POST /workflow-item', { body: { entityId: Id, workflowId } })
  expect((await change(Id, { credentialIds: profiles.linkedInPage }, service.contributor)).status).toBe(403)
  await service.publisher(`DELETE /workflow-item/${Id}`)
  await service.contributor('POST /workflow-item', { body: { entityId: Id, workflowId } })
  expect((await change(Id, { credentialIds: profiles.linkedInPage }, service.contributor)).status).toBe(200)
})

test('a queued post is a queue draft while it is pending approval', async () => {
  const workflow = await approvals(service).workflow({ name: 'Look' })
  await ownerQuery(
    service.databaseUrl,
    `insert into queue_slots (account_id, credential_id, weekday, minutes) values ('001demo00000001', $1, 3, 601) on conflict do nothing`,
    [careersPage],
  )
  const post = await given.post({ status: 'inqueue', workflowId: workflow.Id, credentialIds: careersPage })
  expect([post.Status, post.ApproveStatus, post.Queued]).toEqual(['inqueue-draft', 'Pending', 1])
})

test('a post changes campaign without its message', async () => {
  const campaignId = await given.campaign('Target')
  const { Id, MessageId, CampaignId } = await given.post({ firstComment: { text: 'Hi' } })
  const { json } = await move(Id, campaignId)
  expect(json.Post).toMatchObject({
    CampaignId: campaignId,
    MessageId,
    Status: 'pending',
    FirstComment: { CampaignId: campaignId },
  })
  expect((await given.sends(Id)).map(({ campaign }) => campaign)).toEqual([campaignId, campaignId])
  expect((await service.reader(`GET /message/${MessageId}`)).json.Message.CampaignId).toBe(CampaignId)
  expect((await service.reader(`GET /campaign/${campaignId}`)).json.Campaign.TotalPendingPosts).toBe(1)
  expect(await given.wrongCounts()).toEqual([])
  for (const target of ['002absent000000', 'nonsense', '', '002demo00000012']) {
    expect(sentence(await move(Id, target))).toEqual([400, expect.stringContaining('campaignId')])
  }
  expect(sentence(await service.publisher(`POST /post/${Id}/change-campaign`))).toEqual([
    400,
    'Missing value for parameter campaignId.',
  ])
  expect((await move(Id, CampaignId, service.contributor)).status).toBe(403)
})

test('a post moved to a paused campaign waits, and continues when moved on', async () => {
  const { Id } = await given.post()
  await move(Id, '002demo00000008')
  expect(await given.sends(Id)).toMatchObject([{ state: 'waiting', due: null }])
  await move(Id, '002demo00000001')
  expect(await given.sends(Id)).toMatchObject([{ state: 'waiting', due: new Date(later * 1000) }])
})

test('only approvers of the current step move a pending post to another campaign', async () => {
  const { post } = await approvals(service).waiting({ name: 'Pablo decides', approverIds: [pablo] })
  expect(sentence(await move(post.Id, '002demo00000002', service.contributor))).toEqual([
    403,
    expect.stringContaining('waits for approval'),
  ])
  expect((await move(post.Id, '002demo00000002')).json.Post.CampaignId).toBe('002demo00000002')
  const [item] = await ownerQuery<{ scope: string }>(
    service.databaseUrl,
    'select scope_id as scope from workflow_items where entity_id = $1',
    [post.Id],
  )
  expect(item?.scope).toBe('002demo00000002')
})

test.each([
  ['sent', /has been sent already/],
  ['failed', /has been sent already/],
  ['sending', /being sent at this moment/],
  ['unknown', /being sent at this moment/],
])('a post that is %s stays as it is', async (state, words) => {
  const { Id } = await given.post({ credentialIds: `${careersPage},${profiles.linkedInPage}` })
  await given.setState(Id, state, careersPage)
  for (const response of [
    await change(Id, { status: 'draft' }),
    await move(Id, '002demo00000002'),
    await service.publisher(`DELETE /post/${Id}`),
  ])
    expect(sentence(response)).toEqual([409, expect.stringMatching(words)])
  expect(await statusesOf(Id)).toEqual(['pending', 'Approved'])
})

test('a post that is being prepared can still be changed', async () => {
  const { Id } = await given.post()
  await given.setState(Id, 'preparing')
  expect((await change(Id, { status: 'draft' })).status).toBe(200)
  expect(await given.sends(Id)).toMatchObject([{ state: 'idle' }])
})
