import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { demoAdvocates, demoBoards, demoField, demoTopics } from '../demo/boards.demo.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const list = (query: string, as = service.reader) => as('GET /advocate', { query })
const query = (text: string, values: unknown[] = []) => ownerQuery(service.databaseUrl, text, values)
const boardId = demoBoards.withTopics

test('all advocates are listed briefly, those of a board with their activity', async () => {
  const { Items, Total } = (await list('')).json
  expect([Items.length, Total]).toEqual([25, demoAdvocates.length])
  expect(Object.keys(Items[0])).toEqual(['Id', 'Name', 'Email', 'PictureUrl', 'LastBoardLogin'])
  const onBoard = (await list(`boardId=${boardId}`)).json
  expect(onBoard.Total).toBe(25)
  expect(onBoard.Items[0]).toMatchObject({
    Name: 'Yara Santos',
    Email: 'yara.santos@example.com',
    PictureUrl: null,
    Shares: expect.any(Number),
    RoleId: 'contributor',
    Role: 'Contributor',
    Leaderboards: expect.any(Array),
    CustomFields: [
      { FieldId: demoField.id, FieldName: 'Department', Option: { Id: expect.any(String), Name: 'Sales' } },
    ],
  })
  expect((await list(`boardId=${boardId}&_count=50&_page=1`)).json).toMatchObject({ Items: [], Total: 25 })
  expect((await list('_count=10')).json.Errors.API.Error).toBe('Page size 10 is not valid. Use 25, 50 or 100.')
})

test('an email address finds one advocate, case-insensitively, on the board and everywhere', async () => {
  for (const where of ['', `&boardId=${boardId}`]) {
    expect((await list(`email=LIAM.byrne@example.com${where}`)).json).toMatchObject({
      Items: [{ Name: 'Liam Byrne' }],
      Total: 1,
    })
    expect((await list(`email=liam.byrne@example.co${where}`)).json.Total).toBe(0)
  }
})

test('last visits are filtered and returned on a board only', async () => {
  const board = (await service.admin('POST /app/api/boards', { body: { name: 'Seen' } })).json.Board.Id
  const days = [0.5, 3, 20, null]
  for (const [index, ago] of days.entries()) {
    const body = { boardId: board, email: `seen${index}@example.com`, firstName: `${index}`, lastName: 'x' }
    const { Id } = (await service.admin('POST /advocate', { body })).json.Users[0]
    const seen = ago === null ? new Date(0) : new Date(Date.now() - ago * 24 * 60 * 60 * 1000)
    await query('update board_members set last_seen = $3 where board_id = $1 and user_id = $2', [board, Id, seen])
  }
  const found = async (filter: string) => {
    const { Items, Total } = (await list(`boardId=${board}&${filter}`)).json
    expect(Items).toHaveLength(Total)
    return Items.map(({ Name }: { Name: string }) => Name[0]).join('')
  }
  expect(await found('')).toBe('3210')
  expect(await found('lastSeen=1')).toBe('0')
  expect(await found('lastSeen=10')).toBe('01')
  expect(await found('notSeen=10')).toBe('23')
  expect(await found('notSeen=1')).toBe('123')
  expect(await found('neverSeen=true')).toBe('3')
  expect(await found('neverSeen=false')).toBe('3210')
  expect(await found('lastSeen=10&notSeen=1')).toBe('1')
  expect(await found('lastSeen=365&neverSeen=1')).toBe('')
  const { LastSeen } = (await list(`boardId=${board}&neverSeen=1`)).json.Items[0]
  expect(LastSeen).toBe('0000-00-00 00:00:00')
  for (const [filter, sentence] of [
    ['lastSeen=0', 'lastSeen must be a whole number from 1 to 365.'],
    ['notSeen=366', 'notSeen must be a whole number from 1 to 365.'],
    ['neverSeen=maybe', 'neverSeen must be 1, 0, true or false.'],
  ]) {
    const { status, json } = await list(`boardId=${board}&${filter}`)
    expect([status, json.Errors?.API.Error]).toEqual([400, sentence])
  }
  const ignored = await list('lastSeen=0&notSeen=x&neverSeen=maybe')
  expect([ignored.status, ignored.json.Total], 'not even read').toEqual([200, (await list('')).json.Total])
  const absent = await list('boardId=brdabsent000000')
  expect([absent.status, absent.json.Errors.API.Error]).toEqual([400, 'boardId names no board: "brdabsent000000".'])
})

