import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { sampleFiles, serveFiles } from '../media.fixture.ts'

let service: TestService
let web: Awaited<ReturnType<typeof serveFiles>>
beforeAll(async () => {
  web = await serveFiles(await sampleFiles())
  service = await startTestService({ environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_ROLES: 'api' } })
})
afterAll(async () => {
  await service.stop()
  await web.close()
})

const make = async (name: string, folderId?: string) =>
  (await service.publisher('POST /media-folder', { body: { name, ...(folderId !== undefined && { folderId }) } })).json
    .Folder
const names = async (query: string) =>
  (await service.reader('GET /media-folder', { query })).json.Items.map(({ Name }: { Name: string }) => Name)

test('folders are created at the root or nested, and listed by level', async () => {
  const top = await make('Campaigns')
  expect(top).toEqual({
    Id: expect.stringMatching(/^035\w{12}$/),
    Name: 'Campaigns',
    FolderId: null,
    Created: expect.any(String),
  })
  const inner = await make('Spring', top.Id)
  expect(inner.FolderId).toBe(top.Id)
  await make('Autumn', top.Id)
  await make('At the top', '')
  expect(await names('_count=100')).toEqual(expect.arrayContaining(['At the top', 'Campaigns']))
  expect(await names('_count=100')).not.toContain('Spring')
  expect(await names(`folderId=${top.Id}`)).toEqual(['Autumn', 'Spring'])
  expect(await names(`folderId=${top.Id}&orderBy=name&orderDir=desc`)).toEqual(['Spring', 'Autumn'])
  expect(await names(`folderId=${top.Id}&orderBy=created&orderDir=asc`)).toEqual(['Spring', 'Autumn'])
  expect(await names(`folderId=${top.Id}&q=spr`)).toEqual(['Spring'])
  expect((await service.reader(`GET /media-folder/${inner.Id}`)).json.Folder).toEqual(inner)
})

test('pages have twelve entries by default, a hundred at most', async () => {
  const { Id } = await make('Many')
  for (let number = 0; number < 14; number += 1) await make(`Folder ${String(number).padStart(2, '0')}`, Id)
  const { json } = await service.reader('GET /media-folder', { query: `folderId=${Id}` })
  expect([json.Items.length, json.Total]).toEqual([12, 14])
  expect(await names(`folderId=${Id}&_page=1`)).toEqual(['Folder 12', 'Folder 13'])
  expect((await service.reader('GET /media-folder', { query: '_count=101' })).status).toBe(400)
})

test('a name has 64 characters at most, and an unknown parent is rejected', async () => {
  const refused = async (body: object) => (await service.publisher('POST /media-folder', { body })).status
  expect(await refused({ name: 'x'.repeat(65) })).toBe(400)
  expect(await refused({ name: '' })).toBe(400)
  expect(await refused({ name: 'Child', folderId: '035nothing' })).toBe(400)
  const { Id } = await make('Before')
  expect((await service.publisher(`POST /media-folder/${Id}`, { body: { name: 'After' } })).json.Folder.Name).toBe(
    'After',
  )
})

test('managing folders needs the media library permission, viewing does not', async () => {
  const { Id } = await make('Guarded')
  const setPermission = (value: boolean) =>
    ownerQuery(service.databaseUrl, `update users set media_library = $1 where id = '00Ademo00000003'`, [value])
  await setPermission(false)
  for (const [route, body] of [
    ['POST /media-folder', { name: 'Mine' }],
    [`POST /media-folder/${Id}`, { name: 'Mine' }],
    [`DELETE /media-folder/${Id}`, {}],
  ] as const) {
    const { status, json } = await service.contributor(route, { body })
    expect([status, json.Errors.API.Error]).toEqual([403, expect.stringContaining('media library')])
  }
  expect((await service.contributor(`GET /media-folder/${Id}`)).status).toBe(200)
  await setPermission(true)
  expect((await service.contributor('POST /media-folder', { body: { name: 'Mine' } })).status).toBe(200)
})

test('deleting a folder deletes all contents; one asset in use blocks everything', async () => {
  const top = await make('Doomed')
  const inner = await make('Deeper', (await make('Deep', top.Id)).Id)
  const add = (name: string) =>
    service.publisher('POST /media', { body: { resource: `${web.url}/${name}`, folderId: inner.Id } })
  const { Id } = (await add('photo.jpg')).json.Media
  const hold = `insert into media_references (account_id, media_id, holder, what) values ('001demo00000001', $1, 'x', 'the story "Us"')`
  await ownerQuery(service.databaseUrl, hold, [Id])
  const refused = await service.publisher(`DELETE /media-folder/${top.Id}`)
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([409, expect.stringContaining('the story "Us"')])
  expect((await service.reader(`GET /media-folder/${inner.Id}`)).status).toBe(200)
  await ownerQuery(service.databaseUrl, `delete from media_references where media_id = $1`, [Id])
  expect((await service.publisher(`DELETE /media-folder/${top.Id}`)).json).toEqual({ Result: true })
  expect((await service.reader(`GET /media-folder/${inner.Id}`)).status).toBe(404)
  expect((await service.reader(`GET /media/${Id}`)).status).toBe(404)
})

test('of concurrent deletions one succeeds, and the others find nothing', async () => {
  const top = await make('Wanted gone')
  await make('Inside', top.Id)
  const all = await Promise.all(Array.from({ length: 8 }, () => service.publisher(`DELETE /media-folder/${top.Id}`)))
  expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
})
