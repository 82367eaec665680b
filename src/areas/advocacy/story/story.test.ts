import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { campaign, day, pablo, type StoryHelpers, storyHelpers, unix } from './story.fixture.ts'

let service: TestService
let given: StoryHelpers
/** One without topics and one with two. */
let plain: string
let board: { id: string; topicIds: string[] }
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = storyHelpers(service)
  board = await given.board({ expiration: 'in_1_months' }, 'Walking', 'Repairs')
  plain = (await given.board({ expiration: 'in_10_days' })).id
})
afterAll(() => service.stop())

const refused = async (body: object, as = service.publisher) => {
  const full = { boardId: plain, title: 'T', description: 'D', campaignId: campaign, ...body }
  const sent = Object.fromEntries(Object.entries(full).filter(([, value]) => value !== undefined))
  const { status, json } = await as('POST /story', { body: sent })
  return [status, json.Errors?.API.Error]
}

test('a story is created with every field of the contract and published as it is read', async () => {
  const messages = [await given.message('First'), await given.message('Second', 'X')]
  const publish = Date.parse('2031-01-31T10:00:00Z')
  const made = await given.make({
    boardId: board.id,
    mediaIds: '026demo00000002,026demo00000001',
    link: 'https://example.com/guide',
    messageIds: messages.toReversed().join(),
    topicIds: board.topicIds.join(),
    isFeatured: true,
    tagIds: '0AFdemo00000002,0AFabsent000000,nonsense,0AFdemo00000001',
    publishDatetime: unix(publish),
  })
  expect(made).toMatchObject({
    ID: expect.stringMatching(/^0AS\w{12}$/),
    AccountId: '001demo00000001',
    CreatedBy: pablo,
    ModifiedBy: pablo,
    BoardId: board.id,
    CampaignId: campaign,
    IsFeatured: true,
    Title: 'A title',
    Description: 'What it is about.',
    // A month after the 31st is the last day of a shorter month.
    PublishDate: '2031-01-31 10:00:00',
    ExpirationDate: '2031-02-28 10:00:00',
    LinkUrl: 'https://example.com/guide',
    LinkTitle: null,
    LinkDescription: null,
    LinkContent: null,
    Type: 'text',
    Status: 'approved',
    ShareCount: 0,
    WorkflowId: null,
    AltTexts: null,
    VideoTitle: null,
    VideoPreview: null,
    VideoSubtitle: null,
    PreviewFrame: null,
    ImageUrl: expect.stringContaining('http'),
    Messages: [
      { Id: messages[1], Network: 'Twitter', Message: 'Second', Type: 'status-update', Mentions: [], VideoTitle: '' },
      { Id: messages[0], Network: 'LinkedIn', Message: 'First', LinkUrl: '', ImageUrl: '', Media: [] },
    ],
    Media: [{ Id: '026demo00000002' }, { Id: '026demo00000001' }],
    Topics: ['Repairs', 'Walking'],
    Tags: ['People', 'Product'],
  })
  expect(made).not.toHaveProperty('PostlogId')
  expect(await given.read(made.ID)).toEqual(made)
  expect(await given.events('newAdvocacyStory', made.ID)).toEqual([made])
  const { json } = await service.reader(`GET /message/${messages[0]}`)
  expect(json.Message.IsBoardMessage).toBe(1)
})

test('defaults are the oldest active board, now, and the board’s expiration', async () => {
  const [oldest] = await given.query<{ id: string }>(
    `select id from boards where account_id = '001demo00000001' and status = 'active' and kind = 'stories' order by created, id limit 1`,
  )
  const topics = await given.query<{ id: string }>('select id from topics where board_id = $1', [oldest?.id])
  expect((await given.make({ topicIds: topics.map(({ id }) => id) })).BoardId).toBe(oldest?.id)
  const made = await given.make({ boardId: plain })
  const [publish = 0, end = 0] = [made.PublishDate, made.ExpirationDate].map((moment) => Date.parse(`${moment}Z`))
  expect(end - publish).toBe(10 * day)
  expect(Math.abs(Date.now() - publish)).toBeLessThan(60_000)
})

