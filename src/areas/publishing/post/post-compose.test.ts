import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { image, later, posting, profiles } from './post.fixture.ts'

let service: TestService
let make: ReturnType<typeof posting>
let campaignId: string
beforeAll(async () => {
  service = await startTestService()
  make = posting(service)
  campaignId = await make.campaign('Composed')
})
afterAll(() => service.stop())

const part = {
  linkedIn: { network: 'LinkedIn', message: 'For LinkedIn', credentialIds: [profiles.linkedInPage], media: image },
  x: { network: 'X', message: 'For X', credentialIds: [profiles.x] },
  facebook: { network: 'Facebook', message: 'For Facebook', credentialIds: [profiles.facebook], media: image },
}
const all = Object.values(part)
const compose = (rest: object, as = service.publisher, headers: Record<string, string> = {}) =>
  as('POST /app/api/compose', { body: { campaignId, startDateTime: later, parts: all, ...rest }, headers })

interface Made {
  Message: { Id: string; Network: string; Message: string }
  Post: { Id: string; MessageId: string; Status: string; ApproveStatus: string; StartDateTime: string; Source: string }
}

/** Row counts of all affected tables. */
const amounts = async () => {
  const [row] = await ownerQuery<Record<string, number>>(
    service.databaseUrl,
    `select (select count(*)::int from messages) as messages, (select count(*)::int from posts) as posts, (select count(*)::int from sends) as sends,
      (select count(*)::int from workflow_items) as items, (select count(*)::int from events) as events, (select count(*)::int from message_media) as media,
      (select count(*)::int from entity_tags) as tagged, (select count(*)::int from audit_log) as entries`,
  )
  return row
}

test('one request creates a message and a post per network, with tags, media and one audit entry', async () => {
  const before = await amounts()
  const tag = (await service.publisher('POST /tag', { body: { tag: 'Composed' } })).json.Tag.Id
  const { status, json } = await compose({ tagIds: tag })
  expect(status, JSON.stringify(json)).toBe(200)
  const items: Made[] = json.Items
  expect(items.map(({ Message }) => [Message.Network, Message.Message])).toEqual([
    ['LinkedIn', 'For LinkedIn'],
    ['Twitter', 'For X'],
    ['Facebook', 'For Facebook'],
  ])
  for (const { Message, Post } of items) {
    expect(Post).toMatchObject({ MessageId: Message.Id, Status: 'pending', StartDateTime: '2030-03-17 17:46:40' })
    expect((await make.sends(Post.Id)).map(({ state }) => state)).toEqual(['waiting'])
    const shown = (await service.reader(`GET /message/${Message.Id}`, { query: 'withTags=1' })).json.Message
    expect([shown.Tags, shown.Media.length]).toEqual([['Composed'], Message.Network === 'Twitter' ? 0 : 1])
    expect((await make.events(Post.Id)).map(({ type }) => type)).toEqual(['postCreated'])
  }
  const after = await amounts()
  expect(
    [after?.messages, after?.posts, after?.tagged].map(
      (now, at) => (now ?? 0) - ([before?.messages, before?.posts, before?.tagged][at] ?? 0),
    ),
  ).toEqual([3, 3, 3])
  const entries = await ownerQuery(
    service.databaseUrl,
    `select entity_id, count from audit_log where operation = 'POST /app/api/compose' order by id desc limit 1`,
  )
  expect(entries).toEqual([{ entity_id: campaignId, count: 3 }])
  expect(await make.wrongCounts()).toEqual([])
})

test('problems of all networks are reported together, and nothing is created', async () => {
  const before = await amounts()
  const parts = [
    { ...part.x, message: 'x'.repeat(300) },
    part.facebook,
    { ...part.linkedIn, credentialIds: ['003-1-absent'] },
    { ...part.facebook, media: '026absent000000' },
    { network: 'YouTube', message: 'No film', credentialIds: [profiles.youtube] },
  ]
  const { status, json } = await compose({ parts })
  expect(status).toBe(400)
  expect(Object.keys(json.Errors.Parts)).toEqual(['0', '2', '3', '4'])
  expect(json.Errors.Parts).toMatchObject({
    0: expect.stringContaining('280'),
    2: expect.stringContaining('003-1-absent'),
    3: expect.stringContaining('026absent000000'),
  })
  expect(json.Errors.API.Error).toContain('LinkedIn: ')
  expect(await amounts()).toEqual(before)
  const single = await service.publisher('POST /message', { body: { campaignId, ...parts[0], media: '' } })
  expect(single.json.Errors.API.Error, "in the contract's wording").toBe(json.Errors.Parts[0])
})

