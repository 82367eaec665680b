import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CallOptions } from '../../../../tests/support/caller.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
let campaignId: string
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  campaignId = await newCampaign('Calendar')
})
afterAll(() => service.stop())

const window = { fromDate: '2033-03-01', toDate: '2033-04-30' }
const at = (moment: string) => Date.parse(moment) / 1000

async function newCampaign(name: string): Promise<string> {
  return (await service.publisher('POST /campaign', { body: { name } })).json.Campaign.Id
}

async function newPost({ message = {}, ...post }: { message?: object; [name: string]: unknown } = {}) {
  const body = { network: 'LinkedIn', campaignId, message: 'Look at this', ...message }
  const { Id: messageId } = (await service.publisher('POST /message', { body })).json.Message
  const when = { startDateTime: at('2033-03-10T12:00:00Z') }
  const made = { messageId, credentialIds: profiles.linkedInPage, ...when, ...post }
  const { json } = await service.publisher('POST /post', { body: made })
  return json.Post as { Id: string; MessageId: string; CampaignId: string }
}

const show = (body: CallOptions['body'], as = service.reader) => as('POST /calendar', { body })
const postsOf = async (filters: object, dates: object = window, as = service.reader) => {
  const { status, json } = await show({ ...dates, filters: JSON.stringify(filters) }, as)
  expect(status, JSON.stringify(json)).toBe(200)
  return Object.keys(json.Posts)
}