test('invalid requests are rejected with a sentence', async () => {
  expect(await refused({ title: undefined })).toEqual([400, 'Missing value for parameter title.'])
  expect(await refused({ description: undefined })).toEqual([400, 'Missing value for parameter description.'])
  expect(await refused({ campaignId: undefined })).toEqual([400, 'Missing value for parameter campaignId.'])
  expect(await refused({ title: 'x'.repeat(1025) })).toEqual([400, expect.stringContaining('1024')])
  expect(await refused({ description: 'x'.repeat(1025) })).toEqual([400, expect.stringContaining('1024')])
  expect(await refused({ boardId: 'brdabsent000000' })).toEqual([400, expect.stringContaining('boardId')])
  expect(await refused({ campaignId: '002absent000000' })).toEqual([400, expect.stringContaining('campaignId')])
  expect(await refused({ messageIds: '005absent000000' })).toEqual([400, expect.stringContaining('messageIds')])
  expect(await refused({ mediaIds: '026absent000000' })).toEqual([400, expect.stringContaining('mediaIds')])
  expect(await refused({ workflowId: 'cwfabsent000000' })).toEqual([400, expect.stringContaining('workflowId')])
  expect(await refused({ link: 'example.com' })).toEqual([400, expect.stringContaining('link must be an address')])
  const dates = { publishDatetime: 1_900_000_000, expirationDatetime: 1_900_000_000 }
  expect(await refused(dates)).toEqual([400, expect.stringContaining('expirationDatetime')])
  const older = await given.board({ kind: 'messages' })
  expect(await refused({ boardId: older.id })).toEqual([400, expect.stringContaining('/board-message')])
  const archived = await given.board({ status: 'archived' })
  expect(await refused({ boardId: archived.id })).toEqual([409, expect.stringContaining('archived')])
  expect((await refused({}, service.reader))[0]).toBe(403)
})

test('a board with topics requires some of its own', async () => {
  const none = [400, 'The story cannot be saved without Topics']
  const others = [400, "Provided Topics don't match Board existing topics"]
  const [first = '', second = ''] = board.topicIds
  expect(await refused({ boardId: board.id })).toEqual(none)
  expect(await refused({ boardId: board.id, topicIds: '' })).toEqual(none)
  expect(await refused({ boardId: board.id, topicIds: `${first},tpcabsent000000` })).toEqual(others)
  expect(await refused({ boardId: plain, topicIds: first })).toEqual(others)
  const used = async () =>
    (await given.query<{ used: number }>('select used from topics where board_id = $1 order by name', [board.id])).map(
      (topic) => topic.used,
    )
  const before = await used()
  const more = async (repairs: number, walks: number) =>
    expect(await used()).toEqual([(before[0] ?? 0) + repairs, (before[1] ?? 0) + walks])
  const { ID } = await given.make({ boardId: board.id, topicIds: first })
  await more(0, 1)
  const change = (body: object) => service.publisher(`POST /story/${ID}`, { body })
  expect((await change({ title: 'Kept' })).json.Item.Topics).toEqual(['Walking'])
  expect((await change({ boardId: board.id })).json.Item.Topics).toEqual(['Walking'])
  expect((await change({ topicIds: second })).json.Item.Topics).toEqual(['Repairs'])
  await more(1, 0)
  expect((await change({ topicIds: '' })).json.Errors.API.Error).toBe(none[1])
  expect((await change({ boardId: plain })).json.Item).toMatchObject({ BoardId: plain, Topics: [] })
  await more(0, 0)
  expect((await change({ boardId: board.id })).json.Errors.API.Error).toBe(none[1])
  expect((await change({ boardId: board.id, topicIds: first })).status).toBe(200)
  expect((await service.publisher(`DELETE /story/${ID}`)).json).toEqual({ Result: true })
  await more(0, 0)
})

