import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const make = (tag: string) => service.publisher('POST /tag', { body: { tag } })

test('a tag is created, renamed everywhere and deleted', async () => {
  const { json } = await make('Launch')
  expect(json.Tag).toEqual({
    Id: expect.stringMatching(/^0AF\w{12}$/),
    Created: expect.any(String),
    Tag: 'Launch',
    LastUsedDate: '0000-00-00 00:00:00',
  })
  const { Id } = json.Tag
  const campaign = await service.publisher('POST /campaign', { body: { name: 'Tagged', tagIds: Id } })
  const tags = async () =>
    (await service.reader(`GET /campaign/${campaign.json.Campaign.Id}`, { query: 'withTags=1' })).json.Campaign.Tags
  expect(await tags()).toEqual(['Launch'])
  expect((await service.reader(`GET /tag/${Id}`)).json.Tag.LastUsedDate).not.toMatch(/^0000/)
  await service.publisher(`POST /tag/${Id}`, { body: { tag: 'Start' } })
  expect(await tags()).toEqual(['Start'])
  expect((await service.publisher(`DELETE /tag/${Id}`)).json).toEqual({ Result: true })
  expect(await tags()).toEqual([])
  expect((await service.reader(`GET /tag/${Id}`)).status).toBe(404)
})

test('names have 2 to 64 characters and are unique regardless of case', async () => {
  await make('Unique')
  const again = await make('uNIQUE')
  expect([again.status, again.json.Errors.API.Error]).toEqual([409, expect.stringContaining('uNIQUE')])
  const other = (await make('Another')).json.Tag.Id
  expect((await service.publisher(`POST /tag/${other}`, { body: { tag: 'unique' } })).status).toBe(409)
  expect((await service.publisher(`POST /tag/${other}`, { body: { tag: 'ANOTHER' } })).status).toBe(200)
  for (const tag of ['x', 'x'.repeat(65), '']) expect((await make(tag)).status).toBe(400)
  expect((await service.otherAdmin('POST /tag', { body: { tag: 'Unique' } })).status).toBe(200)
})

test('tags can be sorted by name, creation and last use', async () => {
  for (const tag of ['Beta order', 'Alpha order']) await make(tag)
  const names = async (order: string) =>
    (await service.reader('GET /tag', { query: `_count=100&_order=${order}&q=order` })).json.Items.map(
      ({ Tag }: { Tag: string }) => Tag,
    )
  expect(await names('tag')).toEqual(['Alpha order', 'Beta order'])
  expect(await names('created,1')).toEqual(['Beta order', 'Alpha order'])
  expect((await service.reader('GET /tag', { query: '_order=lastUsed,0' })).status).toBe(200)
  expect((await service.reader('GET /tag', { query: '_order=colour' })).status).toBe(400)
  const { status, json } = await service.reader('GET /tag', { query: '_count=7' })
  expect([status, json.Errors.API.Error]).toEqual([400, 'Page size 7 is not valid. Use 25, 50 or 100.'])
})
