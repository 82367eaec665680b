import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { sampleFiles, serveFiles } from '../media.fixture.ts'

let service: TestService
let web: Awaited<ReturnType<typeof serveFiles>>
beforeAll(async () => {
  web = await serveFiles(await sampleFiles())
  service = await startTestService({ environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' } })
})
afterAll(async () => {
  await service.stop()
  await web.close()
})

const add = async (name: string): Promise<string> =>
  (await service.publisher('POST /media', { body: { resource: `${web.url}/${name}` } })).json.Media.Id
const folder = async (): Promise<string> =>
  (await service.admin('POST /media-folder', { body: { name: 'Range' } })).json.Folder.Id
const change = (id: string, body: object, as = service.contributor) => as(`POST /app/api/media/${id}`, { body })
const uses = async (id: string, as = service.publisher) => (await as(`GET /app/api/media/${id}/uses`)).json

test('an asset is renamed, described and moved; what is not given stays', async () => {
  const [id, into] = [await add('photo.jpg'), await folder()]
  expect((await change(id, { name: 'Summit', folderId: into })).json.Media).toMatchObject({
    ...{ Name: 'Summit', FolderId: into, Description: '', ModifiedBy: '00Ademo00000003' },
  })
  expect((await change(id, { description: 'Two people on a ridge' })).json.Media).toMatchObject({
    ...{ Name: 'Summit', FolderId: into, Description: 'Two people on a ridge' },
  })
  expect((await change(id, { folderId: '' })).json.Media.FolderId).toBeNull()
  expect((await change(id, { folderId: '035absent000000' })).status).toBe(400)
  expect((await change(id, { name: '' })).status).toBe(400)
  expect((await change(id, { name: 'x' }, service.reader)).status).toBe(403)
  expect((await change(id, { name: 'x' }, service.otherAdmin)).status).toBe(404)
})

test('the library tells measures, and what nothing needs', async () => {
  const id = await add('photo.jpg')
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
        ...{ Id: post, Status: 'pending', StartDateTime: '2030-03-17 17:46:40', CampaignId: '002demo00000001' },
        ...{ Network: 'LinkedIn', Text: 'With a picture' },
      },
    ],
    ...{ TotalPosts: 1, HiddenPosts: 0, Messages: 1, Others: [], MayBeDeleted: 0 },
  })
  expect((await service.publisher(`DELETE /media/${id}`)).status).toBe(409)
  await service.publisher(`DELETE /post/${post}`)
  expect(await uses(id)).toMatchObject({ Posts: [], TotalPosts: 0, Messages: 1, MayBeDeleted: 1 })
})

test('posts of campaigns that one may not see are counted and not shown', async () => {
  const id = await add('logo.png')
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

test('a small picture of an image is made once, for users of the account', async () => {
  const id = await add('photo.jpg')
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
