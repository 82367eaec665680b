import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

const started = Date.now()
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const rows = <Row extends object>(text: string) => ownerQuery<Row>(service.databaseUrl, text)
const found = async (text: string) => (await rows(text)).length

test('a nested folder contains an unused file', async () => {
  const { Items } = (await service.reader('GET /media-folder', { query: 'folderId=035demo00000002' })).json
  expect(Items).toMatchObject([{ Id: '035demo00000003', FolderId: '035demo00000002' }])
  const { json } = await service.reader('GET /media', { query: 'folderId=035demo00000003' })
  expect(json.Total).toBe(1)
  expect(await found(`select from message_media where media_id = '${json.Items[0].Id}'`)).toBe(0)
  expect(await found(`select from media_references where media_id = '${json.Items[0].Id}'`)).toBe(0)
})

test('there are 200 posts over four months, with every status', async () => {
  const { json } = await service.reader('GET /post')
  expect(json.Total).toBe(200)
  for (const status of ['pending', 'inqueue', 'inqueue-draft', 'draft', 'complete', 'incomplete', 'error'])
    expect((await service.reader('GET /post', { query: `status=${status}` })).json.Total, status).toBeGreaterThan(0)
  const [span] = await rows<{ first: Date; last: Date }>(
    'select min(start_date_time) as first, max(start_date_time) as last from posts',
  )
  const days = [span?.first, span?.last].map((moment) => ((moment?.getTime() ?? 0) - started) / (24 * 60 * 60 * 1000))
  expect(days[0]).toBeLessThan(-75)
  expect(days[0]).toBeGreaterThan(-90)
  expect(days[1]).toBeGreaterThan(25)
  expect(days[1]).toBeLessThan(32)
})

test('the totals of lists and campaigns equal a recount', async () => {
  const counted =
    'select account_id, campaign_id, created_by, source, status, count(*)::int as posts from posts group by 1, 2, 3, 4, 5'
  const stored = 'select account_id, campaign_id, created_by, source, status, posts from post_counts where posts <> 0'
  expect(await found(`(${counted}) except (${stored})`)).toBe(0)
  expect(await found(`(${stored}) except (${counted})`)).toBe(0)
  const wrong = await rows(`
    select f.of_id from counters f full join (
      select account_id, campaign_id as of_id, count(*) as messages from messages group by 1, 2) m using (account_id, of_id)
    where f.of_kind = 'campaign' and f.name = 'messages' and f.value is distinct from m.messages`)
  expect(wrong).toEqual([])
})

test('posts have statuses that fit the status of their campaign', async () => {
  const kinds = await rows<{ campaign: string; statuses: string[] }>(
    `select c.status as campaign, array_agg(distinct p.status order by p.status) as statuses
     from posts p join campaigns c on c.account_id = p.account_id and c.id = p.campaign_id group by 1 order by 1`,
  )
  expect(kinds).toEqual([
    {
      campaign: 'active',
      statuses: ['complete', 'draft', 'error', 'incomplete', 'inqueue', 'inqueue-draft', 'pending'],
    },
    { campaign: 'archived', statuses: ['complete'] },
    { campaign: 'complete', statuses: ['complete', 'error'] },
    { campaign: 'paused', statuses: ['complete', 'pending'] },
  ])
})

test('sent posts are in the past and have a postlog per profile that matches their status', async () => {
  const wrong = await rows(`
    select p.id from posts p
      left join sends s on s.account_id = p.account_id and s.content_id = p.id and s.kind = 'post'
      left join postlogs l on l.account_id = p.account_id and l.post_id = p.id and l.credential_id = s.credential_id
    where p.status in ('complete', 'incomplete', 'error')
    group by p.account_id, p.id
    having not (p.start_date_time < now() and cardinality(p.credential_ids) = count(l.id)
      and bool_and(s.state = case l.status when 'success' then 'sent' else 'failed' end and s.remote_id = l.remote_id and s.due is null)
      and bool_and((l.status = 'success') = (l.remote_id <> '' and l.remote_url like 'https://%' and l.published_date is not null and l.error = ''))
      and p.status = case count(*) filter (where l.status = 'success') when count(*) then 'complete' when 0 then 'error' else 'incomplete' end)`)
  expect(wrong).toEqual([])
  expect(
    await found(
      `select from postlogs l join posts p on p.account_id = l.account_id and p.id = l.post_id where p.status not in ('complete', 'incomplete', 'error')`,
    ),
  ).toBe(0)
  const { json } = await service.reader('GET /post', { query: 'status=incomplete&withPostlogs=1' })
  expect(json.Items[0].Postlogs.map(({ Status }: { Status: string }) => Status).sort()).toEqual(['failed', 'success'])
})

