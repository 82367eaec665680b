import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { demoItems } from '../demo/item-table.demo.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const first = 'eitdemo00000001'
const list = async (query = '') => (await service.reader('GET /conversation', { query: `_count=100&${query}` })).json
const ids = async (query: string) => (await list(query)).Conversations.Items.map(({ Id }: { Id: string }) => Id)
/** Numbers of the demo items that match. */
const numbers = (isSo: (item: (typeof demoItems)[number]) => boolean) =>
  demoItems.flatMap((item, index) => (isSo(item) ? [`eitdemo${String(index + 1).padStart(8, '0')}`] : []))

test('a conversation has the format of the contract', async () => {
  const { json } = await service.reader(`GET /conversation/${first}`)
  const { Tags, ...Conversation } = json.Conversation
  expect(Conversation).toEqual({
    Id: first,
    Created: expect.any(String),
    Modified: expect.any(String),
    Status: 'open',
    Network: 'Facebook',
    ItemType: 'Conversation',
    AssigneeId: '00Ademo00000002',
    ProfileName: 'Maeve Doyle',
  })
  expect(Tags).toEqual([{ Id: 'etgdemo00000003', Name: 'Delivery' }])
  const { Result, Conversations } = await list()
  expect(Result).toBe(true)
  expect(Conversations.Total).toBe(60)
  expect(Conversations.Items[0]).toEqual(Conversation)
})

test('sorted by latest activity, 25 by default and 100 at most', async () => {
  const { json } = await service.reader('GET /conversation')
  expect(json.Conversations.Items).toHaveLength(25)
  const rows = await ownerQuery<{ id: string }>(
    service.databaseUrl,
    'select id from inbox_items order by last_activity desc, id desc',
  )
  expect(await ids('')).toEqual(rows.map(({ id }) => id))
  expect((await service.reader('GET /conversation', { query: '_count=7' })).json.Conversations.Items).toHaveLength(7)
  for (const count of ['0', '101', 'x'])
    expect((await service.reader('GET /conversation', { query: `_count=${count}` })).status).toBe(400)
})

describe('filters', () => {
  const cases: [query: string, expected: string[]][] = [
    ['type=Mention', numbers(({ type }) => type === 'Mention')],
    ['type=Post,Reply', numbers(({ type }) => type === 'Post' || type === 'Reply')],
    ['type=Conversation,Post,Mention,Reply', numbers(() => true)],
    ['type=', numbers(() => true)],
    ['status=closed', numbers(({ isClosed }) => isClosed)],
    ['status=open,closed', numbers(() => true)],
    ['network=TikTok', numbers(({ network }) => network === 'TikTok')],
    ['network=x', numbers(({ network }) => network === 'Twitter')],
    ['network=YouTube,LinkedIn', numbers(({ network }) => network === 'YouTube' || network === 'LinkedIn')],
    ['assignee_id=00Ademo00000001', numbers(({ assignee }) => assignee === '00Ademo00000001')],
    ['assignee_id=00Ademo00000001,00Ademo00000003', numbers(({ assignee }) => /[13]$/.test(assignee))],
    ['assignee_id=00Aabsent000000', []],
    ['tag=complaint', numbers(({ tags }) => tags.includes(2))],
    ['tag=Complaint,Press', numbers(({ tags }) => tags.includes(2) || tags.includes(5))],
    ['tag=Nothing', []],
    [
      'tag=Complaint&status=open&network=Instagram',
      numbers(({ tags, network }) => tags.includes(2) && network === 'Instagram'),
    ],
    ['q=maeve', [first]],
    ['q=REISSVERSCHLUSS', numbers(({ text }) => text.includes('Reißverschluss'))],
    ['q=cuando dispon', numbers(({ text }) => text.includes('¿Cuándo'))],
    ['q=テント', numbers(({ text }) => text.includes('テント'))],
    ['q=appendix with the method', numbers(({ person }) => person === 'Marcus Hale')],
    [
      'q=northwind&type=Mention&status=closed',
      numbers(({ text, type, isClosed }) => text.includes('orthwind') && type === 'Mention' && isClosed),
    ],
    ['q=!!!', []],
    ['q=', numbers(() => true)],
    [
      'type=Post&status=open&network=Facebook',
      numbers(({ type, isClosed, network }) => type === 'Post' && !isClosed && network === 'Facebook'),
    ],
  ]
  test.each(cases)('%s', async (query, expected) => {
    const { Conversations } = await list(query)
    expect(new Set(Conversations.Items.map(({ Id }: { Id: string }) => Id))).toEqual(new Set(expected))
    expect(Conversations.Total).toBe(expected.length)
  })

  test.each([
    'type=post',
    'type=Post,Banana',
    'status=pending',
    'network=MySpace',
    'assignee_id=x',
    'assignee_id=00Ademo00000001,5',
  ])('%s is rejected', async (query) => {
    expect((await service.reader('GET /conversation', { query })).status).toBe(400)
  })
})

