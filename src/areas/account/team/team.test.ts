import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const pablo = '00Ademo00000002'
const newTeam = async (name: string): Promise<string> =>
  (await service.admin('POST /team', { body: { name } })).json.Team.Id
const teamsOf = async (entity: string): Promise<string[]> =>
  (await service.admin(`GET /team-entity/${entity}`)).json.Items.map((team: { Name: string }) => team.Name)

describe('a team', () => {
  test('is created, read, renamed and deleted', async () => {
    const { json } = await service.admin('POST /team', { body: 'name=Launch+crew' })
    expect(json).toEqual({
      Result: true,
      Team: {
        Id: expect.stringMatching(/^025\w{12}$/),
        Created: expect.any(String),
        Modified: expect.any(String),
        Name: 'Launch crew',
      },
    })
    const { Id } = json.Team
    expect((await service.reader(`GET /team/${Id}`)).json).toEqual(json)
    expect((await service.admin(`POST /team/${Id}`, { body: { name: 'Landing crew' } })).json.Team.Name).toBe(
      'Landing crew',
    )
    expect((await service.admin(`DELETE /team/${Id}`)).json).toEqual({ Result: true })
    for (const route of [`GET /team/${Id}`, `DELETE /team/${Id}`])
      expect((await service.admin(route)).json.Errors.API.Error).toBe('Team not found.')
    expect((await service.admin(`POST /team/${Id}`, { body: { name: 'x' } })).status).toBe(404)
  })

  test('needs a name', async () => {
    expect((await service.admin('POST /team')).json.Errors.API.Error).toBe('Missing value for parameter name.')
    expect((await service.admin('POST /team', { body: 'name=' })).json.Errors.API.Error).toBe('name must not be empty.')
  })

  test('is in the list, whole or by page', async () => {
    for (let number = 0; number < 30; number++) await newTeam(`Team ${number}`)
    const { json: all } = await service.reader('GET /team')
    expect(all.Items.length).toBe(all.Total)
    expect(all.Total).toBeGreaterThanOrEqual(32)
    const pages = await Promise.all(
      [0, 1, 2, 3].map((page) => service.reader('GET /team', { query: `_page=${page}&_count=10` })),
    )
    const paged = pages.flatMap(({ json }) => json.Items)
    expect(paged).toEqual(all.Items.slice(0, 40))
    expect(pages.every(({ json }) => json.Total === all.Total)).toBe(true)
    expect((await service.reader('GET /team', { query: '_count=101' })).json.Errors.API.Error).toBe(
      'Page size 101 is not valid. Use 1 to 100.',
    )
  })
})

describe('the teams of a user', () => {
  test('are assigned and removed with every encoding of a list', async () => {
    const [one, two, three] = [await newTeam('One'), await newTeam('Two'), await newTeam('Three')]
    const encodings = [
      { body: `teamIds=${one},${two}` },
      { body: `teamIds[]=${one}&teamIds[]=${two}` },
      { body: `teamIds%5B0%5D=${one}&teamIds%5B1%5D=${two}` },
      { body: `teamIds=${one}&teamIds=${two}` },
      { body: `teamIds=${encodeURIComponent(JSON.stringify([one, two]))}` },
      { body: { teamIds: [one, two] } },
      { body: { teamIds: `${one}, ${two}` } },
      { body: { TEAMIDS: [one, two] } },
      { query: `teamIds=${one},${two}` },
      { query: `teamIds[]=${one}&teamIds[]=${two}` },
    ]
    for (const encoding of encodings) {
      expect((await service.admin(`POST /team-entity/${pablo}`, encoding)).json).toEqual({ Result: true })
      expect((await teamsOf(pablo)).sort()).toEqual(['Europe', 'One', 'Two'])
      expect((await service.admin(`DELETE /team-entity/${pablo}`, encoding)).json).toEqual({ Result: true })
      expect(await teamsOf(pablo)).toEqual(['Europe'])
    }
    await service.admin(`POST /team-entity/${pablo}`, { query: `teamIds=${one}`, body: { teamIds: three } })
    expect((await teamsOf(pablo)).sort(), 'the body takes precedence over the query').toEqual(['Europe', 'Three'])
  })

  test('are listed with a total and removed with the team', async () => {
    const doomed = await newTeam('Doomed')
    await service.admin(`POST /team-entity/${pablo}`, { body: { teamIds: doomed } })
    const { json } = await service.reader(`GET /team-entity/${pablo}`)
    expect(json.Total).toBe(json.Items.length)
    await service.admin(`DELETE /team/${doomed}`)
    expect(await teamsOf(pablo)).not.toContain('Doomed')
  })

  test.each([
    [{}, 'Missing value for parameter teamIds.'],
    [{ teamIds: '' }, 'teamIds must name at least one team.'],
    [{ teamIds: 'Europe' }, 'teamIds must hold ids that start with 025; "Europe" is not one.'],
    [{ teamIds: '025demo00000003' }, 'teamIds names 025demo00000003, but there is no such team.'],
    [{ teamIds: { a: 1 } }, 'teamIds must be a single value.'],
  ])('refuse %j', async (body, sentence) => {
    for (const verb of ['POST', 'DELETE']) {
      const { status, json } = await service.admin(`${verb} /team-entity/${pablo}`, { body })
      expect([status, json.Errors.API.Error]).toEqual([400, sentence])
    }
  })

  test('belong to existing entities; others are not found', async () => {
    for (const entity of ['00Ademo00000005', '00Aabsent000000', '002absent000000', 'nonsense', '%00']) {
      const { status, json } = await service.admin(`GET /team-entity/${entity}`)
      expect([status, json.Errors.API.Error]).toEqual([404, 'Entity not found.'])
    }
  })
})

test('teams list their users and entities as far as the caller may see them', async () => {
  const team = (await service.admin('POST /team', { body: { name: 'Aaa contents' } })).json.Team.Id
  const campaign = (await service.admin('POST /campaign', { body: { name: 'Hidden' } })).json.Campaign.Id
  for (const entity of [campaign, '00Ademo00000004'])
    await service.admin(`POST /team-entity/${entity}`, { body: { teamIds: team } })
  const counted = async (as = service.admin) =>
    (await as('GET /app/api/team')).json.Items.find(({ Id }: { Id: string }) => Id === team)
  const inside = async (as = service.admin) => (await as(`GET /app/api/team/${team}/entity`)).json.Items
  const seen = [
    { Id: '00Ademo00000004', Kind: 'user', Name: 'Rina Sato' },
    { Id: campaign, Kind: 'campaign', Name: 'Hidden' },
  ]
  for (const as of [service.admin, service.reader]) {
    expect(await counted(as)).toMatchObject({ Name: 'Aaa contents', Users: 1, Campaigns: 1, Workflows: 0, Boards: 0 })
    expect(await inside(as)).toEqual(seen)
  }
  expect(await counted(service.publisher)).toMatchObject({ Users: 1, Campaigns: 0 })
  expect(await inside(service.publisher)).toEqual(seen.slice(0, 1))
  expect((await service.otherAdmin(`GET /app/api/team/${team}/entity`)).status).toBe(404)
  expect(JSON.stringify((await service.otherAdmin('GET /app/api/team')).json)).not.toContain(team)
  await service.admin(`DELETE /team/${team}`)
})