test('a date range returns every post with its related rows as maps by id', async () => {
  const media = '026demo00000001,026demo00000004'
  const text = 'Out on the coast path'
  const post = await newPost({
    message: { message: text, media },
    credentialIds: `${profiles.linkedInPage},${profiles.linkedInMember}`,
  })
  await ownerQuery(
    service.databaseUrl,
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, remote_id, remote_url, published_date)
     select account_id, '007calendar000' || n, now(), now(), id, campaign_id, message_id, credential_ids[n], network,
       case when n = 1 then 'success' else 'failed' end, case when n = 1 then '4711' else '' end, case when n = 1 then 'https://example.com/4711' else '' end,
       case when n = 1 then timestamptz '2033-03-10 12:00:01Z' end
     from posts, generate_series(1, 2) n where id = $1`,
    [post.Id],
  )
  const { json } = await show({ ...window, filters: { messages: [post.MessageId] } })
  expect(Object.keys(json)).toEqual([
    'Result',
    'Campaigns',
    'Credentials',
    'Media',
    'Messages',
    'Posts',
    'Postlogs',
    'CustomEvents',
  ])
  expect(json.Campaigns).toEqual({
    [campaignId]: { Color: expect.stringMatching(/^#/), Id: campaignId, Name: 'Calendar', Status: 'active' },
  })
  expect(Object.keys(json.Credentials).sort()).toEqual([profiles.linkedInPage, profiles.linkedInMember].sort())
  expect(json.Credentials[profiles.linkedInPage]).toEqual({
    BoardOnly: 0,
    DisplayName: 'Northwind Outdoor',
    ExpiresOn: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    Id: profiles.linkedInPage,
    ImageLink: expect.any(String),
    IsHidden: 0,
    Name: 'Northwind Outdoor',
    Network: 'LinkedIn',
    NetworkAccountId: '2414183',
    NetworkUsername: 'northwind-outdoor',
    ParentCredentialId: profiles.linkedInMember,
    Status: 'valid',
  })
  expect(json.Messages).toEqual({
    [post.MessageId]: {
      CampaignId: campaignId,
      Clicks: 0,
      Converts: 0,
      Description: '',
      Id: post.MessageId,
      ImageUrl: '',
      IsBoardMessage: 0,
      LinkTitle: '',
      LinkUrl: '',
      MediaIds: media.split(','),
      Message: text,
      MessageLength: text.length,
      Network: 'LinkedIn',
      Status: 'default',
      Subject: '',
      Type: 'media-attachment',
      Url: '',
    },
  })
  expect(json.Posts).toEqual({
    [post.Id]: {
      CampaignId: campaignId,
      Clicks: 0,
      ContentSource: 'User',
      Converts: 0,
      CredentialIds: [profiles.linkedInPage, profiles.linkedInMember],
      Id: post.Id,
      MessageId: post.MessageId,
      Network: 'LinkedIn',
      Source: 'API',
      StartDateTime: '2033-03-10 12:00:00',
      Status: 'pending',
      ApproveStatus: 'Approved',
      TotalCount: 2,
    },
  })
  expect(json.Postlogs).toEqual([
    {
      Id: '007calendar0001',
      CredentialId: profiles.linkedInPage,
      PostId: post.Id,
      MessageId: post.MessageId,
      Status: 'success',
      RemoteUrl: 'https://example.com/4711',
      PublishedDate: '2033-03-10 12:00:01',
    },
    {
      Id: '007calendar0002',
      CredentialId: profiles.linkedInMember,
      PostId: post.Id,
      MessageId: post.MessageId,
      Status: 'failed',
      RemoteUrl: '',
      PublishedDate: '0000-00-00 00:00:00',
    },
  ])
  expect(json.Media.map((one: { Id: string }) => one.Id)).toEqual(media.split(','))
  expect(json.Media[0]).toEqual({
    Id: '026demo00000001',
    Type: 'Image',
    Name: 'mountain-dawn.jpg',
    MimeType: 'image/jpeg',
    Resource: (await service.reader('GET /media/026demo00000001')).json.Media.Resource,
  })
})

test('related rows are in the order of their ids, however they are stored', async () => {
  const dates = { fromDate: '2033-06-01', toDate: '2033-06-02' }
  const profileIds = [profiles.linkedInPage, profiles.linkedInMember]
  for (const credentialIds of profileIds)
    await newPost({
      message: { campaignId: await newCampaign('Order') },
      startDateTime: at('2033-06-01T12:00:00Z'),
      credentialIds,
    })
  const shown = async () => {
    const { json } = await show(dates)
    return [json.Campaigns, json.Messages, json.Credentials].map((rows) => Object.keys(rows))
  }
  for (const table of ['campaigns', 'messages', 'credentials']) await storeInReverse(table)
  const found = await shown()
  expect(found.map((ids) => ids.length)).toEqual([2, 2, 2])
  expect(found).toEqual(found.map((ids) => ids.toSorted()))
})

/** An update stores a row anew, behind the others. */
async function storeInReverse(table: string) {
  const rows = await ownerQuery<{ id: string }>(service.databaseUrl, `select id from ${table} order by id desc`)
  for (const { id } of rows)
    await ownerQuery(service.databaseUrl, `update ${table} set modified = modified where id = $1`, [id])
  await ownerQuery(service.databaseUrl, `analyze ${table}`)
}

test("links and text lengths follow the network's rules, and media used twice is listed once", async () => {
  const linkUrl = 'https://example.com/a'
  const link = { linkUrl, linkTitle: 'A', description: 'About a', imageUrl: 'https://example.com/a.png' }
  const tweet = await newPost({
    message: { network: 'X', message: `Hi 👨‍👩‍👧 https://example.com/${'long/'.repeat(20)}` },
    credentialIds: profiles.x,
  })
  const linked = await newPost({ message: link })
  const films = await Promise.all(
    ['ä', 'b'].map((message) =>
      newPost({
        message: { network: 'YouTube', message, media: '026demo00000005', title: 'Film' },
        credentialIds: profiles.youtube,
      }),
    ),
  )
  const messages = [tweet, linked, ...films].map(({ MessageId }) => MessageId)
  const { json } = await show({ ...window, filters: { messages } })
  const lengths = messages.map((id) => json.Messages[id].MessageLength)
  expect(lengths).toEqual([3 + 2 + 1 + 23, 'Look at this'.length, 2, 1])
  expect(json.Messages[linked.MessageId]).toMatchObject({ Type: 'link-attachment', LinkUrl: linkUrl, Url: linkUrl })
  expect(json.Media.map((one: { Id: string }) => one.Id)).toEqual(['026demo00000005'])
})

test('text lengths are stored on write; older texts are measured when they are read', async () => {
  const { MessageId } = await newPost({ message: { message: 'Look at this' } })
  const shown = async () =>
    (await show({ ...window, filters: { messages: [MessageId] } })).json.Messages[MessageId].MessageLength
  const keep = (length: number | null) =>
    ownerQuery(service.databaseUrl, 'update messages set message_length = $2 where id = $1', [MessageId, length])
  await keep(4711)
  expect(await shown()).toBe(4711)
  await keep(null)
  expect(await shown()).toBe('Look at this'.length)
  await keep(4711)
  await service.publisher(`POST /message/${MessageId}`, { body: { message: 'Look' } })
  expect(await shown()).toBe('Look'.length)
})

