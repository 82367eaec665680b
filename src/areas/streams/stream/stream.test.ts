import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
let streamTabId: string
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  streamTabId = await newTab()
})
afterAll(() => service.stop())

const newTab = async (): Promise<string> =>
  (await service.contributor('POST /stream-tab', { body: { name: 'Streams' } })).json.StreamTab.Id
const make = (body: object) => service.contributor('POST /stream', { body: { streamTabId, ...body } })

const ours: { [network: string]: string } = {
  Facebook: profiles.facebook,
  Instagram: profiles.instagram,
  LinkedIn: profiles.linkedInPage,
  Twitter: profiles.x,
  YouTube: profiles.youtube,
  TikTok: profiles.tiktok,
  WeChat: '003-1-gh_northwind501',
  Xing: '003-1-50100501',
}

/** As in the contract, with required parameters. */
const contract: { [network: string]: { [type: string]: string } } = {
  Facebook: { ownpage: '', tag: '' },
  Instagram: { page: '', 'page.tags': '' },
  LinkedIn: { page: '' },
  Twitter: {
    mention: '',
    retweet: '',
    feed: '',
    keyword: 'trail running',
    list: '84839422',
    favorite: '',
    home: '',
    user: '@northwindoutdoor',
  },
}
const prefixes: { [network: string]: string } = { Facebook: 'fb', Instagram: 'ig', LinkedIn: 'li', Twitter: 'tw' }
const types = [...new Set(Object.values(contract).flatMap((of) => Object.keys(of)))]
const cases = Object.keys(ours).flatMap((network) => types.map((type) => [network, type] as const))
const isRight = (network: string, type: string) => contract[network]?.[type] !== undefined

describe('every type of every network', () => {
  test.each(cases.filter(([network, type]) => isRight(network, type)))('%s has %s', async (network, type) => {
    const credentialId = ours[network]
    const keyword = contract[network]?.[type]
    const shown = `${prefixes[network]}.${type}`
    for (const written of [type, shown, shown.toUpperCase()]) {
      const { status, json } = await make({ network, credentialId, type: written, keyword, position: -3 })
      expect(status, JSON.stringify(json)).toBe(200)
      expect(json.Stream).toEqual({
        Id: expect.stringMatching(/^00F\w{12}$/),
        Created: expect.any(String),
        Name: expect.any(String),
        Network: network,
        Type: shown,
        StreamTabId: streamTabId,
        CredentialId: credentialId,
        Position: -3,
      })
      expect(json.Stream.Name).toContain(keyword || 'Northwind Outdoor')
    }
  })

  test.each(cases.filter(([network, type]) => !isRight(network, type)))('%s has no %s', async (network, type) => {
    const { status, json } = await make({ network, credentialId: ours[network], type, keyword: '1' })
    expect(status).toBe(400)
    const { Error: sentence } = json.Errors.API
    if (contract[network]) expect(sentence).toContain(Object.keys(contract[network]).join(', '))
    else expect(sentence).toContain(`${network} has no streams. network must be one of`)
  })
})

const x = { network: 'X', credentialId: profiles.x }
test.each([
  ['a type that nobody has', { ...x, type: 'everything' }, 'type must be one of mention, retweet, feed'],
  ['a name that objects have', { ...x, type: 'constructor' }, 'type must be one of'],
  ['another network’s prefix', { ...x, type: 'fb.tag' }, 'type must be one of'],
  ['no type', { ...x }, 'type'],
  ['no words to search for', { ...x, type: 'keyword' }, 'keyword is missing: a stream of the type keyword needs'],
  ['blanks to search for', { ...x, type: 'keyword', keyword: '  ' }, 'keyword is missing'],
  ['no list', { ...x, type: 'tw.list' }, 'needs the number of a list'],
  ['a list that is none', { ...x, type: 'list', keyword: '../users/me' }, 'keyword must be the number of a list'],
  [
    'an account that is none',
    { ...x, type: 'user', keyword: 'no such name' },
    'keyword must be the name of an account',
  ],
  ['too many words', { ...x, type: 'keyword', keyword: 'x'.repeat(501) }, 'keyword must be at most 500'],
  ['a profile of another network', { ...x, credentialId: profiles.facebook, type: 'feed' }, 'is on Facebook'],
  ['a profile of nobody', { ...x, credentialId: '003-1-0', type: 'feed' }, 'credentialId names no social profile'],
  ['no profile', { network: 'X', type: 'feed' }, 'credentialId'],
  [
    'a profile that must be connected again',
    { network: 'Facebook', credentialId: '003-1-100200300400777', type: 'tag' },
    'Connect the profile again',
  ],
  ['a tab of nobody', { ...x, type: 'feed', streamTabId: '018absent000000' }, 'streamTabId names no stream tab'],
  ['no tab', { ...x, type: 'feed', streamTabId: '' }, 'streamTabId'],
  ['half a position', { ...x, type: 'feed', position: 1.5 }, 'position must be a whole number from -1000000000'],
  ['a position far away', { ...x, type: 'feed', position: 1e12 }, 'position must be a whole number'],
  ['a network that is none', { ...x, network: 'MySpace', type: 'feed' }, 'network must be one of'],
])('rejects %s', async (_, body, sentence) => {
  const { status, json } = await make(body)
  expect(status, JSON.stringify(json)).toBe(400)
  expect(json.Errors.API.Error).toContain(sentence)
})