test('a change keeps omitted fields and replaces given ones', async () => {
  const messageIds = [await given.message('One'), await given.message('Two')]
  const made = await given.make({ boardId: plain, messageIds, mediaIds: '026demo00000001', tagIds: '0AFdemo00000001' })
  const change = async (body: object) => (await service.publisher(`POST /story/${made.ID}`, { body })).json.Item
  const changed = await change({ title: 'Another', tagIds: '0AFdemo00000002', link: 'https://example.com/' })
  expect(changed).toMatchObject({ Title: 'Another', Tags: ['People'], LinkUrl: 'https://example.com/' })
  expect(changed).toMatchObject({ Description: made.Description, Messages: made.Messages, Media: made.Media })
  expect(await change({ messageIds: messageIds[1], mediaIds: '', link: '', tagIds: '' })).toMatchObject({
    Messages: [{ Id: messageIds[1] }],
    Media: [],
    LinkUrl: null,
    Tags: [],
  })
  const end = unix(Date.parse(`${made.PublishDate}Z`))
  expect((await service.publisher(`POST /story/${made.ID}`, { body: { expirationDatetime: end } })).status).toBe(400)
  expect((await change({ isDraft: 1 })).Status).toBe('draft')
  expect((await change({ isDraft: 0 })).Status).toBe('approved')
})

test('media of a story or its messages cannot be deleted while it exists', async () => {
  const { json } = await service.publisher('POST /message', {
    body: { network: 'LinkedIn', campaignId: campaign, message: 'Shown', media: '026demo00000006' },
  })
  const { ID } = await given.make({ boardId: plain, messageIds: json.Message.Id })
  const held = async () => given.query('select from media_references where holder = $1', [ID])
  expect((await held()).length).toBe(1)
  expect((await service.publisher('DELETE /media/026demo00000006')).status).toBe(409)
  await service.publisher(`DELETE /story/${ID}`)
  expect(await held()).toEqual([])
  expect((await service.reader(`GET /story/${ID}`)).status).toBe(404)
  expect((await service.publisher(`DELETE /story/${ID}`)).status).toBe(404)
})

test('publications and changes by contributors wait in the default workflow', async () => {
  const { ID, Status, WorkflowId } = await given.make({ boardId: plain }, service.contributor)
  const workflows = (await service.admin('GET /app/api/workflow')).json.Items
  const standard = workflows.find((workflow: { IsDefault: number }) => workflow.IsDefault)
  expect([Status, WorkflowId]).toEqual(['pending', standard.Id])
  const change = async (body: object, as = service.contributor) =>
    (await as(`POST /story/${ID}`, { body })).json.Item.Status
  const approve = async () => {
    expect((await service.publisher(`POST /workflow-item/${ID}`)).json.Data.Status).toBe('approved')
    expect(await change({})).toBe('approved')
  }
  await approve()
  expect(await change({ isFeatured: 1 })).toBe('approved')
  expect(await change({ title: 'Other' })).toBe('pending')
  await approve()
  const publishDatetime = unix(Date.now() + day)
  expect(await change({ publishDatetime }, service.publisher), 'users who may publish set the date').toBe('approved')
  expect(await change({ publishDatetime })).toBe('approved')
  expect(await change({ publishDatetime: unix(Date.now()) })).toBe('pending')
  await approve()

  const draft = await given.make({ boardId: plain, isDraft: 1 }, service.contributor)
  const publish = (as: typeof service.admin) => as(`POST /story/${draft.ID}`, { body: { isDraft: 0 } })
  expect([draft.Status, (await publish(service.contributor)).json.Item.Status]).toEqual(['draft', 'pending'])
})

test('contributors change drafts of others, but nothing published or pending', async () => {
  const messageId = await given.message('Of others')
  const { ID } = await given.make({ boardId: plain, isDraft: 1, messageIds: messageId })
  const change = (body: object) => service.contributor(`POST /story/${ID}`, { body })
  const reword = () => service.contributor(`POST /message/${messageId}`, { body: { message: 'Mine now' } })
  expect([(await change({ title: 'Shared' })).status, (await reword()).status]).toEqual([200, 200])
  await service.publisher(`POST /story/${ID}`, { body: { isDraft: 0 } })
  for (const { status, json } of [
    await change({ title: 'Mine' }),
    await reword(),
    await service.contributor(`DELETE /story/${ID}`),
  ])
    expect([status, json.Errors.API.Error]).toEqual([403, expect.stringContaining('belongs to someone else')])
  const own = await given.make({ boardId: plain, messageIds: await given.message('Own') }, service.contributor)
  const ownMessage = own.Messages[0]?.Id
  const refused = await service.contributor(`POST /message/${ownMessage}`, { body: { message: 'Other' } })
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([409, expect.stringContaining('another message')])
})