test('one advocate is returned with boards and profiles, on a board also with topics and shares', async () => {
  const { id, boardIds } = demoAdvocates[2] ?? { id: '', boardIds: [] }
  await query(
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status, board_only)
    values ($1, '003-1-own', now(), now(), $2, 'LinkedIn', 'own', 'member', 'Own', 'own', '', 'valid', true),
      ($1, '003-1-shared', now(), now(), $2, 'LinkedIn', 'shared', 'member', 'Shared', 'shared', '', 'valid', false)`,
    [demoAccount, id],
  )
  const { Advocate } = (await service.reader(`GET /advocate/${id}`)).json
  expect(Advocate).toMatchObject({
    Id: id,
    Status: 'active',
    Name: 'Tomas Hajek',
    FirstName: 'Tomas',
    LastName: 'Hajek',
    BoardIds: boardIds,
    Profiles: expect.arrayContaining([
      expect.objectContaining({
        Id: '003-1-own',
        Name: 'Own',
        Status: 'valid',
        Network: 'LinkedIn',
        NetworkUsername: 'own',
      }),
    ]),
  })
  expect(Advocate.Topics ?? Advocate.LatestShares).toBeUndefined()
  await query(
    `insert into shares (account_id, id, created, modified, user_id, board_id, story_id, message_id, campaign_id, credential_id, network, type, message, media_ids, start_date_time, status)
    select $1, '0shtest' || lpad(n::text, 8, '0'), now() + n * interval '1 second', now(), $2, $3, '', '005demo00000001', '002demo00000001', '003-1-own', 'LinkedIn', 'status-update', 'Words ' || n, '{026demo00000001,026absent000000}', now(), 'complete'
    from generate_series(1, 12) n`,
    [demoAccount, id, boardId],
  )
  await query(
    `insert into counters (account_id, of_kind, of_id, name, value, last) values ($1, 'advocate', $2, 'shares', 12, now())
    on conflict (account_id, of_kind, of_id, name) do update set value = counters.value + 12`,
    [demoAccount, `${boardId} ${id}`],
  )
  const advocate = (await service.reader(`GET /advocate/${id}`, { query: `boardId=${boardId}` })).json.Advocate
  expect(advocate.Topics.every((topic: string) => demoTopics.some((known) => known.id === topic))).toBe(true)
  expect(advocate.LatestShares).toHaveLength(10)
  expect(advocate.LatestShares[0]).toMatchObject({
    Id: '0shtest00000012',
    CreatedBy: id,
    Network: 'LinkedIn',
    CredentialId: '003-1-own',
    Message: 'Words 12',
    Media: [{ Id: '026demo00000001' }],
    EndDateTime: '0000-00-00 00:00:00',
    Source: 'Board',
    Status: 'complete',
    Picture: null,
  })
  await query(
    `update shares set image_url = 'https://example.com/hut.jpg' where account_id = $1 and id = '0shtest00000012'`,
    [demoAccount],
  )
  const again = (await service.reader(`GET /advocate/${id}`, { query: `boardId=${boardId}` })).json.Advocate
  expect(again.LatestShares[0].Picture).toBe('https://example.com/hut.jpg')
  const [listed] = (await list(`boardId=${boardId}&email=tomas.hajek@example.com`)).json.Items
  expect(listed.Shares).toBeGreaterThanOrEqual(12)
  const other = await service.reader(`GET /advocate/${id}`, { query: `boardId=${demoBoards.nearlyFull}` })
  expect([other.status, other.json.Errors.API.Error]).toEqual([404, 'Advocate not found.'])
  expect((await service.reader('GET /advocate/00Ademo00000003')).status, 'a user on no board').toBe(404)
})

test('removing an advocate frees a seat and their settings, and advocates hidden by teams are not found', async () => {
  const subscribers = async () =>
    (await service.reader('GET /board-topic', { query: `boardId=${boardId}` })).json.Items.reduce(
      (sum: number, topic: { Subscribers: string }) => sum + Number(topic.Subscribers),
      0,
    )
  const { id } = demoAdvocates[5] ?? { id: '' }
  const chosen = (await service.reader(`GET /advocate/${id}`, { query: `boardId=${boardId}` })).json.Advocate.Topics
  expect(chosen.length).toBeGreaterThan(0)
  const before = await subscribers()
  const remove = (as: typeof service.admin) => as(`DELETE /advocate/${id}`, { body: { boardId } })
  expect((await remove(service.contributor)).status).toBe(403)
  expect((await remove(service.publisher)).json).toEqual({ Result: true })
  expect(await subscribers()).toBe(before - chosen.length)
  expect((await service.reader(`GET /board/${boardId}`)).json.Board.UsersCount).toBe(24)
  expect((await remove(service.publisher)).status).toBe(404)
  expect((await service.publisher(`DELETE /advocate/${id}`)).json.Errors.API.Error).toBe(
    'Missing value for parameter boardId.',
  )

  const board = (await service.admin('POST /app/api/boards', { body: { name: 'Hidden' } })).json.Board.Id
  const body = { boardId: board, email: 'hidden@example.com', firstName: 'Hid', lastName: 'Den' }
  const hidden = (await service.admin('POST /advocate', { body })).json.Users[0].Id
  const totals = async () => [
    (await list('', service.admin)).json.Total,
    (await list('', service.publisher)).json.Total,
  ]
  const [all] = await totals()
  expect(await totals()).toEqual([all, all])
  await service.admin(`POST /team-entity/${board}`, { body: { teamIds: '025demo00000002' } })
  expect(await totals()).toEqual([all, all - 1])
  expect((await service.publisher(`GET /advocate/${hidden}`)).status).toBe(404)
  expect((await list(`boardId=${board}`, service.publisher)).status).toBe(400)
  expect((await service.reader(`GET /advocate/${hidden}`)).json.Advocate.BoardIds).toEqual([board])
})