test('tabs and profiles of other accounts are not found', async () => {
  const others = (await service.otherAdmin('POST /stream-tab', { body: { name: 'Theirs' } })).json.StreamTab.Id
  const text = async (body: object, id: string) => (await make({ ...x, type: 'feed', ...body })).text.replace(id, 'ID')
  expect(await text({ streamTabId: others }, others)).toBe(
    await text({ streamTabId: '018absent000000' }, '018absent000000'),
  )
  const as = await service.otherAdmin('POST /stream', { body: { ...x, type: 'feed', streamTabId: others } })
  expect([as.status, as.json.Errors.API.Error]).toEqual([400, expect.stringContaining('names no social profile')])
})

test('streams are ordered by position, before the first too, and can be moved', async () => {
  const tab = await newTab()
  const put = async (position?: number) =>
    (await make({ ...x, type: 'feed', streamTabId: tab, ...(position !== undefined && { position }) })).json.Stream
  const [first, second, before] = [await put(), await put(), await put(-5)]
  expect([first.Position, second.Position, before.Position]).toEqual([0, 1, -5])
  const list = async (query = '') =>
    (await service.reader('GET /stream', { query: `streamTabId=${tab}${query}` })).json.Items.map(
      ({ Id }: { Id: string }) => Id,
    )
  expect(await list()).toEqual([before.Id, first.Id, second.Id])
  expect(await list('&_order=created,1')).toEqual([first.Id, second.Id, before.Id])
  expect(await list('&_order=position,0')).toEqual([second.Id, first.Id, before.Id])
  expect(await list('&position=-5')).toEqual([before.Id])
  const moved = await service.contributor(`POST /stream/${second.Id}`, { body: { position: -6 } })
  expect(moved.json.Stream).toEqual({ ...second, Position: -6 })
  expect(await list()).toEqual([second.Id, before.Id, first.Id])
  expect((await service.contributor(`POST /stream/${second.Id}`, { body: {} })).status).toBe(400)
  expect((await service.reader(`POST /stream/${second.Id}`, { body: { position: 1 } })).status).toBe(403)
  expect((await service.otherAdmin(`POST /stream/${second.Id}`, { body: { position: 1 } })).status).toBe(404)
  expect((await service.contributor(`DELETE /stream/${second.Id}`)).json).toEqual({ Result: true })
  expect((await service.contributor(`DELETE /stream/${second.Id}`)).status).toBe(404)
})

test('streams with the same query share one feed', async () => {
  const ask = async (more: object) => (await make({ ...x, type: 'mention', ...more })).json.Stream.Id as string
  const ids = [await ask({}), await ask({ keyword: 'is not needed' }), await ask({ type: 'tw.mention', position: 7 })]
  const rows = await ownerQuery<{ feed: string }>(
    service.databaseUrl,
    'select distinct feed_id as feed from streams where id = any ($1)',
    [ids],
  )
  expect(rows.length).toBe(1)
})

test('deleting a profile deletes its streams, and keeps the tab', async () => {
  const credentialId = '003-1-leaving'
  await ownerQuery(
    service.databaseUrl,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
    values ($1, $2, now(), now(), '', 'LinkedIn', 'leaving', 'page', 'Leaving', 'leaving', '', 'valid')`,
    [demoAccount, credentialId],
  )
  const tab = await newTab()
  const body = { network: 'LinkedIn', type: 'page', streamTabId: tab }
  const deletedId = (await make({ ...body, credentialId })).json.Stream.Id
  const stays = (await make({ ...body, credentialId: profiles.linkedInPage })).json.Stream.Id
  expect((await service.admin(`DELETE /credential/${credentialId}`)).status).toBe(200)
  const left = (await service.reader('GET /stream', { query: `streamTabId=${tab}` })).json.Items
  expect(left.map(({ Id }: { Id: string }) => Id)).toEqual([stays])
  expect((await service.reader(`GET /app/api/stream/${deletedId}/items`)).status).toBe(404)
  expect((await service.reader(`GET /stream-tab/${tab}`)).status).toBe(200)
})
