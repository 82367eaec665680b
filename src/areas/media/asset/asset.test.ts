import { afterAll, beforeAll, expect, test } from 'vitest'
import { change, systemActor } from '#kernel/change.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../../tests/support/files.ts'
import {
  demoAccount,
  demoKey,
  nowhere,
  startTestService,
  type TestService,
  testKeys,
} from '../../../../tests/support/service.ts'
import { sampleFiles, serveFiles } from '../media.fixture.ts'
import { holdMedia, releaseMedia } from './asset.ts'

let service: TestService
let web: Awaited<ReturnType<typeof serveFiles>>
let files: Awaited<ReturnType<typeof sampleFiles>>
beforeAll(async () => {
  files = await sampleFiles()
  web = await serveFiles(files)
  service = await startTestService({
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_ROLES: 'api,worker' },
  })
})
afterAll(async () => {
  await service.stop()
  await web.close()
})

const add = async (name: string) => service.publisher('POST /media', { body: { resource: `${web.url}/${name}` } })

test('an image is added by its URL, with its own copy of the bytes', async () => {
  const { json } = await add('photo.jpg')
  expect(json.Media).toEqual({
    Id: expect.stringMatching(/^026\w{12}$/),
    Created: expect.any(String),
    Modified: expect.any(String),
    AccountId: demoAccount,
    Status: 'valid',
    CreatedBy: '00Ademo00000002',
    ModifiedBy: '00Ademo00000002',
    Type: 'ImageUrl',
    Resource: `${web.url}/photo.jpg`,
    Name: 'photo.jpg',
    Description: '',
    FolderId: null,
    Size: files['photo.jpg'].length,
  })
  expect((await service.reader(`GET /media/${json.Media.Id}`)).json.Media).toEqual(json.Media)
  const { json: listed } = await service.reader('GET /media', { query: 'q=photo&type=ImageUrl' })
  expect(listed.Items).toMatchObject([
    {
      Id: json.Media.Id,
      Size: files['photo.jpg'].length,
      MimeType: 'image/jpeg',
      VideoId: null,
      VideoPreview: null,
    },
  ])
})

test.each([
  ['page.html', /cannot be used/],
  ['film.mp4', /Only images/],
  ['missing.png', /answered 404/],
])('%s is rejected with a message', async (name, sentence) => {
  const { status, json } = await add(name)
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringMatching(sentence)])
})

test('forbidden addresses are rejected', async () => {
  const resource = 'http://169.254.169.254/latest/meta-data'
  const { status, json } = await service.publisher('POST /media', { body: { resource } })
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining('resource cannot be used')])
  expect((await service.reader('POST /media', { body: { resource: `${web.url}/photo.jpg` } })).status).toBe(403)
})

test('lists distinguish the root from everything, and find by name and type', async () => {
  const { json } = await service.admin('POST /media-folder', { body: { name: 'Inside' } })
  const folder = json.Folder.Id
  const inside = await service.admin('POST /media', { body: { resource: `${web.url}/logo.png`, folderId: folder } })
  const ids = async (query: string) =>
    (await service.admin('GET /media', { query })).json.Items.map(({ Id }: { Id: string }) => Id)
  const { Id } = inside.json.Media
  expect(await ids('')).toContain(Id)
  expect(await ids('folderId=')).not.toContain(Id)
  expect(await ids(`folderId=${folder}`)).toEqual([Id])
  expect(await ids('type=video&q=logo')).toEqual([])
  expect((await service.admin('GET /media', { query: 'folderId=035nothing' })).status).toBe(400)
  expect((await service.admin('GET /media', { query: 'type=Sound' })).status).toBe(400)
  expect((await service.admin('GET /media', { query: '_count=101' })).status).toBe(400)
})

test('deleting frees the bytes with the last asset that has them', async () => {
  const [one, two] = [(await add('logo.png')).json.Media.Id, (await add('logo.png')).json.Media.Id]
  const stored = () =>
    ownerQuery<{ uses: number }>(
      service.databaseUrl,
      'select uses from stored_files where bytes = $1 and account_id = $2',
      [files['logo.png'].length, demoAccount],
    )
  const uses = (await stored())[0]?.uses ?? 0
  expect(uses).toBeGreaterThanOrEqual(2)
  expect((await service.publisher(`DELETE /media/${one}`)).json).toEqual({ Result: true })
  expect((await stored())[0]?.uses).toBe(uses - 1)
  expect((await service.publisher(`DELETE /media/${one}`)).status).toBe(404)
  const { json } = await service.admin('GET /media', { query: 'q=logo' })
  for (const { Id } of json.Items) expect((await service.admin(`DELETE /media/${Id}`)).status).toBe(200)
  expect(json.Items.map(({ Id }: { Id: string }) => Id)).toContain(two)
  await expect.poll(stored).toEqual([])
})

test('an asset of an unsent post cannot be deleted, and the error names the post', async () => {
  const { Id } = (await add('photo.jpg')).json.Media
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 1 })
  const world = { database, listener: undefined, keyring: readKeyring(testKeys), outbound: nowhere, ...elsewhere }
  const as = (work: Parameters<typeof change<unknown>>[2]) => change(world, systemActor(demoAccount, new Date()), work)
  await as((context) => holdMedia(context, '004post', [Id], 'the post of 1 June'))
  const refused = await service.admin(`DELETE /media/${Id}`)
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([
    409,
    '"photo.jpg" cannot be deleted: the post of 1 June still needs it.',
  ])
  await as((context) => releaseMedia(context, '004post'))
  expect((await service.admin(`DELETE /media/${Id}`)).status).toBe(200)
  await database.close()
})

