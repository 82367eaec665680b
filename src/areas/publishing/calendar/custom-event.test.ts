import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const route = '/calendar/custom-events'
const make = (body: object) =>
  service.publisher(`POST ${route}`, { body: { title: 'Fair', startDate: at('2027-03-01T09:00:00Z'), ...body } })
const at = (moment: string) => Date.parse(moment) / 1000

test('an event is created with every field of the contract and found by its id', async () => {
  const { json } = await make({ description: '<b>Hall 4</b><script>x</script>', campaignIds: ['002demo00000002'] })
  expect(json.Item).toEqual({
    ID: expect.stringMatching(/^0CE\w{12}$/),
    Created: expect.any(String),
    Modified: expect.any(String),
    AccountID: '001demo00000001',
    Title: 'Fair',
    Description: '<b>Hall 4</b>',
    Color: '#0F766E',
    StartDateTime: '2027-03-01 09:00:00',
    EndDateTime: '2027-03-01 23:59:59',
    Campaigns: [{ Id: '002demo00000002', Name: 'Trail stories' }],
  })
  const got = await service.reader(`GET ${route}`, { query: `id=${json.Item.ID}` })
  expect(got.json).toEqual({ Result: true, Item: json.Item })
  expect((await service.reader(`GET ${route}`, { query: 'id=0CEabsent000000' })).status).toBe(404)
  expect((await service.otherAdmin(`GET ${route}`, { query: `id=${json.Item.ID}` })).status).toBe(404)
})

test('an event without a campaign is gray', async () => {
  expect((await make({})).json.Item).toMatchObject({ Color: '#8A94A6', Campaigns: [] })
})

test('titles, descriptions and times are validated', async () => {
  const refused = async (body: object) => (await make(body)).status
  expect(await refused({ title: 'x'.repeat(81) })).toBe(400)
  expect(await refused({ title: '' })).toBe(400)
  expect(await refused({ description: 'x'.repeat(2001) })).toBe(400)
  expect(await refused({ endDate: at('2027-02-28T09:00:00Z') })).toBe(400)
  expect(await refused({ startDate: '2027-02-29' })).toBe(400)
  expect(await refused({ campaignIds: ['002absent000000'] })).toBe(400)
  expect(await refused({ description: `<b>${'x'.repeat(2000)}</b>` })).toBe(200)
})

test('lists filter by time, campaign and ids', async () => {
  const early = (
    await make({ title: 'Early', startDate: at('2031-01-01T00:00:00Z'), endDate: at('2031-01-03T00:00:00Z') })
  ).json.Item.ID
  const late = (await make({ title: 'Late', startDate: at('2031-02-01T00:00:00Z'), campaignIds: ['002demo00000003'] }))
    .json.Item.ID
  const list = async (query: string) =>
    (await service.reader(`GET ${route}`, { query })).json.Items.map(({ ID }: { ID: string }) => ID)
  const january = `after=${at('2031-01-02T00:00:00Z')}&before=${at('2031-01-31T00:00:00Z')}`
  expect(await list(january)).toEqual([early])
  expect(await list('campaignIds[]=002demo00000003')).toEqual([late])
  expect(await list(`ids=${early},${late}&_order=startDateTime,1`)).toEqual([early, late])
  const { json } = await service.reader(`GET ${route}`)
  expect(json.Total).toBe(json.Items.length)
  for (const query of ['_count=26', '_order=title', 'after=tomorrow'])
    expect((await service.reader(`GET ${route}`, { query })).status, query).toBe(400)
})

test('an update keeps omitted fields; an empty list of campaigns clears it', async () => {
  const { ID } = (await make({ campaignIds: '002demo00000002' })).json.Item
  const change = async (body: object | string) => (await service.publisher(`PUT ${route}`, { body })).json.Item
  expect(await change({ id: ID, title: 'Other' })).toMatchObject({
    Title: 'Other',
    StartDateTime: '2027-03-01 09:00:00',
  })
  expect((await change({ id: ID, title: 'Other' })).Campaigns.length).toBe(1)
  expect((await change(`id=${ID}&campaignIds=`)).Campaigns).toEqual([])
  expect((await service.publisher(`PUT ${route}`, { body: { id: '0CEabsent000000' } })).status).toBe(404)
})

test('users who cannot see any of its campaigns cannot see the event', async () => {
  const { Id } = (await service.admin('POST /campaign', { body: { name: 'Closed' } })).json.Campaign
  await service.admin(`POST /team-entity/${Id}`, { body: { teamIds: '025demo00000002' } })
  const { ID } = (
    await service.admin(`POST ${route}`, { body: { title: 'Closed', startDate: 1_900_000_000, campaignIds: Id } })
  ).json.Item
  expect((await service.publisher(`GET ${route}`, { query: `id=${ID}` })).status).toBe(404)
  expect((await service.reader(`GET ${route}`, { query: `id=${ID}` })).status).toBe(200)
})

test('an event is deleted once, by users with permission', async () => {
  const { ID } = (await make({})).json.Item
  expect((await service.reader(`DELETE ${route}`, { body: { id: ID } })).status).toBe(403)
  expect((await service.contributor(`DELETE ${route}`, { query: `id=${ID}` })).json).toEqual({ Result: true })
  expect((await service.publisher(`DELETE ${route}`, { body: { id: ID } })).status).toBe(404)
})
