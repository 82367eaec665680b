import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const keep = (name: string, search: string, as = service.publisher) =>
  as('POST /app/api/saved-view', { body: { screen: 'calendar', name, search } })
const savedViews = async (as = service.publisher) =>
  (await as('GET /app/api/saved-view', { query: 'screen=calendar' })).json.Items.map(
    ({ Name, Search }: { Name: string; Search: string }) => [Name, Search],
  )

test('filters are saved under a name and replaced under the same one, also by readers, for their user only', async () => {
  const { json } = await keep('Went wrong', 'status=failed')
  expect(json.View).toMatchObject({ Screen: 'calendar', Name: 'Went wrong', Search: 'status=failed' })
  expect((await keep('went WRONG', 'status=failed,unsure')).json.View.Id).toBe(json.View.Id)
  await keep('Launch', 'campaign=002demo00000001')
  expect(await savedViews()).toEqual([
    ['Launch', 'campaign=002demo00000001'],
    ['went WRONG', 'status=failed,unsure'],
  ])
  expect((await keep('Mine', 'view=week', service.reader)).status).toBe(200)
  for (const other of [service.admin, service.otherAdmin]) {
    expect(await savedViews(other)).toEqual([])
    expect((await other(`DELETE /app/api/saved-view/${json.View.Id}`)).status).toBe(404)
  }
  expect((await service.publisher(`DELETE /app/api/saved-view/${json.View.Id}`)).status).toBe(200)
  expect(await savedViews()).toEqual([['Launch', 'campaign=002demo00000001']])
})

test('number and size of saved views are limited, and deleting a user deletes them', async () => {
  await ownerQuery(
    service.databaseUrl,
    `insert into saved_views (account_id, id, user_id, created, modified, screen, name, search)
    select '001demo00000001', '0svmany' || lpad(n::text, 8, '0'), '00Ademo00000003', now(), now(), 'calendar', 'View ' || n, '' from generate_series(1, 49) n`,
  )
  expect((await keep('The fiftieth', '', service.contributor)).status).toBe(200)
  const more = await keep('One more', '', service.contributor)
  expect([more.status, more.json.Errors.API.Error]).toEqual([409, expect.stringContaining('50 views')])
  expect((await keep('View 7', 'view=day', service.contributor)).status, 'one that is there is changed').toBe(200)
  expect((await keep('Long', 'x'.repeat(2001))).status).toBe(400)
  expect((await service.admin('DELETE /user/00Ademo00000003')).status).toBe(200)
  const rows = await ownerQuery(service.databaseUrl, `select from saved_views where user_id = '00Ademo00000003'`)
  expect(rows).toEqual([])
})
