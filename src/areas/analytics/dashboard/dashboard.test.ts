import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { chartTypes } from './dashboard-shape.ts'
import { templates } from './templates.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const make = (body: object, as = service.publisher) => as('POST /app/api/dashboard', { body })
const widget = { name: 'Clicks', chartType: 'bar', source: 'click', measures: ['clicks'], dimension: 'network' }
const names = (json: { Items: { Name: string }[] }) => json.Items.map(({ Name }) => Name)

test('every account starts with the same dashboards, and every widget returns a report', async () => {
  for (const as of [service.admin, service.otherAdmin]) {
    const { json } = await as('GET /dashboard', { body: { _order: 'name,1' } })
    expect(names(json)).toEqual(templates.map(({ name }) => name).toSorted())
    expect(json).toMatchObject({ Total: 3, TotalUnfiltered: 3 })
    const { User } = (await as('GET /me')).json
    for (const { CreatedBy, CreatorName } of json.Items) expect([CreatedBy, CreatorName]).toEqual([User.Id, User.Name])
    for (const { Id } of json.Items) {
      const { Dashboard } = (await as(`GET /dashboard/${Id}`)).json
      expect(Dashboard).toMatchObject({ Id, Type: 'template', Visibility: 'shared', Teams: [] })
      for (const one of Dashboard.Widgets) {
        const { status, json: report } = await as(`GET /dashboard/${Id}/report`, { body: { id: one.Id } })
        expect([status, Array.isArray(report.Data), typeof report.Entities]).toEqual([200, true, 'object'])
        expect(Object.keys(report)).toEqual(['Result', 'Data', 'Entities'])
      }
    }
  }
  const charts = new Set(templates.flatMap(({ widgets }) => widgets.map(({ chartType }) => chartType)))
  expect([...charts].toSorted()).toEqual([...chartTypes].toSorted())
})

test('a dashboard has the format of the contract, in the list and alone', async () => {
  const { Dashboard } = (await make({ name: 'Spring', description: 'What came of it' })).json
  await service.publisher(`POST /app/api/dashboard/${Dashboard.Id}/widget`, { body: widget })
  expect((await service.reader(`GET /dashboard/${Dashboard.Id}`)).json).toEqual({
    Result: true,
    Dashboard: {
      Id: expect.stringMatching(/^dsh\w{12}$/),
      Name: 'Spring',
      Description: 'What came of it',
      Type: 'custom',
      Visibility: 'shared',
      Teams: [],
      Widgets: [
        {
          Id: expect.stringMatching(/^wdg\w{12}$/),
          Type: 'report',
          Name: 'Clicks',
          Description: '',
          ChartType: 'bar',
          Source: 'click',
          X: 0,
          Y: 0,
          Width: 6,
          Height: 4,
        },
      ],
    },
  })
  const { json } = await service.reader('GET /dashboard', { body: { search: 'PRIN' } })
  expect(json).toEqual({
    Result: true,
    Total: 1,
    TotalUnfiltered: 4,
    Items: [
      {
        Id: Dashboard.Id,
        Name: 'Spring',
        Description: 'What came of it',
        Visibility: 'shared',
        CreatedBy: '00Ademo00000002',
        Created: expect.any(String),
        IsFavorite: false,
        CreatorName: 'Pablo Reyes',
        LinkSharingVisibility: 'none',
      },
    ],
  })
})

test('private dashboards are visible to their creator, team dashboards to the team, its creator and admins', async () => {
  const mine = (await make({ name: 'Mine', visibility: 'private' })).json.Dashboard.Id
  const europe = (await make({ name: 'Europe only', teamIds: '025demo00000001' })).json.Dashboard.Id
  const canSee = async (as: typeof service.admin, id: string) => (await as(`GET /dashboard/${id}`)).status === 200
  expect([await canSee(service.publisher, mine), await canSee(service.admin, mine)]).toEqual([true, false])
  expect([await canSee(service.admin, europe), await canSee(service.publisher, europe)]).toEqual([true, true])
  expect([await canSee(service.reader, europe), await canSee(service.contributor, europe)]).toEqual([false, false])
  await ownerQuery(service.databaseUrl, 'delete from dashboard_teams where account_id = $1', [demoAccount])
  expect([await canSee(service.reader, europe), await canSee(service.publisher, europe)]).toEqual([false, true])
})

