import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { day, type StoryHelpers, storyHelpers } from '../story/story.fixture.ts'

let service: TestService
let given: StoryHelpers
let board: { id: string; topicIds: string[] }
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = storyHelpers(service)
  board = await given.board({ kind: 'messages', expiration: 'in_2_weeks' }, 'Walking')
})
afterAll(() => service.stop())

const add = (body: object, as = service.publisher) =>
  as('POST /board-message', { body: { boardId: board.id, ...body } })
const rows = (messageId: string) =>
  given.query<{ start: Date; end: Date; important: boolean; topics: string[] }>(
    `select start_date as start, expire_date as end, important, topic_ids as topics from board_messages where message_id = $1`,
    [messageId],
  )

test('a message is added to an older board, published once as an event with its board, and removed', async () => {
  const messageId = await given.message('On the board')
  const topicIds = board.topicIds.join()
  expect((await add({ messageId, startDate: '2031-03-01 10:00:00', topicIds })).json).toEqual({ Result: true })
  const [row] = await rows(messageId)
  expect(row).toMatchObject({ important: false, topics: board.topicIds, start: new Date('2031-03-01T10:00:00Z') })
  expect(Number(row?.end) - Number(row?.start)).toBe(14 * day)
  expect((await service.reader(`GET /message/${messageId}`)).json.Message.IsBoardMessage).toBe(1)
  // Again: only the dates change, nothing is new.
  expect((await add({ messageId, important: 1, expireDate: '2031-05-01 00:00:00' })).status).toBe(200)
  expect(await rows(messageId)).toMatchObject([{ important: true, topics: [], end: new Date('2031-05-01T00:00:00Z') }])
  const published = await given.events('newAdvocacyMessage', messageId)
  expect(published).toMatchObject([
    { Message: { Id: messageId, IsBoardMessage: 1 }, Board: { Id: board.id, Status: 'active' } },
  ])
  const params = { body: { boardId: board.id, messageId } }
  expect((await service.publisher('DELETE /board-message', params)).json).toEqual({ Result: true })
  expect(await rows(messageId)).toEqual([])
  expect((await service.publisher('DELETE /board-message', params)).status).toBe(404)
})

test('invalid requests are rejected with a sentence', async () => {
  const messageId = await given.message('Refused')
  const refused = async (body: object) => {
    const { status, json } = await add({ messageId, ...body })
    return [status, json.Errors?.API.Error]
  }
  const stories = await given.board()
  const archived = await given.board({ kind: 'messages', status: 'archived' })
  expect(await refused({ boardId: 'brdabsent000000' })).toEqual([400, expect.stringContaining('boardId')])
  expect(await refused({ boardId: stories.id })).toEqual([400, expect.stringContaining('POST /story')])
  expect(await refused({ boardId: archived.id })).toEqual([409, expect.stringContaining('archived')])
  expect(await refused({ messageId: '005absent000000' })).toEqual([400, expect.stringContaining('messageId')])
  expect(await refused({ topicIds: 'tpcabsent000000' })).toEqual([400, expect.stringContaining('Topics')])
  const dates = { startDate: '2031-03-01 10:00:00', expireDate: '2031-03-01 10:00:00' }
  expect(await refused(dates)).toEqual([400, expect.stringContaining('expireDate')])
  expect((await add({ messageId }, service.reader)).status).toBe(403)
  expect(await rows(messageId)).toEqual([])
})