const addedId = async (name: string): Promise<string> => (await add(name)).json.Media.Id
const folder = async (): Promise<string> =>
  (await service.admin('POST /media-folder', { body: { name: 'Range' } })).json.Folder.Id
const edit = (id: string, body: object, as = service.contributor) => as(`POST /app/api/media/${id}`, { body })
const uses = async (id: string, as = service.publisher) => (await as(`GET /app/api/media/${id}/uses`)).json

test('an asset is renamed, described and moved, and omitted fields stay', async () => {
  const [id, into] = [await addedId('photo.jpg'), await folder()]
  expect((await edit(id, { name: 'Summit', folderId: into })).json.Media).toMatchObject({
    Name: 'Summit',
    FolderId: into,
    Description: '',
    ModifiedBy: '00Ademo00000003',
  })
  expect((await edit(id, { description: 'Two people on a ridge' })).json.Media).toMatchObject({
    Name: 'Summit',
    FolderId: into,
    Description: 'Two people on a ridge',
  })
  expect((await edit(id, { folderId: '' })).json.Media.FolderId).toBeNull()
  expect((await edit(id, { folderId: '035absent000000' })).status).toBe(400)
  expect((await edit(id, { name: '' })).status).toBe(400)
  expect((await edit(id, { name: 'x' }, service.reader)).status).toBe(403)
  expect((await edit(id, { name: 'x' }, service.otherAdmin)).status).toBe(404)
})

test('the library returns dimensions and unused assets', async () => {
  const id = await addedId('photo.jpg')
  const find = async (query: string) =>
    (await service.reader('GET /app/api/media', { query })).json.Items.find((one: { Id: string }) => one.Id === id)
  const listed = await find('q=photo')
  expect(listed).toMatchObject({ MimeType: 'image/jpeg', Uses: 0, Pages: null, DurationMs: null })
  expect(listed.Width).toBeGreaterThan(0)
  expect(await find('unused=1')).toBeDefined()
  const made = { network: 'LinkedIn', campaignId: '002demo00000001', message: 'With a picture', media: id }
  const messageId = (await service.publisher('POST /message', { body: made })).json.Message.Id
  const planned = { messageId, credentialIds: '003-1-2414183', startDateTime: 1_900_000_000 }
  const post = (await service.publisher('POST /post', { body: planned })).json.Post.Id
  expect(await find('')).toMatchObject({ Uses: 1 })
  expect(await find('unused=1')).toBeUndefined()
  expect(await uses(id)).toEqual({
    Result: true,
    Posts: [
      {
        Id: post,
        Status: 'pending',
        StartDateTime: '2030-03-17 17:46:40',
        CampaignId: '002demo00000001',
        Network: 'LinkedIn',
        Text: 'With a picture',
      },
    ],
    TotalPosts: 1,
    HiddenPosts: 0,
    Messages: 1,
    Others: [],
    MayBeDeleted: 0,
  })
  expect((await service.publisher(`DELETE /media/${id}`)).status).toBe(409)
  await service.publisher(`DELETE /post/${post}`)
  expect(await uses(id)).toMatchObject({ Posts: [], TotalPosts: 0, Messages: 1, MayBeDeleted: 1 })
})

test('posts of invisible campaigns are counted but not shown', async () => {
  const id = await addedId('logo.png')
  const campaignId = (await service.admin('POST /campaign', { body: { name: 'Hidden' } })).json.Campaign.Id
  const body = { network: 'LinkedIn', campaignId, message: 'Secret', media: id }
  const messageId = (await service.admin('POST /message', { body })).json.Message.Id
  const planned = { messageId, credentialIds: '003-1-2414183', startDateTime: 1_900_000_000 }
  await service.admin('POST /post', { body: planned })
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  expect(await uses(id)).toMatchObject({ Posts: [], TotalPosts: 0, HiddenPosts: 1, Messages: 0, MayBeDeleted: 0 })
  expect(await uses(id, service.admin)).toMatchObject({ TotalPosts: 1, HiddenPosts: 0, Messages: 1 })
  expect((await service.otherAdmin(`GET /app/api/media/${id}/uses`)).status).toBe(404)
})

test('a thumbnail is created once, for users of the account', async () => {
  const id = await addedId('photo.jpg')
  const preview = async (of: string, ending = '-read') => {
    const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}${ending}`).toString('base64')}`
    const response = await fetch(`${service.url}/app/api/media/${of}/preview`, { headers: { authorization } })
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
  }
  const [first, again] = [await preview(id), await preview(id)]
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(first.body.subarray(8, 12).toString()).toBe('WEBP')
  expect(again.body.equals(first.body)).toBe(true)
  expect(first.headers.get('cache-control')).toBe('private, max-age=2592000')
  expect((await preview('026absent000000')).status).toBe(404)
  expect((await preview(id, '-wrong')).status).toBe(401)
})
