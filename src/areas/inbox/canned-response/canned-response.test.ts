import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

let numbered = 0
const newName = () => `Opening hours ${numbered++}`
const make = (body: object = {}, as = service.contributor) =>
  as('POST /canned-response', { body: { name: newName(), content: 'Every day\nfrom nine to five.', ...body } })
const found = async (as: TestService['admin'], q: string) =>
  (await as('GET /canned-response', { query: `q=${encodeURIComponent(q)}` })).json

test('a created response is returned with its author, alone and in lists', async () => {
  const name = newName()
  const { json } = await make({ name })
  const { Email, Name } = (await service.admin('GET /user/00Ademo00000003')).json.User
  const expected = {
    ID: expect.stringMatching(/^cnr\w{12}$/),
    Name: name,
    Content: 'Every day\nfrom nine to five.',
    Visibility: 'shared',
    Created: expect.any(String),
    CreatedBy: { Id: '00Ademo00000003', Name, Email },
  }
  expect(json).toEqual({ Result: true, CannedResponse: expected })
  const { ID } = json.CannedResponse
  expect((await service.reader(`GET /canned-response/${ID}`)).json.CannedResponse).toEqual(expected)
  expect(await found(service.reader, name.toUpperCase())).toEqual({ Result: true, Items: [expected], Total: 1 })
  expect((await service.otherAdmin(`GET /canned-response/${ID}`)).status).toBe(404)
})

test('private ones are visible, changeable and deletable by their author only', async () => {
  const name = newName()
  const { ID } = (await make({ name, visibility: 'private' })).json.CannedResponse
  expect((await found(service.contributor, name)).Total).toBe(1)
  expect((await found(service.admin, name)).Total).toBe(0)
  for (const route of [`GET /canned-response/${ID}`, `DELETE /app/api/canned-response/${ID}`])
    expect((await service.admin(route)).status).toBe(404)
  expect((await service.admin(`PUT /app/api/canned-response/${ID}`, { body: { content: 'Mine' } })).status).toBe(404)
  expect((await service.contributor(`DELETE /app/api/canned-response/${ID}`)).json).toEqual({ Result: true })
})

test('names are unique among visible responses', async () => {
  const name = newName()
  expect((await make({ name })).status).toBe(200)
  for (const visibility of ['shared', 'private'])
    expect([visibility, (await make({ name: name.toUpperCase(), visibility }, service.admin)).status]).toEqual([
      visibility,
      409,
    ])
  const own = newName()
  expect((await make({ name: own, visibility: 'private' })).status).toBe(200)
  expect((await make({ name: own }, service.admin)).status).toBe(200)
  const answers = await Promise.all(Array.from({ length: 10 }, () => make({ name: 'At the same moment' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
})

test('anyone who may write can change it, but only the author can make it private', async () => {
  const { ID } = (await make()).json.CannedResponse
  const change = (body: object, as = service.publisher) => as(`PUT /app/api/canned-response/${ID}`, { body })
  expect((await change({ content: 'Closed on Sunday.' })).json.CannedResponse).toMatchObject({
    Content: 'Closed on Sunday.',
  })
  expect((await change({ visibility: 'private' })).status).toBe(409)
  expect((await change({ visibility: 'private' }, service.contributor)).status).toBe(200)
  expect((await change({ content: 'Now?' })).status).toBe(404)
  const other = (await make()).json.CannedResponse
  expect((await change({ name: other.Name }, service.contributor)).status).toBe(409)
})

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(65) }, 'at most 64'],
  [{ content: ' ' }, 'content'],
  [{ content: 'x'.repeat(10_001) }, 'at most 10000'],
  [{ visibility: 'secret' }, 'shared, private'],
])('%j is rejected', async (body, sentence) => {
  const { status, json } = await make(body)
  expect([status, json.Errors?.API.Error]).toEqual([400, expect.stringContaining(sentence)])
})

test('read-only users cannot create one', async () => {
  expect((await make({}, service.reader)).status).toBe(403)
})
