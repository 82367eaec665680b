import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import { demoPage, serial } from '../../../tests/contract/examples.ts'
import type { TestService } from '../../../tests/support/service.ts'
import { newPost } from '../publishing/publishing.contract.fixture.ts'

export const contract: AreaContract = {
  examples: {
    'GET /dashboard/{id}': async (service) => ({ id: await newDashboard(service) }),
    'GET /dashboard': () => ({}),
    'GET /dashboard/{dashboardId}/report': async (service) => {
      const id = await newDashboard(service)
      return { id, body: { id: await newWidget(service, id), filter: { network: 'LinkedIn' } } }
    },
    'GET /analytics/{id}': async (service) => ({ id: await newPost(service) }),
    'GET /followers/{id}': () => ({ id: demoPage }),
    'GET /bi-export': () => ({}),
    'GET /bi-export/{id}': async (service) => ({ id: await newExport(service) }),
    'GET /app/api/dashboard/{id}': async (service) => ({ id: await newDashboard(service) }),
    'GET /app/api/dashboard/{dashboardId}/report': async (service) => {
      const id = await newDashboard(service)
      return { id, body: { id: await newWidget(service, id) } }
    },
    'POST /app/api/dashboard': () => ({ body: { name: 'Example' } }),
    'PUT /app/api/dashboard/{id}': async (service) => ({ id: await newDashboard(service), body: { name: 'Renamed' } }),
    'DELETE /app/api/dashboard/{id}': async (service) => ({ id: await newDashboard(service) }),
    'POST /app/api/dashboard/{id}/copy': async (service) => ({ id: await newDashboard(service) }),
    'POST /app/api/dashboard/{id}/favorite': async (service) => ({
      id: await newDashboard(service),
      body: { isFavorite: 1 },
    }),
    'POST /app/api/dashboard/{id}/widget': async (service) => ({ id: await newDashboard(service), body: widget }),
    'PUT /app/api/widget/{id}': async (service) => ({
      id: await newWidget(service, await newDashboard(service)),
      body: { name: 'Renamed' },
    }),
    'DELETE /app/api/widget/{id}': async (service) => ({ id: await newWidget(service, await newDashboard(service)) }),
    'POST /app/api/report': () => ({ body: { source: 'click', measures: ['clicks'], dimension: 'campaign' } }),
    'GET /app/api/report/catalogue': () => ({}),
    'GET /app/api/exports': () => ({}),
    'POST /app/api/exports': () => ({ body: exportDraft() }),
    'GET /app/api/exports/{id}': async (service) => ({ id: await newExport(service) }),
    'PUT /app/api/exports/{id}': async (service) => ({ id: await newExport(service), body: { hour: 9 } }),
    'DELETE /app/api/exports/{id}': async (service) => ({ id: await newExport(service) }),
    'POST /app/api/exports/{id}/run': async (service) => ({ id: await newExport(service) }),
    'GET /app/api/exports/{id}/runs': async (service) => ({ id: await newExport(service) }),
  },
  entities: {
    dashboard: ({ made, name }) => made('POST /app/api/dashboard', { name }, 'Dashboard'),
    widget: async ({ made, entity }) =>
      made(`POST /app/api/dashboard/${await entity('dashboard')}/widget`, widget, 'Widget'),
    export: ({ as }) => newExport({ admin: as }),
  },
  ineffective: Object.fromEntries([
    ...['', '/app/api'].flatMap((base) =>
      ['dashboardId', 'id'].map((name) => [
        `GET ${base}/dashboard/{dashboardId}/report ${name}`,
        'A widget belongs to one dashboard, and the example’s is another.',
      ]),
    ),
    ...['profile', 'campaign', 'tag', 'team', 'author', 'board', 'advocate'].flatMap((name) =>
      [
        `GET /dashboard/{dashboardId}/report filter.${name}`,
        `GET /app/api/dashboard/{dashboardId}/report filter.${name}`,
        `POST /app/api/report filters.${name}`,
      ].map((reference) => [reference, 'A filter without matches returns zeros.']),
    ),
  ]),
  restrictedReads: ['GET /app/api/exports', 'GET /app/api/exports/{id}', 'GET /app/api/exports/{id}/runs'],
  listPlans: {
    rows: ({ each }) => [
      `insert into exports (account_id, id, created, modified, created_by, type, destination_type, destination, status, frequency, weekday, month_day, hour, timezone, time_range, last_run)
      select account_id, '032b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', case when n % 2 = 0 then 'Posts' else 'Clicks' end, case when n % 3 = 0 then 'FTP' else 'email' end, '{}', case when n % 50 = 0 then 'inactive' else 'active' end, case when n % 4 = 0 then 'weekly' else 'daily' end, 1, 1, 6, 'UTC', 'yesterday', now() - n * interval '1 hour' from ${each}`,
      `insert into export_runs (account_id, id, export_id, created, created_by, starts, ends, status)
      select account_id, '0erb' || lpad(n::text, 11, '0'), '032b' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 minute', '', now(), now(), 'done' from ${each}`,
      `insert into dashboard_favorites (account_id, user_id, dashboard_id)
      select account_id, '00Ab' || lpad((n % 10 + 1)::text, 11, '0'), 'dshb' || lpad(n::text, 11, '0') from ${each}`,
      `insert into dashboards (account_id, id, created, modified, created_by, name, visibility, range)
      select account_id, 'dshb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), 'Dashboard ' || (n * 7919 % 10000), case n % 5 when 0 then 'private' else 'shared' end, '{"name": "last30Days"}' from ${each}`,
    ],
    lists: (orders) => ({
      '/dashboard': [
        '',
        '_page=10',
        'search=board1',
        'visibility=private',
        ...orders('created', 'createdOn', 'name', 'description', 'visibility', 'createdBy', 'creatorName'),
      ],
      '/bi-export': ['', 'status=inactive', ...orders('type', 'status', 'dest', 'last', 'freq')],
      '/app/api/exports/032b00000000007/runs': ['', '_page=2', ...orders('created')],
    }),
    sorted: ['from "exports"', 'from "dashboards"'],
  },
  notified: [{ kind: 'dashboard', table: 'dashboards', unseen: [] }],
}

const newDashboard = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /app/api/dashboard', { body: { name: `Example ${serial()}` } })).json.Dashboard.Id

const widget = { name: 'Example', chartType: 'line', source: 'click', measures: ['clicks'], unit: 'day' }

const newWidget = async ({ admin }: TestService, dashboardId: string): Promise<string> =>
  (await admin(`POST /app/api/dashboard/${dashboardId}/widget`, { body: widget })).json.Widget.Id

/** Makes no external call before it is run. */
const exportDraft = () => ({
  type: 'Posts',
  destinationType: 'email',
  status: 'inactive',
  destination: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Marsh' },
})

const newExport = async ({ admin }: Pick<TestService, 'admin'>): Promise<string> =>
  (await admin('POST /app/api/exports', { body: exportDraft() })).json.Export.Id