test('the last day is included completely, and a range has at most 60 days', async () => {
  const [first, last] = [
    await newPost({ startDateTime: at('2034-01-01T00:00:00Z') }),
    await newPost({ startDateTime: at('2034-03-02T23:59:59Z') }),
  ].map(({ Id }) => Id)
  await newPost({ startDateTime: at('2033-12-31T23:59:59Z') })
  await newPost({ startDateTime: at('2034-03-03T00:00:00Z') })
  expect(await postsOf({}, { fromDate: '2034-01-01', toDate: '2034-03-02' })).toEqual([first, last])
  expect(await postsOf({}, { fromDate: '2034-01-01', toDate: '2034-01-01' })).toEqual([first])
  const refused = async (dates: object) => {
    const { status, json } = await show(dates)
    return [status, json.Errors?.API.Error]
  }
  expect(await refused({ fromDate: '2034-01-01', toDate: '2034-03-03' })).toEqual([
    400,
    'Time period should not exceed 60 days',
  ])
  expect(await refused({ fromDate: '2034-01-02', toDate: '2034-01-01' })).toEqual([
    400,
    expect.stringContaining('toDate'),
  ])
  expect(await refused({ fromDate: '2034-01-02' })).toEqual([400, 'Missing value for parameter toDate.'])
  for (const fromDate of ['2034-01-02', '2034-01-02T23:59:59Z', '2019772800'])
    expect(
      (await service.reader('POST /calendar', { body: { fromDate, toDate: '2034-01-03' } })).status,
      fromDate,
    ).toBe(200)
  for (const fromDate of ['2034-02-30', '2034-1-1', '2034-01-01 24:00:01', '2072570000000', ''])
    expect(await refused({ fromDate, toDate: '2034-03-01' }), fromDate).toEqual([
      400,
      expect.stringContaining('fromDate'),
    ])
})

test('each filter returns only matching posts', async () => {
  const tagOf = async (tag: string) => (await service.publisher('POST /tag', { body: { tag } })).json.Tag.Id
  const [messageTag, campaignTag] = [await tagOf('Of a message'), await tagOf('Of a campaign')]
  const other = await newCampaign('Filtered')
  await service.publisher(`POST /campaign/${other}`, { body: { tagIds: campaignTag } })
  const team = (await service.admin('POST /team', { body: { name: 'Filtered' } })).json.Team.Id
  await service.admin(`POST /team-entity/${other}`, { body: { teamIds: `${team},025demo00000002` } })
  await service.admin('POST /team-entity/00Ademo00000002', { body: { teamIds: team } })
  const startDateTime = at('2035-05-05T05:05:05Z')
  const made = {
    plain: await newPost({ startDateTime }),
    campaign: await newPost({ startDateTime, message: { campaignId: other } }),
    draft: await newPost({ startDateTime, status: 'draft' }),
    commented: await newPost({ startDateTime, firstComment: { text: 'First!' } }),
    tagged: await newPost({ startDateTime, message: { tagIds: messageTag } }),
    tweet: await newPost({ startDateTime, message: { network: 'X' }, credentialIds: profiles.x }),
  }
  await ownerQuery(
    service.databaseUrl,
    `update posts set source = 'Board', promotion = 'promoted', created_by = '00Ademo00000003' where id = $1`,
    [made.plain.Id],
  )
  const names = Object.keys(made) as (keyof typeof made)[]
  const matching = async (filters: object) => {
    const found = new Set(await postsOf(filters, { fromDate: '2035-05-05', toDate: '2035-05-05' }))
    return names.filter((name) => found.has(made[name].Id))
  }
  expect(await matching({})).toEqual(names)
  expect(await matching({ campaigns: [other] })).toEqual(['campaign'])
  expect(await matching({ campaigns: [other, campaignId] })).toEqual(names)
  expect(await matching({ credentials: [profiles.x] })).toEqual(['tweet'])
  expect(await matching({ messages: [made.draft.MessageId, made.tweet.MessageId] })).toEqual(['draft', 'tweet'])
  expect(await matching({ postSources: ['board'] })).toEqual(['plain'])
  expect(await matching({ statuses: ['draft', 'error'] })).toEqual(['draft'])
  expect(await matching({ users: ['00Ademo00000003'] })).toEqual(['plain'])
  expect(await matching({ networks: ['x'] })).toEqual(['tweet'])
  expect(await matching({ networks: ['TWITTER', 'Facebook'] })).toEqual(['tweet'])
  expect(await matching({ campaignTags: [campaignTag] })).toEqual(['campaign'])
  expect(await matching({ messageTags: [messageTag] })).toEqual(['tagged'])
  expect(await matching({ teams: [team] })).toEqual(['campaign'])
  expect(await matching({ hasFirstComment: true })).toEqual(['commented'])
  expect(await matching({ hasFirstComment: false })).toEqual(names.filter((name) => name !== 'commented'))
  expect(await matching({ promotion: ['promoted', 'unknown'] })).toEqual(['plain'])
  expect(
    await matching({ campaigns: [campaignId], networks: ['LinkedIn'], statuses: ['pending'], hasFirstComment: 0 }),
  ).toEqual(['plain', 'tagged'])
  expect(await matching({ campaigns: [], users: null, statuses: '', colour: 'blue' })).toEqual(names)
  for (const key of ['campaigns', 'credentials', 'messages', 'users', 'campaignTags', 'messageTags', 'teams'])
    for (const absent of ['002absent000000', 'nonsense', '\u0000', 'x'.repeat(500), 7])
      expect(await matching({ [key]: [absent] }), `${key} ${absent}`).toEqual([])
})

