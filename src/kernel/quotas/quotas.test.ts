import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quotas } from '#main/registry.ts'
import { waitingForLocks } from '../../../tests/support/database/nodes.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { readAccountLimits } from './quotas.ts'

let service: TestService
let beside: TestService
beforeAll(async () => {
  const environment = {
    CHORUS_ACCOUNT_LIMITS: 'tags=40,teams=7,webhooks=3,folders=4,posts=80,customEvents=2,campaigns=13',
    CHORUS_ROLES: 'api',
  }
  service = await startTestService({ environment })
  beside = await startTestService({ environment, databaseUrl: service.databaseUrl })
})
afterAll(async () => {
  await beside.stop()
  await service.stop()
})

let numbered = 0
const newTag = (as = service.admin) => as('POST /tag', { body: { tag: `Tag ${numbered++}` } })
const statuses = (answers: { status: number }[]) => ({
  made: answers.filter(({ status }) => status === 200).length,
  refused: answers.filter(({ status }) => status === 409).length,
})

test('concurrent reservations in two processes succeed exactly up to the limit', async () => {
  const { Total } = (await service.admin('GET /tag')).json
  const room = 40 - Total
  const created = Array.from({ length: room + 20 }, (_, index) => newTag(index % 2 ? service.admin : beside.admin))
  expect(statuses(await Promise.all(created))).toEqual({ made: room, refused: 20 })
  const { json } = await service.admin('GET /tag')
  expect(json.Total).toBe(40)
  expect((await newTag()).json.Errors.API.Error).toBe(
    'An account can have 40 tags, and this one has them. Delete tags that nothing uses, or ask the operator to raise tags in CHORUS_ACCOUNT_LIMITS.',
  )
  expect((await newTag(service.otherAdmin)).status, 'quotas are separate for each account').toBe(200)

  for (const { Id } of json.Items.slice(0, 5)) await service.admin(`DELETE /tag/${Id}`)
  const again = await Promise.all(Array.from({ length: 20 }, () => newTag(beside.admin)))
  expect(statuses(again), 'deletions free quota').toEqual({ made: 5, refused: 15 })
})

test("an account above its limit keeps its objects and can't create more", async () => {
  await ownerQuery(
    service.databaseUrl,
    `insert into teams (account_id, id, created, modified, name)
    select '001demo00000001', '025over' || lpad(n::text, 8, '0'), now(), now(), 'Over' from generate_series(1, 20) n`,
  )
  const make = () => service.admin('POST /team', { body: { name: 'One more' } })
  expect((await make()).status).toBe(409)
  expect((await service.admin('POST /team/025over00000001', { body: { name: 'Renamed' } })).status).toBe(200)
  for (let number = 1; number <= 15; number++)
    await service.admin(`DELETE /team/025over${String(number).padStart(8, '0')}`)
  expect((await make()).status, 'still at the limit').toBe(409)
  await service.admin('DELETE /team/025over00000016')
  expect([(await make()).status, (await make()).status]).toEqual([200, 409])
})

test('objects deleted with their parent free quota as well', async () => {
  const folder = (folderId = '') => service.admin('POST /media-folder', { body: { name: 'Room', folderId } })
  const { Total } = (await service.admin('GET /media-folder')).json
  const nested = await ownerQuery<{ count: number }>(
    service.databaseUrl,
    `select count(*)::int as count from media_folders where account_id = '001demo00000001'`,
  )
  const room = 4 - (nested[0]?.count ?? 0)
  expect(Total).toBeGreaterThan(0)
  const top = (await folder()).json.Folder.Id
  for (let made = 1; made < room; made++) expect((await folder(top)).status).toBe(200)
  expect((await folder()).status).toBe(409)
  await service.admin(`DELETE /media-folder/${top}`)
  const after = await Promise.all(Array.from({ length: 6 }, () => folder()))
  expect(statuses(after)).toEqual({ made: room, refused: 6 - room })
})

test('unsent posts are counted, and deleting a campaign frees quota', async () => {
  const campaign = await service.admin('POST /campaign', { body: { name: 'Room' } })
  expect(campaign.status).toBe(200)
  expect((await service.admin('POST /campaign', { body: { name: 'Room' } })).status).toBe(409)
  const campaignId = campaign.json.Campaign.Id
  const message = { network: 'LinkedIn', campaignId, message: 'Room' }
  const messageId = (await service.admin('POST /message', { body: message })).json.Message.Id
  const body = { messageId, credentialIds: '003-1-2414183', startDateTime: 1_900_000_000 }
  const [unsent] = await ownerQuery<{ count: number }>(
    service.databaseUrl,
    `select count(*)::int as count from posts where account_id = '001demo00000001' and status in ('draft', 'inqueue-draft', 'pending', 'inqueue')`,
  )
  const room = 80 - (unsent?.count ?? 0)
  const ask = () => Promise.all(Array.from({ length: room + 10 }, () => service.publisher('POST /post', { body })))
  expect(statuses(await ask())).toEqual({ made: room, refused: 10 })
  expect((await service.admin(`DELETE /campaign/${campaignId}`)).status).toBe(200)
  expect((await service.admin('POST /campaign', { body: { name: 'Room' } })).status).toBe(200)
})

test('creations that find every shard locked wait for one shard each, without a convoy', async () => {
  const create = () =>
    service.admin('POST /message', {
      body: { network: 'LinkedIn', campaignId: '002demo00000001', message: 'One of many' },
    })
  expect((await create()).status).toBe(200)
  const ofKind = `account_id = '${demoAccount}' and kind = 'messages'`
  const shards = await ownerQuery<{ part: number }>(
    service.databaseUrl,
    `select part from account_usage where ${ofKind} order by part`,
  )
  expect(shards.length).toBeGreaterThan(1)
  const holders = await Promise.all(
    shards.map(async ({ part }) => {
      const client = new pg.Client({ connectionString: service.databaseUrl })
      await client.connect()
      await client.query('begin')
      await client.query(`select from account_usage where ${ofKind} and part = $1 for no key update`, [part])
      return client
    }),
  )
  const creations = Array.from({ length: 4 }, create)
  await expect.poll(() => waitingForLocks(service.databaseUrl)).toBe(creations.length)
  const [last, ...others] = holders
  for (const client of others) await client.end()
  // While one shard stays locked, the creations that wait for another one finish.
  const first = await Promise.race(creations)
  expect(first.status).toBe(200)
  await last?.end()
  for (const { status } of await Promise.all(creations)) expect(status).toBe(200)
})

test('the setting accepts quota names with numbers and refuses anything else', () => {
  expect(readAccountLimits('', quotas)).toEqual({})
  expect(readAccountLimits(' tags=5 , links = 0 ', quotas)).toEqual({ tags: 5, links: 0 })
  expect(() => readAccountLimits('tag=5', quotas)).toThrow(
    `names "tag"; it can name ${quotas.map(({ name }) => name).join(', ')}`,
  )
  expect(() => readAccountLimits('tags=many', quotas)).toThrow('must give tags a whole number from 0 to 1000000000')
})
