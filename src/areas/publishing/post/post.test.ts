import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { careersPage, later, posting, preset, profiles } from './post.fixture.ts'

let service: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = posting(service)
})
afterAll(() => service.stop())

const pablo = '00Ademo00000002'
const sentence = ({ status, json }: { status: number; json: { Errors?: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]

test('a post is created with every field of the contract and emits an event', async () => {
  const messageId = await given.message()
  const { Id, ...post } = await given.post({ messageId })
  expect(Id).toMatch(/^004\w{12}$/)
  const expected = {
    Created: expect.any(String),
    Modified: post.Created,
    Status: 'pending',
    AccountId: demoAccount,
    CreatedBy: pablo,
    ModifiedBy: pablo,
    Source: 'API',
    ContentSource: 'User',
    Queued: 0,
    CampaignId: '002demo00000001',
    BoardId: '',
    MessageId: messageId,
    MessageChildId: '',
    MessageStatus: 'default',
    Network: 'LinkedIn',
    StartDateTime: '2030-03-17 17:46:40',
    Groups: '',
    GroupsCount: 0,
    TotalCount: 1,
    TargetGeo: '',
    UpdateStatus: 0,
    Flag: 'discussion',
    Clicks: 0,
    Converts: 0,
    Comments: 0,
    NewComments: 0,
    Likes: 0,
    Utm: '',
    ApproveStatus: 'Approved',
    Credentials: profiles.linkedInPage,
    TargetingPresetId: null,
  }
  expect(post).toEqual(expected)
  expect((await service.reader(`GET /post/${Id}`)).json).toEqual({ Result: true, Post: { Id, ...expected } })
  const { TargetingPresetId: _none, ...eventFields } = expected
  const events = await given.events(Id)
  expect(events.map(({ type }) => type)).toEqual(['postCreated'])
  expect(JSON.stringify(events[0]?.data)).toContain('"ProfileIds":["003-1-2414183"]')
  for (const [name, value] of Object.entries({ ...eventFields, Created: post.Created }))
    expect(JSON.stringify(events[0]?.data)).toContain(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
  expect(await given.sends(Id)).toMatchObject([{ kind: 'post', state: 'waiting', due: new Date(later * 1000) }])
})

test('stats and postlogs are included on request', async () => {
  const { Id } = await given.post()
  const Stats = { LinkClicks: 0, Conversions: 0, Comments: 0, Likes: 0, Shares: 0, ImpressionsAdded: 0 }
  const { json } = await service.reader(`GET /post/${Id}`, { query: 'stats=1&postlogs=1' })
  expect([json.Stats, json.Post.Postlogs]).toEqual([Stats, []])
  const messageId = await given.message({ network: 'YouTube', media: '026demo00000005', title: 'A film' })
  const film = await given.post({ messageId, credentialIds: profiles.youtube })
  const { json: ofFilm } = await service.reader(`GET /post/${film.Id}`, { query: 'stats=1' })
  expect(ofFilm.Stats).toEqual({ ...Stats, ImpressionsAdded: -1 })
})

test('a post without a time, or with one that just passed, is published now', async () => {
  const aMinuteAgo = Math.floor(Date.now() / 1000) - 60
  for (const startDateTime of [undefined, '', aMinuteAgo]) {
    const { Created, StartDateTime, Status } = await given.post({ startDateTime })
    expect([StartDateTime, Status]).toEqual([Created, 'pending'])
  }
})

test('a time long past is refused with the time that was understood', async () => {
  for (const [startDateTime, understood] of [
    [0, '1970-01-01 00:00:00'],
    [1_000_000_000, '2001-09-09 01:46:40'],
    ['2001-09-09T01:46:40', '2001-09-09 01:46:40'],
  ])
    for (const status of ['pending', 'draft']) {
      const { status: code, json } = await given.ask({ startDateTime, status })
      expect([code, json.Errors.API.Error]).toEqual([
        400,
        expect.stringContaining(`startDateTime is ${understood} UTC`),
      ])
    }
})

test('profiles may be named Credentials, as some clients do', async () => {
  const messageId = await given.message()
  const body = { CampaignId: '002demo00000001', MessageId: messageId, Credentials: [profiles.linkedInPage] }
  const { json } = await service.publisher('POST /post', {
    body: { ...body, Network: 'LinkedIn', StartDateTime: later },
  })
  expect(json.Post).toMatchObject({ Credentials: profiles.linkedInPage, StartDateTime: '2030-03-17 17:46:40' })
  const both = { messageId, Credentials: 'nobody', credentialIds: profiles.linkedInPage, startDateTime: later }
  expect((await service.publisher('POST /post', { body: both })).json.Post.Credentials).toBe(profiles.linkedInPage)
})

test.each(['pending', 'draft'])('a post is created as %s', async (status) => {
  const post = await given.post({ status })
  expect([post.Status, post.ApproveStatus]).toEqual([status, 'Approved'])
  expect(await given.sends(post.Id)).toMatchObject([{ state: status === 'draft' ? 'idle' : 'waiting' }])
})

test('a queued post takes the next slot, as a draft as well', async () => {
  const clear = 'delete from queue_slots where credential_id = any ($1)'
  await ownerQuery(service.databaseUrl, clear, [[profiles.linkedInPage, careersPage]])
  const none = await given.ask({ status: 'inqueue' })
  expect(sentence(none)).toEqual([409, expect.stringContaining('has no queue')])
  await ownerQuery(
    service.databaseUrl,
    'insert into queue_slots (account_id, credential_id, weekday, minutes) values ($1, $2, 3, 600)',
    [demoAccount, careersPage],
  )
  const starts = []
  for (const status of ['inqueue', 'inqueue-draft', 'inqueue']) {
    const { Status, Queued, StartDateTime } = await given.post({
      status,
      credentialIds: careersPage,
      startDateTime: undefined,
    })
    expect([Status, Queued]).toEqual([status, 1])
    starts.push(new Date(`${StartDateTime.replace(' ', 'T')}Z`).getTime())
  }
  const week = 7 * 24 * 60 * 60 * 1000
  const [first = 0, second = 0, third = 0] = starts
  // An hour of tolerance for a daylight saving change in between.
  for (const gap of [second - first, third - second]) expect(Math.abs(gap - week)).toBeLessThanOrEqual(3_600_000)
})

test('a post scheduled by a contributor is a draft pending approval', async () => {
  const post = await given.post({}, service.contributor)
  expect([post.Status, post.ApproveStatus]).toEqual(['draft', 'Pending'])
  const draft = await given.post({ status: 'draft' }, service.contributor)
  expect([draft.Status, draft.ApproveStatus]).toEqual(['draft', 'Approved'])
  expect((await given.ask({}, service.reader)).status).toBe(403)
})

test('profiles are accepted in every list encoding', async () => {
  const both = `${profiles.linkedInPage},${careersPage}`
  const messageId = await given.message()
  const base = `messageId=${messageId}&startDateTime=${later}`
  for (const body of [
    `${base}&credentialIds=${both}`,
    `${base}&credentialIds[]=${profiles.linkedInPage}&credentialIds[]=${careersPage}`,
    `${base}&credentialIds=${profiles.linkedInPage}&credentialIds=${careersPage}`,
    `${base}&credentialIds=${encodeURIComponent(JSON.stringify(both.split(',')))}`,
    { messageId, startDateTime: later, credentialIds: both.split(',') },
    { messageId, startDateTime: String(later), credentialIds: `${both},${profiles.linkedInPage}` },
  ]) {
    const { json } = await service.publisher('POST /post', { body })
    expect([json.Post?.Credentials, json.Post?.TotalCount]).toEqual([both, 2])
  }
})

test.each<[string, object, number, RegExp]>([
  ['no message', { messageId: undefined }, 400, /Missing value for parameter messageId/],
  ['an unknown message', { messageId: '005absent000000' }, 400, /messageId names no message/],
  ['a message that is no id', { messageId: 'nonsense' }, 400, /messageId names no message/],
  ['no profile', { credentialIds: '' }, 400, /at least one profile/],
  ['an unknown profile', { credentialIds: `${profiles.linkedInPage},003-1-0` }, 400, /003-1-0, but there is no such/],
  ['a profile of another network', { credentialIds: profiles.x }, 400, /a profile on Twitter/],
  ['too many profiles', { credentialIds: Array.from({ length: 101 }, (_, n) => `003-1-${n}`) }, 400, /100 profiles/],
  ['a status of the engine', { status: 'complete' }, 400, /status must be one of/],
  ['a time that is none', { startDateTime: 'tomorrow' }, 400, /startDateTime/],
  ['an unknown preset', { targetingPresetId: '0tpabsent000000' }, 400, /targetingPresetId names no/],
  ['a preset of another profile', { targetingPresetId: preset }, 400, /none of the post's profiles/],
  ['an unknown workflow', { workflowId: 'cwfabsent000000' }, 400, /workflowId names no workflow/],
])('%s is refused with a sentence', async (_what, rest, status, words) => {
  const messageId = await given.message()
  expect(sentence(await given.ask({ messageId, ...rest }))).toEqual([status, expect.stringMatching(words)])
})

test('an audience is accepted for LinkedIn only and must belong to one of the profiles', async () => {
  const post = await given.post({ credentialIds: `${profiles.linkedInPage},${careersPage}`, targetingPresetId: preset })
  expect(post.TargetingPresetId).toBe(preset)
  const messageId = await given.message({ network: 'X' })
  const other = await given.ask({ messageId, credentialIds: profiles.x, targetingPresetId: preset })
  expect(sentence(other)).toEqual([400, expect.stringContaining('LinkedIn profiles only')])
})

test('scheduling is refused in an archived campaign, for a message pending approval, or with deleted media', async () => {
  const archived = await given.ask({ messageId: '005demo00000056' })
  expect(sentence(archived)).toEqual([409, expect.stringContaining('"Anniversary" is archived')])
  const messageId = await given.message()
  await ownerQuery(service.databaseUrl, `update messages set approve_status = 'Pending' where id = $1`, [messageId])
  expect(sentence(await given.ask({ messageId }))).toEqual([409, expect.stringContaining('waits for approval')])
  expect((await given.post({ messageId, status: 'draft' })).Status).toBe('draft')
  const pictured = await given.message({ media: '026demo00000004' })
  await ownerQuery(service.databaseUrl, `update message_media set media_id = '026gone00000000' where message_id = $1`, [
    pictured,
  ])
  expect(sentence(await given.ask({ messageId: pictured }))).toEqual([409, expect.stringContaining('were deleted')])
})

test('media of an unsent post cannot be deleted from the library', async () => {
  const { Id } = await given.post({ messageId: await given.message({ media: '026demo00000004' }) })
  const held = await service.admin('DELETE /media/026demo00000004')
  expect(sentence(held)).toEqual([409, expect.stringContaining('a scheduled post still needs it')])
  expect((await service.publisher(`DELETE /post/${Id}`)).json).toEqual({ Result: true })
  expect((await service.admin('DELETE /media/026demo00000004')).status).toBe(200)
})

test('a post of another team, another account or deleted is not found', async () => {
  const campaignId = await given.campaign('Secret')
  const { Id, MessageId } = await given.post({ messageId: await given.message({ campaignId }) })
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  const total = async (as: typeof service.admin) =>
    (await as('GET /post', { query: `campaignId=${campaignId}` })).json.Total
  for (const as of [service.publisher, service.otherAdmin]) {
    expect((await as(`GET /post/${Id}`)).json).toEqual({ Result: false, Errors: { API: { Error: 'Post not found.' } } })
    expect((await as(`POST /post/${Id}`, { body: { status: 'draft' } })).status).toBe(404)
    expect((await as(`POST /post/${Id}/change-campaign`, { body: { campaignId } })).status).toBe(404)
    expect((await as(`DELETE /post/${Id}`)).status).toBe(404)
    expect(sentence(await given.ask({ messageId: MessageId }, as))).toEqual([400, expect.stringContaining('messageId')])
    expect(await total(as)).toBe(0)
  }
  expect([await total(service.reader), await total(service.admin)]).toEqual([1, 1])
  const move = await service.publisher(`POST /post/${(await given.post()).Id}/change-campaign`, {
    body: { campaignId },
  })
  expect(sentence(move)).toEqual([400, expect.stringContaining('campaignId names no campaign')])
  await service.admin(`DELETE /post/${Id}`)
  expect((await service.admin(`GET /post/${Id}`)).status).toBe(404)
  expect((await given.events(Id)).map(({ type }) => type)).toEqual(['postCreated', 'postDeleted'])
})