test('filters are accepted as JSON text, in brackets or as an object', async () => {
  const startDateTime = at('2036-05-05T05:05:05Z')
  const wanted = await newPost({ startDateTime, message: { network: 'X' }, credentialIds: profiles.x })
  await newPost({ startDateTime })
  const dates = 'fromDate=2036-05-01&toDate=2036-05-31'
  const json = JSON.stringify({ networks: ['X'], hasFirstComment: false, showArchived: true })
  for (const body of [
    `${dates}&filters=${encodeURIComponent(json)}`,
    `${dates}&filters[networks][]=X&filters[hasFirstComment]=false&filters[showArchived]=1`,
    `${dates}&filters[networks][0]=X`,
    { fromDate: '2036-05-01', toDate: '2036-05-31', filters: json },
    { fromDate: '2036-05-01', toDate: '2036-05-31', filters: JSON.parse(json) },
    { FromDate: '2036-05-01', ToDate: '2036-05-31', Filters: json },
  ])
    expect(Object.keys((await show(body)).json.Posts), JSON.stringify(body)).toEqual([wanted.Id])
  for (const filters of ['', '{}', '[]', ' {} '])
    expect(Object.keys((await show(`${dates}&filters=${encodeURIComponent(filters)}`)).json.Posts).length).toBe(2)
})

test.each<[unknown, RegExp]>([
  ['nonsense', /^filters must be a JSON object\.$/],
  ['"text"', /^filters must be a JSON object\.$/],
  [['x'], /^filters must be a JSON object\.$/],
  [7, /^filters must be a JSON object\.$/],
  [{ campaigns: '002demo00000001' }, /^filters\.campaigns must be an array of ids\.$/],
  [{ campaigns: { a: 1 } }, /^filters\.campaigns must be an array of ids\.$/],
  [{ campaigns: [{}] }, /^filters\.campaigns must be an array of ids\.$/],
  [
    { campaigns: Array.from({ length: 1001 }, (_, n) => `002${n}`) },
    /^filters\.campaigns must not hold more than 1000 /,
  ],
  [{ networks: ['WeChat'] }, /^filters\.networks must be .*Facebook, Instagram, LinkedIn, Twitter, YouTube, TikTok/],
  [{ networks: 'X' }, /^filters\.networks must be an array of .*Twitter/],
  [
    { statuses: ['sent'] },
    /^filters\.statuses must be .*pending, inqueue, inqueue-draft, draft, complete, incomplete, error/,
  ],
  [{ postSources: ['Mail'] }, /^filters\.postSources must be .*UI, API, Autoposter, Bookmarklet, Board, Embedded/],
  [{ promotion: ['paid'] }, /^filters\.promotion must be .*promoted, organic, unknown/],
  [{ hasFirstComment: 'maybe' }, /^filters\.hasFirstComment must be 1, 0, true or false/],
  [{ showArchived: ['1'] }, /^filters\.showArchived must be given once/],
])('malformed filters (%#) are refused with the allowed values', async (filters, sentence) => {
  const { status, json } = await show({ ...window, filters })
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringMatching(sentence)])
})

