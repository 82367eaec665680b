import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
let campaignId: string
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  campaignId = (await service.publisher('POST /campaign', { body: { name: 'Messages' } })).json.Campaign.Id
})
afterAll(() => service.stop())

const make = (body: object) =>
  service.publisher('POST /message', { body: { network: 'LinkedIn', campaignId, message: 'Hello', ...body } })
const link = {
  linkUrl: 'https://example.com/a',
  linkTitle: 'A',
  description: 'About a',
  imageUrl: 'https://example.com/a.png',
}

test('a message is created with every field of the contract', async () => {
  const { json, status } = await make({ message: 'Grüße\r\nan alle' })
  expect(status, JSON.stringify(json)).toBe(200)
  expect(json.Message).toEqual({
    Id: expect.stringMatching(/^005\w{12}$/),
    Created: expect.any(String),
    Modified: expect.any(String),
    Status: 'default',
    AccountId: '001demo00000001',
    CreatedBy: '00Ademo00000002',
    ModifiedBy: '00Ademo00000002',
    CampaignId: campaignId,
    Network: 'LinkedIn',
    Subject: '',
    Message: 'Grüße\nan alle',
    Md5: expect.stringMatching(/^[0-9a-f]{32}$/),
    ImageUrl: '',
    Description: '',
    LinkTitle: '',
    LinkUrl: '',
    Url: '',
    Clicks: 0,
    ChildClicks: 0,
    BoardClicks: 0,
    Converts: 0,
    ChildConverts: 0,
    BoardConverts: 0,
    ChildrenCount: 0,
    Picture: 0,
    IsBoardMessage: 0,
    IsAppMessage: 1,
    Type: 'status-update',
    AltTexts: null,
    Media: [],
    ApproveStatus: 'Approved',
  })
  expect((await service.reader(`GET /message/${json.Message.Id}`)).json.Message).toEqual(json.Message)
})

test('a message has a complete link attachment or media, not both', async () => {
  expect((await make(link)).json.Message).toMatchObject({ LinkUrl: link.linkUrl, Url: link.linkUrl, Picture: 1 })
  const half = await make({ ...link, linkTitle: '' })
  expect([half.status, half.json.Errors.API.Error]).toEqual([400, expect.stringContaining('linkTitle missing')])
  const pictured = await make({ media: '026demo00000001' })
  expect(pictured.json.Message.Media).toMatchObject([{ Id: '026demo00000001', Type: 'Image' }])
  expect((await make({ ...link, media: '026demo00000001' })).status).toBe(400)
  expect((await make({ media: '026absent000000' })).status).toBe(400)
})

test.each([
  ['X', { message: 'x'.repeat(281) }, /280/],
  ['LinkedIn', { message: 'x'.repeat(3001) }, /3,?000/],
  ['Instagram', {}, /image|picture|video|media/i],
  ['YouTube', { media: '026demo00000001' }, /image/],
  ['TikTok', { media: '026demo00000006' }, /PDF|pdf|document/],
])('content that violates a rule of %s is refused with the rule and the number', async (network, body, sentence) => {
  const { status, json } = await make({ network, ...body })
  expect([status, json.Errors?.API.Error]).toEqual([400, expect.stringMatching(sentence)])
})

test('valid content passes on every network', async () => {
  const contents: [string, object][] = [
    ['Facebook', {}],
    ['X', { message: `${'x'.repeat(250)} https://example.com/${'long/'.repeat(40)}` }],
    ['LinkedIn', { media: '026demo00000006' }],
    ['Instagram', { media: '026demo00000001,026demo00000004' }],
    ['YouTube', { media: '026demo00000005', title: 'A film' }],
    ['TikTok', { media: '026demo00000005' }],
  ]
  for (const [network, body] of contents) {
    const { status, json } = await make({ network, ...body })
    expect(status, `${network}: ${JSON.stringify(json.Errors)}`).toBe(200)
  }
})

test('a message gets the campaign’s tags unless tags are given', async () => {
  const tagOf = async (tag: string) => (await service.publisher('POST /tag', { body: { tag } })).json.Tag.Id
  const [first, second] = [await tagOf('Inherited'), await tagOf('Own')]
  const { Id } = (await service.publisher('POST /campaign', { body: { name: 'Tags', tagIds: first } })).json.Campaign
  const tags = async (body: object) => {
    const message = (await make({ campaignId: Id, ...body })).json.Message
    return (await service.reader(`GET /message/${message.Id}`, { query: 'withTags=1' })).json.Message.Tags
  }
  expect(await tags({})).toEqual(['Inherited'])
  expect(await tags({ tagIds: second })).toEqual(['Own'])
  expect(await tags({ tagIds: '' })).toEqual(['Inherited'])
})

