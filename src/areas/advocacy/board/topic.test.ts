import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { demoBoards, demoTopics } from '../demo/boards.demo.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const boardId = demoBoards.withoutTopics
const make = (name: string, board = boardId) =>
  service.contributor('POST /board-topic', { body: { boardId: board, name } })

test('a topic is created, published as an event, renamed and deleted', async () => {
  const { json } = await make(' Huts ')
  expect(json.Topic).toEqual({
    Id: expect.stringMatching(/^tpc\w{12}$/),
    Name: 'Huts',
    BoardId: boardId,
    Used: '0',
    Subscribers: '0',
    LastUsedDate: '0000-00-00 00:00:00',
  })
  const { Id } = json.Topic
  const published = await ownerQuery<{ data: string }>(
    service.databaseUrl,
    `select data::text as data from events where account_id = $1 and type = 'newAdvocacyTopic' order by id`,
    [demoAccount],
  )
  expect(JSON.parse(published.at(-1)?.data ?? '')).toEqual([json.Topic])
  const renamed = await service.contributor(`POST /board-topic/${Id}`, { body: { name: 'Mountain huts' } })
  expect(renamed.json.Topic).toEqual({ ...json.Topic, Name: 'Mountain huts' })
  expect((await service.contributor(`DELETE /board-topic/${Id}`)).json).toEqual({ Result: true })
  expect((await service.contributor(`DELETE /board-topic/${Id}`)).status).toBe(404)
})

test('names are unique per board, case-insensitively', async () => {
  await make('Tents')
  const again = await make('TENTS')
  expect([again.status, again.json.Errors.API.Error]).toEqual([409, 'The board has a topic "TENTS" already.'])
  expect((await make('Tents', demoBoards.full)).status).toBe(200)
  const other = (await make('Ropes')).json.Topic.Id
  expect((await service.admin(`POST /board-topic/${other}`, { body: { name: 'tents' } })).status).toBe(409)
})

test('topics are found by board and by part of their name, with the number of subscribers', async () => {
  const list = async (query: string) => (await service.reader('GET /board-topic', { query })).json
  const all = await list(`boardId=${demoBoards.withTopics}&_order=created,1`)
  expect(all.Items.map(({ Name }: { Name: string }) => Name)).toEqual(demoTopics.map(({ name }) => name))
  expect(Number(all.Items[0].Subscribers)).toBeGreaterThan(5)
  expect((await list(`boardId=${demoBoards.withTopics}&q=EPAI`)).Items).toMatchObject([{ Name: 'Repair' }])
  expect(await list('boardId=brdabsent000000')).toMatchObject({ Items: [], Total: 0 })
  expect((await service.reader('GET /board-topic', { query: 'boardId=x' })).status).toBe(400)
})

test('a topic for a missing or invisible board is rejected', async () => {
  const texts = await Promise.all(
    ['brdabsent000000', demoBoards.full].map(async (board) => {
      const as = board === demoBoards.full ? service.otherAdmin : service.admin
      const { status, text } = await as('POST /board-topic', { body: { boardId: board, name: 'x' } })
      return [status, text.replace(board, 'ID')]
    }),
  )
  expect(texts[0]).toEqual([400, expect.stringContaining('boardId names no board')])
  expect(texts[1]).toEqual(texts[0])
})

test('messages of an older board lose a deleted topic', async () => {
  const topic = (await make('Gone', demoBoards.messages)).json.Topic.Id
  await ownerQuery(
    service.databaseUrl,
    `insert into board_messages (account_id, board_id, message_id, created, created_by, start_date, expire_date, topic_ids)
    values ($1, $2, '005demo00000001', now(), '', now(), now(), $3)
    on conflict (account_id, board_id, message_id) do update set topic_ids = excluded.topic_ids`,
    [demoAccount, demoBoards.messages, [topic, 'tpcother0000000']],
  )
  await service.admin(`DELETE /board-topic/${topic}`)
  const [row] = await ownerQuery<{ ids: string[] }>(
    service.databaseUrl,
    `select topic_ids as ids from board_messages where board_id = $1 and message_id = '005demo00000001'`,
    [demoBoards.messages],
  )
  expect(row?.ids).toEqual(['tpcother0000000'])
})
