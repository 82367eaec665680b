import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { later, posting } from './post.fixture.ts'

let service: TestService
let campaignId: string
let ids: string[]
const [ada, pablo] = ['00Ademo00000001', '00Ademo00000002']

/** Thirty posts of three messages in one campaign, a minute apart: created upwards, starting downwards. */
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  const given = posting(service)
  campaignId = await given.campaign('Listed')
  const messages = [0, 1, 2].map(() => given.message({ campaignId }))
  ids = []
  for (let n = 0; n < 30; n++) {
    const rest = {
      messageId: await messages[n % 3],
      startDateTime: later - n * 60,
      status: n % 2 ? 'draft' : 'pending',
    }
    ids.push((await given.post(rest, n % 5 ? service.publisher : service.admin)).Id)
    await ownerQuery(
      service.databaseUrl,
      `update posts set created = '2026-01-01 00:00:00Z'::timestamptz + $2 * interval '1 minute',
        modified = '2026-02-01 00:00:00Z'::timestamptz + $2 * interval '1 minute' where id = $1`,
      [ids[n], n],
    )
  }
})
afterAll(() => service.stop())

const list = async (query: string) => {
  const { status, json } = await service.reader('GET /post', { query: `campaignId=${campaignId}&${query}` })
  expect(status, JSON.stringify(json)).toBe(200)
  return { ...json, ids: json.Items.map(({ Id }: { Id: string }) => Id) }
}
const range = (from: number, to: number) => ids.slice(from, to)

test('lists are sorted newest first and paged by 25, 50 or 100', async () => {
  const first = await list('')
  expect([first.ids, first.Total]).toEqual([range(5, 30).reverse(), 30])
  const second = await list('_page=1')
  expect([second.ids, second.Total]).toEqual([range(0, 5).reverse(), 30])
  expect([(await list('_page=9')).ids, (await list('_page=9')).Total]).toEqual([[], 30])
  expect((await list('_count=50')).ids).toEqual(ids.toReversed())
  expect((await list('_count=100&_order=created,1')).ids).toEqual(ids)
  for (const size of ['10', '0', '101', 'x']) {
    const { status, json } = await service.reader('GET /post', { query: `_count=${size}` })
    expect([status, json.Errors.API.Error]).toEqual([400, `Page size ${size} is not valid. Use 25, 50 or 100.`])
  }
})

test('list items equal the single post', async () => {
  const { Items } = await list('_count=50&withPostlogs=1')
  for (const item of Items.slice(0, 3))
    expect((await service.reader(`GET /post/${item.Id}`, { query: 'postlogs=1' })).json.Post).toEqual(item)
  expect((await list('')).Items[0].Postlogs).toBeUndefined()
})

test('every sort order works in both directions', async () => {
  for (const [field, upwards] of [
    ['created', ids],
    ['modified', ids],
    ['startDateTime', ids.toReversed()],
  ] as const) {
    expect((await list(`_count=50&_order=${field},1`)).ids).toEqual(upwards)
    expect((await list(`_count=50&_order=${field},0`)).ids).toEqual(upwards.toReversed())
    expect((await list(`_count=50&_order=${field}`)).ids).toEqual(upwards.toReversed())
  }
  expect((await service.reader('GET /post', { query: '_order=name' })).status).toBe(400)
})

test('filters return matching posts with the right total', async () => {
  const even = ids.filter((_, n) => n % 2 === 0)
  const fifth = ids.filter((_, n) => n % 5 === 0)
  const expectIds = async (query: string, expected: string[]) => {
    const found = await list(`_count=50&_order=created,1&${query}`)
    expect([found.ids, found.Total], query).toEqual([expected, expected.length])
  }
  await expectIds('status=pending', even)
  await expectIds('status=inqueue', [])
  await expectIds(`createdBy=${ada}`, fifth)
  await expectIds(
    `createdBy=${pablo}&status=draft`,
    ids.filter((_, n) => n % 2 === 1 && n % 5 !== 0),
  )
  await expectIds('source=API', ids)
  await expectIds('source=Board', [])
  await expectIds('createdBy=&messageId=', ids)
  const { json } = await service.reader(`GET /post/${ids[0]}`)
  await expectIds(
    `messageId=${json.Post.MessageId}`,
    ids.filter((_, n) => n % 3 === 0),
  )
  await expectIds(
    `messageId=${json.Post.MessageId}&status=draft`,
    ids.filter((_, n) => n % 6 === 3),
  )
  await expectIds('createdBy=00Aabsent000000', [])
  const all = await service.reader('GET /post', { query: `_count=100&campaignId=` })
  expect(all.json.Total).toBeGreaterThanOrEqual(30)
})

test('a date range applies to the sort field; its start is inclusive, its end exclusive', async () => {
  const at = (month: string, minute: number) => `2026-${month}-01 00:${String(minute).padStart(2, '0')}:00`
  const found = async (query: string) => [(await list(query)).ids, (await list(query)).Total]
  expect(await found(`after=${at('01', 10)}&before=${at('01', 12)}`)).toEqual([range(10, 12).reverse(), 2])
  expect(await found(`_order=created,1&after=${at('01', 28)}`)).toEqual([range(28, 30), 2])
  expect(await found(`_order=modified,1&before=${at('02', 2)}`)).toEqual([range(0, 2), 2])
  expect(await found(`_order=modified&after=${at('01', 5)}&before=${at('01', 6)}`)).toEqual([[], 0])
  const start = new Date((later - 120) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  expect(await found(`_order=startDateTime,1&after=${start}`)).toEqual([range(0, 3).reverse(), 3])
  expect(await found('after=2026-01-02')).toEqual([[], 0])
})

test.each([
  'status=sent',
  'source=Mail',
  'after=yesterday',
  'before=2026-02-30',
  'messageId=xyz',
  'campaignId=005x',
  'createdBy=1',
])('%s is refused by its name', async (query) => {
  const { status, json } = await service.reader('GET /post', { query })
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringMatching(`^${query.split('=')[0]} `)])
})