test('a report uses the dates and filters of its dashboard, and more, as JSON, in brackets or as an object', async () => {
  const filters = { network: ['LinkedIn', 'Facebook'] }
  const { Id } = (await make({ name: 'Filtered', range: 'last90Days', filters })).json.Dashboard
  const { Widget } = (await service.publisher(`POST /app/api/dashboard/${Id}/widget`, { body: widget })).json
  const networks = async (filter: string) => {
    const { status, json } = await service.reader(`GET /dashboard/${Id}/report?id=${Widget.Id}${filter}`)
    expect(status).toBe(200)
    return json.Data.map(({ Network }: { Network: string }) => Network).toSorted()
  }
  expect(await networks('')).toEqual(['Facebook', 'LinkedIn'])
  const linkedIn = { network: 'linkedin' }
  for (const filter of [
    `&filter=${encodeURIComponent(JSON.stringify(linkedIn))}`,
    '&filter[network]=LinkedIn',
    '&filter[network][]=LinkedIn&filter[network][]=Twitter',
  ])
    expect(await networks(filter)).toEqual(['LinkedIn'])
  expect(await networks('&filter[from]=2001-01-01&filter[to]=2001-02-01')).toEqual([])
  const wrong = await service.reader(`GET /dashboard/${Id}/report?id=${Widget.Id}&filter=nothing`)
  expect(wrong.status).toBe(400)
  const absent = await service.reader(`GET /dashboard/${Id}/report?id=wdgabsent000000`)
  expect([absent.status, absent.json.Errors.API.Error]).toEqual([
    400,
    'id names no widget of this dashboard: "wdgabsent000000".',
  ])
})

test('the console also gets the covered days and the data source', async () => {
  const { Id } = (await make({ name: 'With its basis', range: 'last90Days' })).json.Dashboard
  const { Widget } = (await service.publisher(`POST /app/api/dashboard/${Id}/widget`, { body: widget })).json
  const query = `id=${Widget.Id}&filter[from]=2001-01-01&filter[to]=2001-02-01`
  const contract = (await service.reader(`GET /dashboard/${Id}/report`, { query })).json
  const console = (await service.reader(`GET /app/api/dashboard/${Id}/report`, { query })).json
  const Report = { From: '2001-01-01', To: '2001-02-01', Timezone: 'Asia/Tokyo', Basis: 'rollups' }
  expect(console).toEqual({ ...contract, Report })
})

test('widgets are changed, moved and removed, dashboards copied, marked as favorites and deleted', async () => {
  const { Id } = (await make({ name: 'Changing' })).json.Dashboard
  const { Widget } = (await service.publisher(`POST /app/api/dashboard/${Id}/widget`, { body: widget })).json
  const changed = await service.publisher(`PUT /app/api/widget/${Widget.Id}`, {
    body: { y: 7, measures: ['boardClicks'], unit: 'week' },
  })
  expect(changed.json.Widget).toMatchObject({
    Y: 7,
    Name: 'Clicks',
    Report: { measures: ['boardClicks'], unit: 'week', dimension: 'network' },
  })
  expect((await service.publisher(`PUT /app/api/widget/${Widget.Id}`, { body: { source: 'inbox' } })).status).toBe(400)
  const copy = (await service.contributor(`POST /app/api/dashboard/${Id}/copy`)).json.Dashboard
  expect(copy).toMatchObject({
    Name: 'Changing (copy)',
    Visibility: 'private',
    CreatorName: 'Chidi Okafor',
    Widgets: [{ Y: 7 }],
  })
  expect((await service.publisher(`GET /dashboard/${copy.Id}`)).status).toBe(404)
  await service.publisher(`POST /app/api/dashboard/${Id}/favorite`, { body: { isFavorite: 1 } })
  const favorite = async (as: typeof service.admin) =>
    (await as(`GET /app/api/dashboard/${Id}`)).json.Dashboard.IsFavorite
  expect([await favorite(service.publisher), await favorite(service.admin)]).toEqual([true, false])
  expect((await service.publisher(`DELETE /app/api/widget/${Widget.Id}`)).json).toEqual({ Result: true })
  expect((await service.publisher(`DELETE /app/api/dashboard/${Id}`)).json).toEqual({ Result: true })
  expect((await service.publisher(`GET /dashboard/${Id}`)).status).toBe(404)
})