test('scheduled posts are due in more than two hours, and those of paused campaigns are held', async () => {
  const sends = await rows<{
    status: string
    campaign: string
    state: string
    due: Date | null
    laneDue: Date | null
  }>(`
    select p.status, c.status as campaign, s.state, s.due, l.due as "laneDue"
    from sends s join posts p on p.account_id = s.account_id and p.id = s.content_id
      join campaigns c on c.account_id = p.account_id and c.id = p.campaign_id
      left join profile_partitions l on l.account = s.account_id and l.credential = s.credential_id
    where s.kind = 'post' and p.status in ('pending', 'inqueue')`)
  expect(sends.length).toBeGreaterThan(50)
  expect(new Set(sends.map(({ state }) => state))).toEqual(new Set(['waiting']))
  for (const { campaign, due, laneDue } of sends) {
    if (campaign === 'paused') expect(due).toBeNull()
    else {
      expect(due?.getTime()).toBeGreaterThan(started + 2 * 60 * 60 * 1000)
      expect(laneDue?.getTime()).toBeLessThanOrEqual(due?.getTime() ?? 0)
    }
  }
  expect(await found('select from profile_partitions where worker is not null')).toBe(0)
  expect(
    await found(
      `select from sends s join posts p on p.account_id = s.account_id and p.id = s.content_id where p.status like '%draft' and s.state <> 'idle'`,
    ),
  ).toBe(0)
})

test("queued posts occupy slots of their profiles' queues", async () => {
  const { json } = await service.reader('GET /app/api/credential/003-1-2414183/queue-slots')
  expect([json.Total, json.Items[0], json.Timezone]).toEqual([10, { Weekday: 1, Time: '09:00' }, 'Europe/London'])
  const wrong = await rows(`
    select s.content_id, s.slot from sends s join posts p on p.account_id = s.account_id and p.id = s.content_id
      join queue_slots q on q.account_id = s.account_id and q.credential_id = s.credential_id
    where s.kind = 'post' group by s.content_id, s.slot, s.planned, p.queued
    having not case when p.queued then s.slot = s.planned and bool_or(
      q.weekday = extract(dow from s.slot at time zone 'Europe/London') and q.minutes = extract(hour from s.slot at time zone 'Europe/London') * 60
        + extract(minute from s.slot at time zone 'Europe/London')) else s.slot is null end`)
  expect(wrong).toEqual([])
  const [profile] = await rows<{ count: number }>(
    `select count(distinct credential_id)::int as count from queue_slots q join credentials c on c.account_id = q.account_id and c.id = q.credential_id where c.network in ('Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok')`,
  )
  expect(profile?.count).toBe(9)
})

test('nothing is pending approval without an item', async () => {
  const orphans = await rows(
    `select id from posts p where approve_status = 'Pending' and not exists (
      select from workflow_items i where i.account_id = p.account_id and i.entity_id = p.id and i.status = 'pending')
    union all select id from stories s where status = 'pending' and not exists (
      select from workflow_items i where i.account_id = s.account_id and i.entity_id = s.id and i.status = 'pending')`,
  )
  expect(orphans).toEqual([])
})

test('each step of the two additional workflows has items pending for the admin and the publisher', async () => {
  const { Items } = (await service.publisher('GET /workflow')).json
  expect(Items.map(({ Name }: { Name: string }) => Name).sort()).toEqual([
    'Default approval',
    'Editorial and legal',
    'Quick check',
  ])
  for (const step of ['cwsdemo00000001', 'cwsdemo00000002', 'cwsdemo00000003']) {
    const { json } = await service.reader('GET /workflow-item', { query: `stepId=${step}` })
    expect(json.Total, step).toBeGreaterThanOrEqual(2)
  }
  const waiting = (await service.reader('GET /workflow-item', { query: 'stepId=cwsdemo00000001' })).json.Items[0]
  expect((await service.reader(`GET /post/${waiting.PostId}`)).json.Post).toMatchObject({
    Status: 'draft',
    ApproveStatus: 'Pending',
    MessageId: waiting.MessageId,
  })
  const approved = await service.publisher(`POST /workflow-item/${waiting.Id}`, { body: { isApprove: 1 } })
  expect(approved.json.Data.Status).toBe('approved')
  expect((await service.reader(`GET /post/${waiting.PostId}`)).json.Post.Status).toBe('pending')
})

test('a scheduled post can be changed, and its media cannot be deleted', async () => {
  const [post] = (await service.reader('GET /post', { query: 'status=pending&campaignId=002demo00000001' })).json.Items
  expect((await service.publisher(`POST /post/${post.Id}`, { body: { status: 'draft' } })).json.Post.Status).toBe(
    'draft',
  )
  const held = await service.admin('DELETE /media/026demo00000002')
  expect([held.status, held.json.Errors.API.Error]).toEqual([409, expect.stringContaining('forest-trail.jpg')])
  expect((await service.admin('DELETE /media/026demo00000003')).status).toBe(200)
})

test('the calendar shows posts and events', async () => {
  const day = (days: number) => new Date(started + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const window = { fromDate: day(-30), toDate: day(30), filters: { showArchived: true } }
  const { json } = await service.reader('POST /calendar', { body: window })
  expect(Object.keys(json.Posts).length).toBeGreaterThan(160)
  expect(json.CustomEvents.length).toBe(5)
})
