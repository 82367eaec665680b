import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoBoards } from '#areas/advocacy/demo/boards.demo.ts'
import { eventsNamed, expectAllNotified, listen, notifiedIds } from '#areas/live/feed.fixture.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import type { Caller } from '../../../../tests/support/caller.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

interface Counted {
  Id: string
  Name: string
  Total: number
  Unread: number
  UnreadIsMore: 0 | 1
}

const views = async (as: Caller): Promise<Counted[]> => (await as('GET /app/api/inbox/views')).json.Items
const view = async (as: Caller, id: string) => (await views(as)).find(({ Id }) => Id === id) as Counted
const page = async (as: Caller, query: string) => (await as('GET /app/api/conversation', { query })).json
const idsOf = ({ Items }: { Items: { Id: string }[] }) => Items.map(({ Id }) => Id)
const sql = (text: string, values: unknown[] = []) =>
  ownerQuery<{ id: string; total: number }>(service.databaseUrl, text, values)

/** A new incoming entry in an existing item. */
const arrive = (id: string, secondsAhead = 0) =>
  sql('update inbox_items set last_activity = $2 where id = $1', [id, new Date(Date.now() + secondsAhead * 1_000)])

describe('views', () => {
  test('everyone has the standard ones with their counts', async () => {
    const [mine, unassigned, open, closed] = (await views(service.publisher)).slice(0, 4) as Counted[]
    expect([mine, unassigned, open, closed].map((one) => one?.Id)).toEqual(['mine', 'unassigned', 'open', 'closed'])
    for (const { Id, Total } of [mine, unassigned, open, closed] as Counted[]) {
      const { Items } = await page(service.publisher, `view=${Id}&_count=100`)
      expect([Id, Total]).toEqual([Id, Items.length])
    }
    expect((open?.Total ?? 0) + (closed?.Total ?? 0)).toBe(60)
    const { Items } = await page(service.publisher, 'view=mine')
    for (const { AssigneeId, Status } of Items) expect([AssigneeId, Status]).toEqual(['00Ademo00000002', 'open'])
    expect((await page(service.reader, 'view=mine')).Items).toEqual([])
  })

  test('own ones are stored, changed, ordered and deleted, and shared ones are visible to others', async () => {
    const body = {
      name: 'Loud',
      isShared: 1,
      filters: { tagIds: ['etgdemo00000002'], statuses: ['Open'], networks: ['x'] },
    }
    const { json } = await service.contributor('POST /app/api/inbox/views', { body })
    const { Id } = json.View
    expect(json.View).toEqual({
      Id: expect.stringMatching(/^0iv/),
      Name: 'Loud',
      IsStandard: 0,
      IsShared: 1,
      CreatedBy: '00Ademo00000003',
      Filters: { TagIds: ['etgdemo00000002'], Statuses: ['open'], Networks: ['Twitter'] },
    })
    const counted = await view(service.reader, Id)
    expect(counted.Total).toBe(idsOf(await page(service.reader, `view=${Id}`)).length)
    expect(counted.Total).toBeGreaterThan(1)
    const other = (await service.contributor('POST /app/api/inbox/views', { body: { name: 'Quiet' } })).json.View.Id
    expect(await view(service.reader, other)).toBeUndefined()
    expect((await service.reader('GET /app/api/conversation', { query: `view=${other}` })).status).toBe(404)
    const own = async () => (await views(service.contributor)).slice(4).map(({ Name }) => Name)
    expect((await own()).slice(0, 2)).toEqual(['Loud', 'Quiet'])
    await service.contributor('PUT /app/api/inbox/views', { body: { ids: [other, Id] } })
    expect((await own()).slice(0, 2)).toEqual(['Quiet', 'Loud'])
    await service.contributor(`POST /app/api/inbox/views/${Id}`, { body: { isShared: 0 } })
    expect(await view(service.reader, Id)).toBeUndefined()
    expect((await service.admin(`DELETE /app/api/inbox/views/${Id}`)).status).toBe(404)
    expect((await service.contributor(`DELETE /app/api/inbox/views/${Id}`)).status).toBe(200)
    expect((await service.contributor(`DELETE /app/api/inbox/views/${Id}`)).status).toBe(404)
  })

  test('shared views of others can be changed by publishers and admins, not by contributors', async () => {
    const shared = '0ivdemo00000001'
    const rename = (as: Caller) => as(`POST /app/api/inbox/views/${shared}`, { body: { name: 'Complaints' } })
    expect((await rename(service.contributor)).status).toBe(403)
    expect((await rename(service.publisher)).status).toBe(200)
    expect((await rename(service.otherAdmin)).status).toBe(404)
    const order = await service.publisher('PUT /app/api/inbox/views', { body: { ids: [shared] } })
    expect([order.status, order.json.Errors.API.Error]).toEqual([400, `ids names no view of yours: "${shared}".`])
  })

  test('filters narrow a view', async () => {
    const all = idsOf(await page(service.admin, 'view=open&_count=100'))
    const some = idsOf(await page(service.admin, 'view=open&network=YouTube&_count=100'))
    expect(all).toEqual(expect.arrayContaining(some))
    expect(some.length).toBeGreaterThan(3)
    const none = await page(service.admin, 'assignee_id=none&status=open')
    expect(none.Total).toBe((await view(service.admin, 'unassigned')).Total)
    const [{ CredentialId }] = none.Items
    for (const one of (await page(service.admin, `credential_id=${CredentialId}`)).Items)
      expect(one.CredentialId).toBe(CredentialId)
  })
})