test('common terms are found from the latest on, rare ones by the index, both with correct results', async () => {
  await ownerQuery(
    service.databaseUrl,
    `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, status, remote_key, event_date, last_activity, person_id, words)
    select account_id, 'eitmany' || lpad(n::text, 8, '0'), created, modified, credential_id, network, item_type, origin, status, 'many:' || n, event_date, '2020-01-01'::timestamptz + n * interval '1 minute', 'many',
      array_to_tsvector(array[account_id || ':common', account_id || ':n' || n % 3000])
    from inbox_items, generate_series(1, 6000) n where id = $1`,
    [first],
  )
  await ownerQuery(
    service.databaseUrl,
    `insert into inbox_item_tags (account_id, item_id, tag_id, created) select account_id, id, 'etgdemo00000008', now() from inbox_items where id like 'eitmany%'`,
  )
  await ownerQuery(
    service.databaseUrl,
    `update inbox_item_counts c set items = (select count(*) from inbox_items i where (i.account_id, i.credential_id, i.network, i.item_type, i.status, i.assignee_id)
      = (c.account_id, c.credential_id, c.network, c.item_type, c.status, c.assignee_id))`,
  )
  await ownerQuery(
    service.databaseUrl,
    `insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items)
    select account_id, credential_id, network, item_type, status, assignee_id, count(*) from inbox_items group by 1, 2, 3, 4, 5, 6 on conflict do nothing`,
  )
  const found = async (query: string) => {
    const { Total, Items } = (await list(query)).Conversations
    return [Total, ...Items.slice(0, 2).map(({ Id }: { Id: string }) => Id)]
  }
  expect(await found('q=n7')).toEqual([222, 'eitmany00003799', 'eitmany00003798'])
  expect(await found('q=n2999')).toEqual([2, 'eitmany00005999', 'eitmany00002999'])
  expect(await found('q=common')).toEqual([5000, 'eitmany00006000', 'eitmany00005999'])
  expect(await found('q=common&network=TikTok')).toEqual([0])
  expect(await found('tag=VIP&q=common n7')).toEqual([222, 'eitmany00003799', 'eitmany00003798'])
  expect((await found('tag=VIP')).slice(0, 2)).toEqual([5000, numbers(({ tags }) => tags.includes(8))[0]])
  expect((await found(''))[0]).toBe(6060)
  await ownerQuery(service.databaseUrl, `delete from inbox_items where id like 'eitmany%'`)
})

