import { afterAll, beforeAll, expect, test } from 'vitest'
import { posting, profiles } from '#areas/publishing/post/post.fixture.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
let make: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  make = posting(service)
})
afterAll(() => service.stop())

const overview = async (as = service.publisher) => {
  const { status, json } = await as('GET /app/api/overview')
  expect(status, JSON.stringify(json)).toBe(200)
  return json
}
const query = (text: string, values: unknown[] = []) => ownerQuery(service.databaseUrl, text, values)
const inHours = (hours: number) => Math.floor(Date.now() / 1000) + hours * 3600

test('approvals are listed for approvers of the step who have not decided', async () => {
  const steps = [{ name: 'Both', approverIds: ['00Ademo00000002', '00Ademo00000001'], mustBeApprovedByEveryone: 1 }]
  const workflow = (await service.admin('POST /app/api/workflow', { body: { name: 'Home', steps } })).json.Workflow
  const ids = async (as = service.publisher) =>
    (await overview(as)).WaitsForMe.Approvals.map(({ EntityId }: { EntityId: string }) => EntityId)
  const messageId = await make.message({ message: 'Decide on this' })
  const post = await make.post({ messageId, startDateTime: inHours(2), workflowId: workflow.Id }, service.contributor)
  const { WaitsForMe } = await overview()
  expect(WaitsForMe.Approvals.find((one: { EntityId: string }) => one.EntityId === post.Id)).toMatchObject({
    PostId: post.Id,
    Network: 'LinkedIn',
    Text: 'Decide on this',
    CreatedBy: '00Ademo00000003',
    Due: post.StartDateTime,
  })
  expect(await ids(service.admin)).toContain(post.Id)
  const { Approvals } = (await overview(service.admin)).WaitsForMe
  expect(
    Approvals.filter(({ Text }: { Text: string }) => Text === ''),
    'stories say what they are',
  ).toEqual([])
  expect(await ids(service.contributor)).toEqual([])
  expect(await ids(service.otherAdmin)).toEqual([])
  await service.publisher(`POST /workflow-item/${post.Id}`, { body: { isApprove: 1 } })
  expect(await ids()).not.toContain(post.Id)
  expect(await ids(service.admin)).toContain(post.Id)
})

test('problems are failed posts, profiles with posts at risk, and webhooks for users who can fix them', async () => {
  const before = await overview(service.admin)
  const [failed, late] = [
    await make.post({ startDateTime: inHours(1) }),
    await make.post({ startDateTime: inHours(1) }),
  ]
  await query(`update posts set status = 'error' where id = $1`, [failed.Id])
  await make.setState(late.Id, 'late')
  await make.post({ startDateTime: inHours(30) })
  await query(`update credentials set status = 'invalid', status_reason = 'The access was taken back.' where id = $1`, [
    profiles.linkedInPage,
  ])
  const body = { event: 'postSent', name: 'Failing', url: 'https://93.184.216.34/' }
  const webhook = (await service.admin('POST /webhook', { body })).json.Webhook.Id
  await query('update webhooks set failing_since = now() where id = $1', [webhook])
  const { WentWrong } = await overview(service.admin)
  expect(WentWrong.PostsTotal).toBe(before.WentWrong.PostsTotal + 2)
  const problems = Object.fromEntries(
    WentWrong.Posts.map((one: { Id: string; Trouble: string }) => [one.Id, one.Trouble]),
  )
  expect(problems).toMatchObject({ [failed.Id]: 'failed', [late.Id]: 'late' })
  const profile = WentWrong.Profiles.find((one: { Id: string }) => one.Id === profiles.linkedInPage)
  expect(profile).toMatchObject({ Status: 'invalid', Reason: 'The access was taken back.' })
  expect(profile.AtRisk).toBeGreaterThan(0)
  expect(WentWrong.Webhooks).toMatchObject([{ Id: webhook, Name: 'Failing' }])
  expect((await overview()).WentWrong).toMatchObject({ Webhooks: [], WebhooksTotal: 0 })
})

test('lists posts of the next day in order, and counts activity since yesterday', async () => {
  await query(`delete from conversions where created > now() - interval '1 day'`)
  const before = await overview()
  const [second, first] = [
    await make.post({ startDateTime: inHours(0.02) }),
    await make.post({ startDateTime: inHours(0.01) }),
  ]
  await make.post({ startDateTime: inHours(25) })
  await make.post({ startDateTime: inHours(1), status: 'draft' })
  const { GoesOutNext, GoesOutTotal, CameIn } = await overview()
  expect(GoesOutTotal).toBe(before.GoesOutTotal + 2)
  expect(GoesOutNext.slice(0, 2).map(({ Id }: { Id: string }) => Id)).toEqual([first.Id, second.Id])
  await query(
    `insert into leads (account_id, id, created, modified, email) values ('001demo00000001', '0ldhome00000001', now(), now(), 'home@example.com')`,
  )
  expect((await overview()).CameIn).toEqual({ ...CameIn, Leads: CameIn.Leads + 1 })
})

test('lists are short and have a total', async () => {
  await query(
    `insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
    select account_id, '004home' || lpad(n::text, 8, '0'), now(), now(), created_by, created_by, 'error', 'Approved', 'API', false, campaign_id, id, network, now() - n * interval '1 minute', '{}'
    from generate_series(1, 1001) n cross join lateral (select * from messages where account_id = '001demo00000001' order by id limit 1) m`,
  )
  const { WentWrong } = await overview()
  expect([WentWrong.Posts.length, WentWrong.PostsTotal]).toEqual([10, 1000])
})

test('onboarding steps are marked as done', async () => {
  expect((await overview(service.admin)).FirstSteps).toEqual({
    Profile: true,
    Campaign: true,
    Post: true,
    Invitation: true,
    Webhook: true,
  })
  expect((await overview(service.otherAdmin)).FirstSteps).toMatchObject({ Invitation: false, Webhook: false })
})

test('entities of other teams and accounts are excluded', async () => {
  const campaignId = await make.campaign('Closed home')
  const hidden = await make.post({ messageId: await make.message({ campaignId }), startDateTime: inHours(0.005) })
  expect(JSON.stringify(await overview())).toContain(hidden.Id)
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  expect(JSON.stringify(await overview())).not.toContain(hidden.Id)
  expect(JSON.stringify(await overview(service.otherAdmin))).not.toContain(hidden.Id)
})
