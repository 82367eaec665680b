import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

/** In summer: London is an hour ahead of UTC. */
const summer = new Date('2027-07-14T12:00:00Z')
let moment = new Date()
let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => moment }, environment: { CHORUS_ROLES: 'api' } })
  // Only after the demo exists: it is created for the current date.
  moment = summer
})
afterAll(() => service.stop())

const make = (body: object, as = service.publisher) => as('POST /app/api/boards', { body })
const change = (id: string, body: object) => service.publisher(`POST /app/api/boards/${id}`, { body })
const problem = (response: { status: number; json: { Errors: { API: { Error: string } } } }) => [
  response.status,
  response.json.Errors.API.Error,
]

test('a board is created with its settings and returned as in the contract', async () => {
  const { status, json } = await make({
    name: 'Voices of the coast',
    seats: 40,
    color: '#a1b2c3',
    defaultExpiration: 'in_10_days',
    notificationsDay: 2,
    notificationsHour: 10,
    notificationsZone: 'Europe/London',
    signUpEnabled: 1,
    signUpDomains: ['Example.com', 'example.org'],
    terms: 'Be kind.',
    allowsSuggestions: true,
    logoId: '026demo00000001',
    dailyCaps: { LinkedIn: 50, Twitter: '' },
  })
  expect(status, JSON.stringify(json)).toBe(200)
  const { Id } = json.Board
  expect(json.Board).toMatchObject({
    Id: expect.stringMatching(/^brd\w{12}$/),
    Kind: 'stories',
    Seats: 40,
    Members: 0,
    Slug: 'voices-of-the-coast',
    SignUpDomains: ['example.com', 'example.org'],
    DailyCaps: { LinkedIn: 50 },
    NeedsPassword: true,
    DefaultRole: 'contributor',
    LeaderboardPeriod: 'month',
    ShareWindow: 60,
    CustomFields: [],
  })
  expect((await service.reader(`GET /app/api/boards/${Id}`)).json.Board).toEqual(json.Board)
  expect((await service.reader(`GET /board/${Id}`)).json).toEqual({
    Result: true,
    Board: {
      Id,
      Name: 'Voices of the coast',
      Status: 'active',
      Created: '2027-07-14 12:00:00',
      UsersCount: 0,
      Config: {
        Color: '#A1B2C3',
        DefaultExpiration: 'in_10_days',
        IconId: '',
        LogoId: '026demo00000001',
        IsAllowSuggestionsEnabled: true,
        IsLeaderboardEnabled: true,
        LogoPosition: 'center',
        NotificationsDay: '2',
        NotificationsEnabled: true,
        NotificationsTimeUTC: '9',
        PostAddress: '',
        SignUpDomains: ['example.com', 'example.org'],
        SignUpEnabled: true,
        Slug: 'voices-of-the-coast',
        Terms: 'Be kind.',
      },
    },
  })
  await change(Id, { signUpDomains: '', notificationsDay: '', seats: '' })
  const changed = (await service.reader(`GET /app/api/boards/${Id}`)).json.Board
  expect([changed.Seats, changed.NotificationsDay, changed.Name]).toEqual([null, null, 'Voices of the coast'])
  const { Config } = (await service.reader(`GET /board/${Id}`)).json.Board
  expect([Config.SignUpDomains, Config.NotificationsDay, Config.Color]).toEqual([false, null, '#A1B2C3'])
})

test('invalid requests are rejected with a sentence, and readers and contributors change nothing', async () => {
  const refused: [object, string][] = [
    [{}, 'Missing value for parameter name.'],
    [{ name: 'x', color: 'red' }, 'color must be a colour such as #2F6F4E.'],
    [{ name: 'x', defaultExpiration: 'tomorrow' }, 'defaultExpiration must be such as in_6_months or in_10_days.'],
    [{ name: 'x', notificationsZone: 'Mars/Olympus' }, 'notificationsZone must be an IANA time zone name'],
    [{ name: 'x', notificationsHour: 24 }, 'notificationsHour must be a whole number from 0 to 23.'],
    [{ name: 'x', dailyCaps: { Myspace: 1 } }, 'dailyCaps can name Facebook, Instagram'],
    [
      { name: 'x', signUpDomains: 'nonsense' },
      'signUpDomains must hold domains such as example.com; "nonsense" is none.',
    ],
    [{ name: 'x', logoId: '026demo00000005' }, 'logoId names no image of the media library: "026demo00000005".'],
    [{ name: 'x', slug: '-x' }, 'slug must be 2 to 64 letters, digits and hyphens'],
  ]
  for (const [body, sentence] of refused)
    expect(problem(await make(body))).toEqual([400, expect.stringContaining(sentence)])
  for (const as of [service.contributor, service.reader]) expect((await make({ name: 'x' }, as)).status).toBe(403)
})