test('status and time apply to all parts unless a part overrides them', async () => {
  await service.publisher(`PUT /app/api/credential/${profiles.linkedInPage}/queue-slots`, {
    body: { slots: [{ weekday: 1, time: '09:00' }] },
  })
  const parts = [
    { ...part.linkedIn, status: 'inqueue', startDateTime: '' },
    { ...part.x, status: 'draft' },
    { ...part.facebook, startDateTime: later + 3600 },
  ]
  const { json } = await compose({ parts })
  const posts = json.Items.map(({ Post }: Made) => Post)
  expect(posts.map(({ Status }: Made['Post']) => Status)).toEqual(['inqueue', 'draft', 'pending'])
  expect(posts[2].StartDateTime).toBe('2030-03-17 18:46:40')
  const slots = await Promise.all([1, 2, 3].map(() => compose({ parts: [part.linkedIn], status: 'inqueue' })))
  expect(new Set(slots.map((response) => response.json.Items[0].Post.StartDateTime)).size, 'a slot for each').toBe(3)
  const drafts = await compose({ status: 'draft' })
  expect(drafts.json.Items.map(({ Post }: Made) => Post.Status)).toEqual(['draft', 'draft', 'draft'])
})

test('all parts are submitted for approval, to the default workflow unless another is chosen', async () => {
  const steps = [{ name: 'Check', approverIds: ['00Ademo00000002'] }]
  const workflow = (await service.admin('POST /app/api/workflow', { body: { name: 'Composed', steps } })).json.Workflow
  const { status, json } = await compose({ workflowId: workflow.Id }, service.contributor)
  expect(status, JSON.stringify(json)).toBe(200)
  for (const { Post } of json.Items as Made[]) {
    expect([Post.Status, Post.ApproveStatus]).toEqual(['draft', 'Pending'])
    expect((await make.sends(Post.Id)).map(({ state }) => state)).toEqual(['idle'])
  }
  const waiting = (await service.publisher('GET /workflow-item', { query: `workflowId=${workflow.Id}` })).json
  expect(waiting.Total).toBe(3)
  const single = await compose({}, service.contributor)
  expect(single.json.Items.map(({ Post }: Made) => [Post.Status, Post.ApproveStatus])).toEqual([
    ['draft', 'Pending'],
    ['draft', 'Pending'],
    ['draft', 'Pending'],
  ])
  const items = (await service.publisher('GET /workflow-item', { query: 'count=1000' })).json.Items
  const entities = items.map(({ EntityId }: { EntityId: string }) => EntityId)
  expect(entities).toEqual(expect.arrayContaining(single.json.Items.map(({ Post }: Made) => Post.Id)))
  expect((await compose({ workflowId: 'cwfabsent000000' })).status).toBe(400)
})

test('an idempotency key prevents duplicates, and the saved draft is deleted', async () => {
  await service.publisher('PUT /app/api/draft/composed', { body: { content: 'words' } })
  const before = await amounts()
  const key = { 'idempotency-key': 'composition-1' }
  const refused = await compose({ draftId: 'composed', parts: [{ ...part.x, message: '' }] })
  expect([refused.status, (await service.publisher('GET /app/api/draft/composed')).status]).toEqual([400, 200])
  const answers = await Promise.all([1, 2, 3].map(() => compose({ draftId: 'composed' }, service.publisher, key)))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect((await amounts())?.posts).toBe((before?.posts ?? 0) + 3)
  expect((await service.publisher('GET /app/api/draft/composed')).status).toBe(404)
})

test('concurrent compositions for the same profiles, media and queue do not deadlock', async () => {
  const reversed = [...all].reverse()
  const mixed = reversed.map((one, index) => ({ ...one, status: index === 1 ? 'draft' : 'pending' }))
  const circles = () =>
    ownerQuery(service.databaseUrl, 'select deadlocks from pg_stat_database where datname = current_database()')
  const before = await circles()
  const answers = await Promise.all(
    [1, 2, 3, 4].flatMap(() => [compose({}), compose({ parts: reversed }), compose({ parts: mixed })]),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await circles(), 'a deadlock the database would have to break').toEqual(before)
  expect(await make.wrongCounts()).toEqual([])
})

test('compositions are refused for archived, invisible and foreign campaigns, and for readers', async () => {
  const closed = await make.campaign('Over')
  await service.publisher(`POST /campaign/${closed}`, { body: { status: 'archived' } })
  expect((await compose({ campaignId: closed })).status).toBe(409)
  await service.admin(`POST /team-entity/${closed}`, { body: { teamIds: '025demo00000002' } })
  for (const id of [closed, '002absent000000']) expect((await compose({ campaignId: id })).status).toBe(400)
  expect((await compose({}, service.otherAdmin)).status).toBe(400)
  expect((await compose({}, service.reader)).status).toBe(403)
  for (const parts of [[], 'nonsense', [{}], Array.from({ length: 21 }, () => part.x)])
    expect((await compose({ parts })).status).toBe(400)
})
