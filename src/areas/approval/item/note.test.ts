import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { approvals, chidi, pablo } from '../approval.fixture.ts'

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
})
afterAll(() => service.stop())

const notes = async (id: string) => (await service.reader('GET /workflow-item-note', { query: `id=${id}` })).json
const add = (as: TestService['admin'], id: string, note: string) =>
  as('PUT /workflow-item-note', { query: `id=${id}&note=${encodeURIComponent(note)}` })

test('notes are added by the query of a PUT and listed with their authors, by either id', async () => {
  const { post } = await given.waiting({ name: 'One' })
  const item = await given.item(post.Id)
  expect(await notes(post.Id)).toEqual({ Result: true, Authors: {}, Notes: [] })
  expect((await add(service.contributor, post.Id, ' Please look\nsoon ')).json).toEqual({ Result: true })
  expect((await add(service.publisher, item.Id, 'I will')).json).toEqual({ Result: true })
  await service.publisher(`POST /workflow-item/${item.Id}`, { body: { isApprove: 0, note: 'No' } })
  const about = {
    Id: expect.stringMatching(/^0nt\w{12}$/),
    Created: expect.any(String),
    Modified: expect.any(String),
    AccountId: '001demo00000001',
    Status: 'active',
    EntityId: post.Id,
    AdditionalData: null,
  }
  const LastLogin = expect.any(String)
  const withNotes = await notes(item.Id)
  expect(withNotes).toEqual({
    Result: true,
    Authors: {
      [pablo]: { Id: pablo, Name: 'Pablo Reyes', Email: 'pablo.reyes@example.com', LastLogin },
      [chidi]: { Id: chidi, Name: 'Chidi Okafor', Email: 'chidi.okafor@example.com', LastLogin },
    },
    Notes: [
      { ...about, UserId: chidi, Text: 'Please look\nsoon' },
      { ...about, UserId: pablo, Text: 'I will' },
      { ...about, UserId: pablo, Text: 'No' },
    ],
  })
  expect(await notes(post.Id)).toEqual(withNotes)
})

test('a note has 1 to 2,000 characters and requires visible content', async () => {
  const id = await given.message()
  expect((await add(service.contributor, id, 'x'.repeat(2000))).status).toBe(200)
  for (const note of ['', ' ', 'x'.repeat(2001)]) expect((await add(service.contributor, id, note)).status).toBe(400)
  expect((await service.publisher(`PUT /workflow-item-note?id=${id}`)).status).toBe(400)
  expect((await service.publisher('GET /workflow-item-note')).status).toBe(400)
  expect((await add(service.reader, id, 'x')).status).toBe(403)
  const absent = await add(service.otherAdmin, '005absent000000', 'x')
  expect([absent.status, absent.json.Errors.API.Error]).toEqual([404, 'Entity not found.'])
  for (const other of [id, 'nonsense', 'cwiabsent000000', '002demo00000001'])
    expect((await add(service.otherAdmin, other, 'x')).text).toBe(absent.text)
  expect((await service.otherAdmin('GET /workflow-item-note', { query: `id=${id}` })).text).toBe(absent.text)
  expect((await notes(id)).Notes.length).toBe(1)
  await service.admin(`DELETE /message/${id}`)
  expect((await notes(id)).Errors.API.Error).toBe('Entity not found.')
})

test('the note of a decision has at most 2,000 characters', async () => {
  const { post } = await given.waiting({ name: 'One' })
  const body = { note: 'x'.repeat(2001) }
  expect((await service.admin(`POST /workflow-item/${post.Id}`, { body })).status).toBe(400)
  expect((await given.item(post.Id)).Status).toBe('pending')
})