test('pages continue at the cursor, whatever is received in between', async () => {
  const before = idsOf(await page(service.admin, '_count=100'))
  const seen: string[] = []
  let next = ''
  do {
    const { Items, Next, Total } = await page(service.admin, `_count=9&_after=${next}`)
    expect(Total).toBe(60)
    seen.push(...idsOf({ Items }))
    next = Next
    await arrive(seen[0] as string)
  } while (next)
  expect(seen).toEqual(before)
  for (const cursor of ['x', '1.2', '9.eitdemo00000001.1', '1e3.eitdemo00000001'])
    expect((await service.admin('GET /app/api/conversation', { query: `_after=${cursor}` })).status).toBe(400)
})

test('other items of a person are listed', async () => {
  await sql(
    `update inbox_items set person_id = 'one', network = 'Facebook' where id in ('eitdemo00000010', 'eitdemo00000011', 'eitdemo00000012')`,
  )
  const { json } = await service.reader('GET /app/api/conversation/eitdemo00000011/of-person')
  expect([idsOf(json), json.Next]).toEqual([['eitdemo00000012', 'eitdemo00000010'], null])
})

describe('unread', () => {
  const first = 'eitdemo00000020'
  const unread = async (as: Caller) => (await view(as, 'open')).Unread

  test('is everything since a user first opened the inbox, per user, except closed items', async () => {
    expect(await unread(service.contributor)).toBe(0)
    await arrive(first)
    expect(await unread(service.contributor)).toBe(0)
    await service.contributor('POST /app/api/inbox/open')
    await service.contributor('POST /app/api/inbox/open')
    expect(await unread(service.contributor)).toBe(0)
    await arrive(first)
    await arrive('eitdemo00000016')
    expect(await unread(service.contributor)).toBe(1)
    expect(idsOf(await page(service.contributor, 'unread=1'))).toEqual([first])
    const { json } = await service.contributor(`GET /app/api/conversation/${first}`)
    expect(json.Conversation.IsUnread).toBe(1)
    expect(await unread(service.reader)).toBe(0)
  })

  test('ends when it is read, up to the last seen activity', async () => {
    const as = service.contributor
    const { LastActivity } = (await as(`GET /app/api/conversation/${first}`)).json.Conversation
    await as(`POST /app/api/conversation/${first}/read`, { body: { lastActivity: LastActivity } })
    expect(await unread(as)).toBe(0)
    await sql('update inbox_items set last_activity = $2 where id = $1', [
      first,
      new Date(Date.parse(`${LastActivity}Z`) + 2_000),
    ])
    await as(`POST /app/api/conversation/${first}/read`, { body: { lastActivity: LastActivity } })
    expect(await unread(as), 'something came meanwhile').toBe(1)
    await as(`POST /app/api/conversation/${first}/read`)
    expect(await unread(as)).toBe(0)
    await as(`POST /app/api/conversation/${first}/unread`)
    expect(await unread(as)).toBe(1)
    await as('POST /app/api/inbox/read')
    expect(await unread(as)).toBe(0)
    for (const operation of ['read', 'unread'])
      expect((await service.otherAdmin(`POST /app/api/conversation/${first}/${operation}`)).status).toBe(404)
  })

  test('is counted for views with terms and tags, up to a thousand', async () => {
    const body = { name: 'Kind words', filters: { q: 'northwind', tagIds: ['etgdemo00000001'] } }
    const { Id } = (await service.contributor('POST /app/api/inbox/views', { body })).json.View
    const [item] = idsOf(await page(service.contributor, `view=${Id}&status=open`))
    await arrive(item as string, 60)
    expect(await view(service.contributor, Id)).toMatchObject({ Unread: 1, UnreadIsMore: 0 })
    await sql(
      `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, remote_key, event_date, last_activity, person_id)
      select account_id, 'eitmore' || lpad(n::text, 8, '0'), created, modified, credential_id, network, item_type, origin, 'more:' || n, event_date, now() + interval '1 minute', ''
      from inbox_items, generate_series(1, 1001) n where id = $1`,
      [first],
    )
    expect(await view(service.contributor, 'open')).toMatchObject({ Unread: 1000, UnreadIsMore: 1 })
    await sql(`delete from inbox_items where id like 'eitmore%'`)
  })
})