test('archived campaigns are shown on request, deleted ones never', async () => {
  const [archived, deleted] = [await newCampaign('Archived'), await newCampaign('Deleted')]
  const startDateTime = at('2037-05-05T05:05:05Z')
  const archivedPost = await newPost({ startDateTime, message: { campaignId: archived } })
  const deletedPost = await newPost({ startDateTime, message: { campaignId: deleted } })
  await sent([archivedPost.Id, deletedPost.Id])
  await service.publisher(`POST /campaign/${archived}`, { body: { status: 'archived' } })
  expect((await service.publisher(`DELETE /campaign/${deleted}`)).status).toBe(200)
  const dates = { fromDate: '2037-05-05', toDate: '2037-05-06' }
  expect(await postsOf({}, dates)).toEqual([])
  expect(await postsOf({ showArchived: false }, dates)).toEqual([])
  expect(await postsOf({ showArchived: true }, dates)).toEqual([archivedPost.Id])
})

test('a deleted message or profile is still shown with its sent posts', async () => {
  const credentialId = '003-1-calendar1'
  await ownerQuery(
    service.databaseUrl,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
     values ('001demo00000001', $1, now(), now(), '', 'LinkedIn', 'calendar1', 'page', 'Soon gone', 'gone', '', 'valid')`,
    [credentialId],
  )
  const post = await newPost({ credentialIds: credentialId, startDateTime: at('2038-01-01T05:05:05Z') })
  await sent([post.Id])
  expect((await service.admin(`DELETE /credential/${credentialId}`)).status).toBe(200)
  expect((await service.admin(`DELETE /message/${post.MessageId}`)).status).toBe(200)
  const { json } = await show({ fromDate: '2038-01-01', toDate: '2038-01-02' })
  expect(json.Credentials[credentialId]).toMatchObject({ Name: 'Soon gone', ExpiresOn: '0000-00-00 00:00:00' })
  expect(json.Messages[post.MessageId].Message).toBe('Look at this')
})

test('other accounts and other teams see nothing', async () => {
  const closed = await newCampaign('Closed')
  const post = await newPost({ startDateTime: at('2039-05-05T05:05:05Z'), message: { campaignId: closed } })
  await service.admin(`POST /team-entity/${closed}`, { body: { teamIds: '025demo00000002' } })
  const dates = { fromDate: '2039-05-05', toDate: '2039-05-05' }
  expect(await postsOf({}, dates, service.reader)).toEqual([post.Id])
  expect(await postsOf({}, dates, service.admin)).toEqual([post.Id])
  const unseen = (await show(dates, service.publisher)).json
  expect(unseen).toEqual({
    Result: true,
    Campaigns: {},
    Credentials: {},
    Media: [],
    Messages: {},
    Posts: {},
    Postlogs: [],
    CustomEvents: [],
  })
  expect((await show({ ...dates, filters: { campaigns: [closed] } }, service.otherAdmin)).json).toEqual(unseen)
})

test('events that overlap the range are listed with their campaigns', async () => {
  const make = async (title: string, startDate: string, endDate: string, campaignIds = '') => {
    const body = { title, startDate: at(startDate), endDate: at(endDate), campaignIds }
    return (await service.admin('POST /calendar/custom-events', { body })).json.Item
  }
  const into = await make('Into', '2040-04-30T00:00:00Z', '2040-05-01T00:00:00Z', campaignId)
  const out = await make('Out of', '2040-05-31T23:59:59Z', '2040-07-01T00:00:00Z')
  await make('Before', '2040-04-30T00:00:00Z', '2040-04-30T23:59:59Z')
  await make('After', '2040-06-01T00:00:00Z', '2040-06-02T00:00:00Z')
  const secret = await newCampaign('Secret event')
  await service.admin(`POST /team-entity/${secret}`, { body: { teamIds: '025demo00000002' } })
  const hidden = await make('Hidden', '2040-05-05T00:00:00Z', '2040-05-06T00:00:00Z', secret)
  const dates = { fromDate: '2040-05-01', toDate: '2040-05-31' }
  expect((await show(dates, service.publisher)).json.CustomEvents).toEqual([into, out])
  expect((await show(dates, service.reader)).json.CustomEvents).toEqual([into, hidden, out])
})

/** The state the sender leaves after every profile has received the post. */
async function sent(ids: string[]) {
  await ownerQuery(service.databaseUrl, `update sends set state = 'sent', due = null where content_id = any ($1)`, [
    ids,
  ])
  await ownerQuery(service.databaseUrl, `update posts set status = 'complete' where id = any ($1)`, [ids])
}
