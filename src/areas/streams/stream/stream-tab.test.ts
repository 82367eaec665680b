import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    environment: { CHORUS_ROLES: 'api', CHORUS_ACCOUNT_LIMITS: 'streamTabs=20,streams=20' },
  })
})
afterAll(() => service.stop())

const newTab = async (name = 'Monday'): Promise<string> =>
  (await service.contributor('POST /stream-tab', { body: { name } })).json.StreamTab.Id
const put = (streamTabId: string, more: object = {}) =>
  service.contributor('POST /stream', {
    body: { network: 'Facebook', credentialId: profiles.facebook, type: 'tag', streamTabId, ...more },
  })
const feeds = async () =>
  (
    await ownerQuery<{ type: string }>(
      service.databaseUrl,
      `select type from stream_feeds where account_id = $1 and credential_id = $2 and type <> 'ownpage'`,
      [demoAccount, profiles.facebook],
    )
  ).length

test('a tab is created, visible to the whole account, renamed and deleted', async () => {
  const { json } = await service.contributor('POST /stream-tab', { body: { name: ' Morning round ' } })
  expect(json.StreamTab).toEqual({
    Id: expect.stringMatching(/^018\w{12}$/),
    Name: 'Morning round',
    Status: 'active',
    Created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  })
  const { Id } = json.StreamTab
  expect((await service.reader(`GET /stream-tab/${Id}`)).json.StreamTab).toEqual(json.StreamTab)
  expect((await service.reader('GET /stream-tab')).json.Items).toContainEqual(json.StreamTab)
  expect((await service.reader('POST /stream-tab', { body: { name: 'Mine' } })).status).toBe(403)
  const renamed = await service.publisher(`POST /stream-tab/${Id}`, { body: { name: 'Evening round' } })
  expect(renamed.json.StreamTab).toEqual({ ...json.StreamTab, Name: 'Evening round' })
  expect((await service.publisher(`DELETE /stream-tab/${Id}`)).json).toEqual({ Result: true })
  for (const route of ['GET', 'DELETE']) expect((await service.admin(`${route} /stream-tab/${Id}`)).status).toBe(404)
})

test('tabs are in the order of creation, and paginated on request', async () => {
  const made = [await newTab('Zebra'), await newTab('Ant')]
  const list = async (query = '') => (await service.reader('GET /stream-tab', { query })).json
  const all = await list()
  expect(all.Items.slice(-2).map(({ Id }: { Id: string }) => Id)).toEqual(made)
  const page = await list('_count=1&_page=1')
  expect([page.Items, page.Total]).toEqual([all.Items.slice(1, 2), all.Total])
  const names = (await list('_order=name,1')).Items.map(({ Name }: { Name: string }) => Name)
  expect(names.indexOf('Ant')).toBeLessThan(names.indexOf('Zebra'))
})

test('deleting a tab deletes its streams, and their feeds unless shared', async () => {
  const [one, other] = [await newTab(), await newTab()]
  const before = await feeds()
  const [first, second] = [await put(one), await put(other)]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(await feeds(), 'both have the same query').toBe(before + (before === 0 ? 1 : 0))
  await service.contributor(`DELETE /stream-tab/${one}`)
  const left = (await service.reader('GET /stream')).json.Items.map(({ Id }: { Id: string }) => Id)
  expect(left).not.toContain(first.json.Stream.Id)
  expect(left).toContain(second.json.Stream.Id)
  expect(await feeds()).toBeGreaterThan(0)
  await service.contributor(`DELETE /stream/${second.json.Stream.Id}`)
  expect(await feeds()).toBe(before)
})

test('adding streams to a tab being deleted is rejected or they are deleted with it', async () => {
  for (let round = 0; round < 5; round++) {
    const tab = await newTab()
    const answers = await Promise.all([
      put(tab),
      put(tab, { type: 'ownpage' }),
      service.contributor(`DELETE /stream-tab/${tab}`),
      put(tab),
    ])
    for (const { status } of answers) expect([200, 400]).toContain(status)
    const { Items } = (await service.reader('GET /stream', { query: `streamTabId=${tab}` })).json
    expect(Items).toEqual([])
  }
})

test('an account has a maximum of tabs and streams', async () => {
  const tab = await newTab('Full')
  const { Total } = (await service.reader('GET /stream')).json
  const answers = await Promise.all(Array.from({ length: 22 - Total }, () => put(tab)))
  expect(answers.filter(({ status }) => status === 200).length).toBe(20 - Total)
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.json.Errors.API.Error).toContain('An account can have 20 streams')
  await service.contributor(`DELETE /stream-tab/${tab}`)
})