test('slugs are unique across accounts and derived from the board’s name', async () => {
  const first = (await make({ name: 'Über uns!' })).json.Board
  const second = (await make({ name: 'Uber uns' }, service.otherAdmin)).json.Board
  expect([first.Slug, second.Slug]).toEqual(['uber-uns', 'uber-uns-2'])
  expect((await make({ name: '户外' })).json.Board.Slug).toBe('board')
  expect((await make({ name: '户外' }, service.otherAdmin)).json.Board.Slug).toBe('board-2')
  const taken = await make({ name: 'x', slug: 'uber-uns' }, service.otherAdmin)
  expect(problem(taken)).toEqual([409, expect.stringContaining('"uber-uns" is taken')])
  await change(first.Id, { slug: 'about-us' })
  expect((await make({ name: 'x', slug: 'uber-uns' }, service.otherAdmin)).status).toBe(200)
})

test('custom fields and their options keep their ids as long as they keep their names', async () => {
  const field = { name: 'Team', options: ['Sales', 'Shop'] }
  const { Id, CustomFields } = (await make({ name: 'Fields', customFields: [field] })).json.Board
  const [team] = CustomFields
  expect(team).toMatchObject({ Name: 'Team', Options: [{ Name: 'Sales' }, { Name: 'Shop' }] })
  const later = [
    { name: 'Country', options: 'Peru,Chile' },
    { name: 'team', options: ['Shop', 'Workshop'] },
  ]
  const [country, same] = (await change(Id, { customFields: later })).json.Board.CustomFields
  expect(country.Options.map(({ Name }: { Name: string }) => Name)).toEqual(['Peru', 'Chile'])
  expect([same.Id, same.Options[0]]).toEqual([team.Id, team.Options[1]])
  expect(same.Options[1].Id).not.toBe(team.Options[0].Id)
})

test('a team’s board and its topics are visible to that team and to admins only', async () => {
  const { Id } = (await make({ name: 'Apart' }, service.admin)).json.Board
  await service.admin('POST /board-topic', { body: { boardId: Id, name: 'Apart' } })
  const names = async (as: typeof service.admin, route: string): Promise<string[]> =>
    (await as(route)).json.Items.map(({ Name }: { Name: string }) => Name)
  const assigned = await service.admin(`POST /team-entity/${Id}`, { body: { teamIds: '025demo00000002' } })
  expect(assigned.json).toEqual({ Result: true })
  for (const route of ['GET /board', 'GET /board-topic']) {
    expect(await names(service.admin, route)).toContain('Apart')
    expect(await names(service.reader, route), 'of the team').toContain('Apart')
    expect(await names(service.publisher, route)).not.toContain('Apart')
  }
  const absent = await service.publisher('GET /board/brdabsent000000')
  expect((await service.publisher(`GET /board/${Id}`)).text).toBe(absent.text)
  expect((await change(Id, { name: 'Mine' })).status).toBe(404)
  expect((await service.publisher(`GET /team-entity/${Id}`)).status).toBe(404)
})

test('an archived board stays readable and accepts nothing new', async () => {
  const { Id } = (await make({ name: 'Over' })).json.Board
  expect((await change(Id, { status: 'archived' })).json.Board.Status).toBe('archived')
  const topic = await service.publisher('POST /board-topic', { body: { boardId: Id, name: 'Late' } })
  expect(problem(topic)).toEqual([409, 'The board "Over" is archived. Make it active first.'])
  await change(Id, { status: 'active' })
  expect((await service.publisher('POST /board-topic', { body: { boardId: Id, name: 'Late' } })).status).toBe(200)
})

test('boards are paginated on request, and returned at once otherwise', async () => {
  const { Items, Total } = (await service.admin('GET /board')).json
  expect(Items).toHaveLength(Total)
  const ids = Items.map((board: { Id: string }) => board.Id)
  const page = (await service.admin('GET /board', { query: '_page=1&_count=2' })).json
  expect([page.Items.map((board: { Id: string }) => board.Id), page.Total]).toEqual([ids.slice(2, 4), Total])
})
