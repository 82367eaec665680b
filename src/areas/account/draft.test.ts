import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const put = (id: string, body: object, as = service.publisher) => as(`PUT /app/api/draft/${id}`, { body })
const read = (id: string, as = service.publisher) => as(`GET /app/api/draft/${id}`)

test('a draft is stored unchanged, found from another device, and deleted', async () => {
  const content = '  {"text":"Grüße\\r\\n 🏔"}\n\n'
  const made = await put('letter', { title: 'Grüße', content })
  expect([made.status, made.json.Draft]).toEqual([
    200,
    expect.objectContaining({ Id: 'letter', Kind: 'post', Title: 'Grüße', Version: 1 }),
  ])
  expect((await read('letter')).json.Draft.Content).toBe(content)
  const { json } = await service.publisher('GET /app/api/draft', { query: 'kind=post' })
  expect(json.Items.map(({ Id }: { Id: string }) => Id)).toContain('letter')
  expect(json.Items[0]).not.toHaveProperty('Content')
  expect((await service.publisher('DELETE /app/api/draft/letter')).status).toBe(200)
  expect((await read('letter')).status).toBe(404)
  expect((await service.publisher('DELETE /app/api/draft/letter')).status).toBe(404)
})

test('a draft is invisible to other users, admins and accounts, also under the same id', async () => {
  await put('private', { content: 'mine' })
  for (const other of [service.admin, service.contributor, service.otherAdmin]) {
    expect((await read('private', other)).status).toBe(404)
    expect((await other('DELETE /app/api/draft/private')).status).toBe(404)
    expect((await other('GET /app/api/draft')).text).not.toContain('private')
    expect((await put('private', { content: 'theirs' }, other)).json.Draft.Version).toBe(1)
  }
  expect((await read('private')).json.Draft).toMatchObject({ Content: 'mine', Version: 1 })
})

test('saving over a newer version is a conflict and loses nothing', async () => {
  const first = (await put('shared', { content: 'at home', version: 0 })).json.Draft
  expect((await put('shared', { content: 'at work', version: first.Version })).json.Draft.Version).toBe(2)
  const late = await put('shared', { content: 'at home again', version: first.Version })
  expect([late.status, late.json.Errors.API.Error]).toEqual([409, expect.stringContaining('elsewhere')])
  expect((await put('shared', { content: 'new here', version: 0 })).status).toBe(409)
  expect((await read('shared')).json.Draft).toMatchObject({ Content: 'at work', Version: 2 })
  expect((await put('shared', { content: 'whatever was there' })).json.Draft.Version).toBe(3)
  await service.publisher('DELETE /app/api/draft/shared')
  expect((await put('shared', { content: 'sent long ago', version: 3 })).status, 'does not come back').toBe(409)
})

test('of concurrent creations under one id one succeeds and the others are conflicts', async () => {
  const answers = await Promise.all([1, 2, 3, 4].map((n) => put('race', { content: `copy ${n}`, version: 0 })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
})

test('size, number and ids of drafts are limited', async () => {
  expect((await put('large', { content: 'x'.repeat(200_000) })).status).toBe(200)
  const { status, json } = await put('large', { content: 'x'.repeat(200_001) })
  expect([status, json.Errors.API.Error]).toEqual([400, 'content must be at most 200000 characters long.'])
  for (const id of ['a%20b', 'x'.repeat(65), '%C3%BC', 'a.b'])
    expect((await put(id, { content: '' })).status, id).toBe(404)
  expect((await put('kind', { content: '', kind: 'poem' })).status).toBe(400)
  await ownerQuery(service.databaseUrl, `delete from drafts where user_id = '00Ademo00000003'`)
  await ownerQuery(
    service.databaseUrl,
    `insert into drafts (account_id, user_id, id, created, modified, kind, title, content)
    select '001demo00000001', '00Ademo00000003', 'many-' || n, now(), now(), 'post', '', '' from generate_series(1, 99) n`,
  )
  const [hundredth, more] = [
    await put('h', { content: '' }, service.contributor),
    await put('i', { content: '' }, service.contributor),
  ]
  expect([hundredth.status, more.status, more.json.Errors.API.Error]).toEqual([
    200,
    409,
    expect.stringContaining('100 drafts'),
  ])
  expect((await put('h', { content: 'goes on' }, service.contributor)).status).toBe(200)
})

test('readers can’t save drafts, and deleting a user deletes their drafts', async () => {
  expect((await put('reader', { content: '' }, service.reader)).status).toBe(403)
  expect((await service.reader('GET /app/api/draft')).json).toMatchObject({ Items: [], Total: 0 })
  const rows = () => ownerQuery(service.databaseUrl, `select from drafts where user_id = '00Ademo00000003'`)
  expect((await rows()).length).toBeGreaterThan(0)
  expect((await service.admin('DELETE /user/00Ademo00000003')).status).toBe(200)
  expect(await rows()).toEqual([])
})