test('readers get change notifications of items and presence, but not of other users’ read state', async () => {
  const id = 'eitdemo00000030'
  const [reader, publisher, other] = (await Promise.all(
    (['reader', 'publisher', 'otherAdmin'] as const).map((who) => listen(service, who)),
  )) as [Awaited<ReturnType<typeof listen>>, Awaited<ReturnType<typeof listen>>, Awaited<ReturnType<typeof listen>>]
  for (const doing of ['viewing', 'editing', 'replying']) {
    expect((await service.publisher('POST /app/api/presence', { body: { id, doing } })).status).toBe(200)
    await expect
      .poll(() => eventsNamed(reader, 'presence').map(({ data }) => data))
      .toContainEqual({
        kind: 'conversation',
        id,
        doing,
        by: '00Ademo00000002',
      })
  }
  expect((await service.otherAdmin('POST /app/api/presence', { body: { id, doing: 'viewing' } })).status).toBe(404)
  await service.publisher(`POST /app/api/conversation/${id}/read`)
  await expect.poll(() => notifiedIds(publisher, 'conversation')).toContain(id)
  const topic = (await service.admin('POST /board-topic', { body: { boardId: demoBoards.full, name: 'Heard last' } }))
    .json.Topic.Id
  await expectAllNotified([reader, publisher], topic)
  expect(notifiedIds(reader, 'conversation')).toEqual([])
  expect(eventsNamed(other, 'presence')).toEqual([])
  expect(eventsNamed(publisher, 'presence')).toEqual([])
  for (const client of [reader, publisher, other]) client.close()
  expect(
    (
      await sql('select count(*)::int as total from inbox_item_reads where account_id = $1 and user_id = $2', [
        demoAccount,
        '00Ademo00000004',
      ])
    )[0]?.total,
  ).toBe(0)
})