test('lists require a campaign or ids and filter by network', async () => {
  const { Id } = (await service.publisher('POST /campaign', { body: { name: 'List' } })).json.Campaign
  const ids: string[] = []
  for (const network of ['X', 'Facebook', 'LinkedIn'])
    ids.push((await make({ network, campaignId: Id })).json.Message.Id)
  const list = async (query: string) => (await service.reader('GET /message', { query })).json
  expect((await list(`campaignId=${Id}`)).Items.map((one: { Id: string }) => one.Id)).toEqual(ids.toReversed())
  expect((await list(`campaignId=${Id}&network=x`)).Items.map((one: { Network: string }) => one.Network)).toEqual([
    'Twitter',
  ])
  expect((await list(`ids=${ids.slice(0, 2).join(',')}`)).Total).toBe(2)
  const pictured = (await make({ campaignId: Id, media: '026demo00000001' })).json.Message
  expect((await list(`campaignId=${Id}&network=LinkedIn`)).Items.map((one: { Media: object }) => one.Media)).toEqual([
    pictured.Media,
    [],
  ])
  expect(pictured.Media).toMatchObject([{ Id: '026demo00000001', Size: expect.any(Number) }])
  const neither = await service.reader('GET /message')
  expect([neither.status, neither.json.Errors.API.Error]).toEqual([400, expect.stringContaining('campaignId')])
  const many = Array.from({ length: 101 }, (_, n) => `005${String(n).padStart(12, '0')}`)
  expect((await service.reader('GET /message', { query: `ids=${many.join(',')}` })).status).toBe(400)
})

test('an update keeps omitted fields and validates the result', async () => {
  const { Id } = (await make(link)).json.Message
  const change = (body: object) => service.publisher(`POST /message/${Id}`, { body })
  expect((await change({ message: 'Other' })).json.Message).toMatchObject({ Message: 'Other', LinkUrl: link.linkUrl })
  expect((await change({ linkTitle: '' })).status).toBe(400)
  expect((await change({ media: '026demo00000001' })).status).toBe(400)
  const none = { linkUrl: '', linkTitle: '', description: '', imageUrl: '' }
  const changed = (await change({ ...none, media: '026demo00000001' })).json.Message
  expect([changed.LinkUrl, changed.Media.length]).toEqual(['', 1])
  expect((await change({ media: '' })).json.Message.Media).toEqual([])
})

test('a message moves to another campaign, and a change of network validates its content again', async () => {
  const [from, to] = await Promise.all(
    ['From', 'To'].map(
      async (name) => (await service.publisher('POST /campaign', { body: { name } })).json.Campaign.Id,
    ),
  )
  const { Id } = (await make({ campaignId: from, message: 'x'.repeat(300) })).json.Message
  const change = (body: object) => service.publisher(`POST /message/${Id}`, { body })
  const total = async (id: string) => (await service.reader(`GET /campaign/${id}`)).json.Campaign.TotalMessages
  expect((await change({ campaignId: to })).json.Message).toMatchObject({ CampaignId: to, Network: 'LinkedIn' })
  expect([await total(from), await total(to)]).toEqual([0, 1])
  expect((await change({ campaignId: '002absent000000' })).json.Errors.API.Error).toContain('campaignId')
  const tooLong = await change({ network: 'X' })
  expect([tooLong.status, tooLong.json.Errors.API.Error]).toEqual([400, expect.stringContaining('280')])
  expect((await change({ network: 'x', message: 'Short' })).json.Message).toMatchObject({
    Network: 'Twitter',
    Message: 'Short',
  })
})

test('URLs are http or https and have a host', async () => {
  for (const bad of [
    'example.com',
    'ftp://example.com/a',
    'javascript:alert(1)',
    'https://',
    'https:///a',
    'http://a b/',
  ])
    for (const name of ['linkUrl', 'imageUrl']) {
      const { status, json } = await make({ ...link, [name]: bad })
      expect([status, json.Errors?.API.Error], bad).toEqual([400, expect.stringMatching(`^${name} must be an address`)])
    }
  expect((await make({ ...link, linkUrl: 'HTTPS://exämple.com:8443/ü?q=1#x' })).status).toBe(200)
})

test('the campaign counter includes its messages', async () => {
  const { Id } = (await service.publisher('POST /campaign', { body: { name: 'Count' } })).json.Campaign
  const made = await Promise.all(Array.from({ length: 5 }, () => make({ campaignId: Id })))
  const deletedId = made[0]?.json.Message.Id
  const deletes = await Promise.all(Array.from({ length: 8 }, () => service.publisher(`DELETE /message/${deletedId}`)))
  expect(deletes.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
  expect((await service.reader(`GET /message/${made[0]?.json.Message.Id}`)).status).toBe(404)
  expect((await service.reader(`GET /campaign/${Id}`)).json.Campaign.TotalMessages).toBe(4)
  const wrong = await ownerQuery(
    service.databaseUrl,
    `select of_id from counters f where of_kind = 'campaign' and name = 'messages' and value <> (
      select count(*) from messages m where m.account_id = f.account_id and m.campaign_id = f.of_id and m.deleted is null)`,
  )
  expect(wrong).toEqual([])
})

test('forty concurrent messages in one tagged campaign succeed', async () => {
  const made = await Promise.all(Array.from({ length: 40 }, () => make({ campaignId: '002demo00000001' })))
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]))
})