test('a timeline has pages of 25, newest first, with the names of users', async () => {
  const timeline = async (query = '') =>
    (await service.reader(`GET /conversation/${first}/timeline`, { query })).json.Timeline
  const all = await timeline()
  expect(all.map(({ Type }: { Type: string }) => Type)).toEqual(['assignment', 'message', 'note', 'message', 'message'])
  expect(all[2]).toEqual({
    Id: expect.stringMatching(/^eat/),
    Type: 'note',
    Created: expect.any(String),
    CreatedBy: '00Ademo00000002',
    Content: expect.stringContaining('Carrier lost a cage'),
  })
  expect(all[4]).not.toHaveProperty('CreatedBy')
  await ownerQuery(
    service.databaseUrl,
    `insert into inbox_entries (account_id, id, item_id, type, created, is_own, credential_id, content)
    select account_id, 'eatmany' || lpad(n::text, 8, '0'), item_id, 'message', created, false, credential_id, n::text
    from inbox_entries, generate_series(1, 60) n where id = 'eatdemo00000020'`,
  )
  const seen: string[] = []
  for (let last = ''; seen.length < 100; last = seen.at(-1) ?? '') {
    const part = (await timeline(`last_loaded_id=${last}`)).map(({ Id }: { Id: string }) => Id)
    if (part.length === 0) break
    expect(part.length).toBeLessThanOrEqual(25)
    seen.push(...part)
  }
  expect(seen).toHaveLength(65)
  expect(new Set(seen).size).toBe(65)
  for (const absent of ['eatabsent000000', 'eatdemo00000040', 'x'])
    expect(
      (await service.reader(`GET /conversation/${first}/timeline`, { query: `last_loaded_id=${absent}` })).status,
    ).toBe(400)
  const { json } = await service.reader(`GET /app/api/conversation/${first}/timeline`)
  expect(json.IsWhole).toBe(false)
  expect(json.Timeline[0]).toMatchObject({
    Type: 'assignment',
    IsOwn: true,
    Details: { assigneeId: '00Ademo00000002' },
  })
})

test('comments are public content of others, by post or network', async () => {
  const comments = async (query: string) => (await service.reader('GET /comments', { query })).json.Data
  const all = await comments('')
  const others = demoItems.filter(({ type }) => type !== 'Conversation')
  const added = others.flatMap(({ later }) => later.filter(([who]) => who !== 'us' && who !== 'note'))
  expect(all).toHaveLength(others.length + added.length)
  expect(all[0].Date >= all[1].Date).toBe(true)
  const onX = await comments('network=twitter')
  expect(onX).toHaveLength(others.filter(({ network }) => network === 'Twitter').length)
  const one = all.find(({ CommentText }: { CommentText: string }) => CommentText.includes('Starker Bericht'))
  expect(one).toEqual({
    ProfileName: 'Jörg Winkler',
    Date: expect.any(String),
    CommentText: expect.any(String),
    Network: 'LinkedIn',
    CommentId: 'demo-linkedin-4',
    ActivityId: expect.stringMatching(/./),
    PostlogId: expect.stringMatching(/^007/),
  })
  const ofPost = await comments(`postlogId=${one.PostlogId}`)
  expect(ofPost).toContainEqual(one)
  expect(new Set(ofPost.map(({ PostlogId }: { PostlogId: string }) => PostlogId))).toEqual(new Set([one.PostlogId]))
  expect(await comments('postlogId=007absent000000')).toEqual([])
  expect(await comments('_count=3')).toHaveLength(3)
  const postlogIds: unknown[] = all.map(({ PostlogId }: { PostlogId: unknown }) => PostlogId)
  expect(postlogIds.filter((id) => typeof id !== 'string')).toEqual([])
  expect(postlogIds, 'a mention belongs to no post of the account').toContain('')
})

test('items of another account are not found', async () => {
  expect((await service.otherAdmin('GET /conversation')).json.Conversations).toEqual({ Total: 0, Items: [] })
  for (const query of ['q=maeve', 'tag=Complaint', 'type=Post'])
    expect((await service.otherAdmin('GET /conversation', { query })).json.Conversations.Total).toBe(0)
  for (const path of ['', '/timeline']) {
    const absent = await service.reader(`GET /conversation/eitabsent000000${path}`)
    const foreign = await service.otherAdmin(`GET /conversation/${first}${path}`)
    expect([foreign.status, foreign.text]).toEqual([404, absent.text.replaceAll('eitabsent000000', first)])
  }
  expect((await service.otherAdmin('GET /comments')).json.Data).toEqual([])
})
