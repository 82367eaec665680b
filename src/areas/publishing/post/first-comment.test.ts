import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { careersPage, image, later, posting, profiles } from './post.fixture.ts'

let service: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = posting(service)
})
afterAll(() => service.stop())

const change = async (id: string, body: unknown) => {
  const { status, json } = await service.publisher(`POST /post/${id}`, { body })
  expect(status, JSON.stringify(json)).toBe(200)
  return json.Post.FirstComment
}

test('a first comment is shown with its image wherever its post is shown', async () => {
  const post = await given.post({ firstComment: { text: '  The link is here.\r\nRead on. ', media: image } })
  const { json } = await service.reader(`GET /media/${image}`)
  expect(post.FirstComment).toEqual({
    Id: expect.stringMatching(/^0fc\w{12}$/),
    Network: 'LinkedIn',
    Status: 'pending',
    ScheduledAt: later,
    Text: 'The link is here.\nRead on.',
    CampaignId: post.CampaignId,
    Media: [json.Media],
  })
  expect(json.Media).toMatchObject({ Id: image, AccountId: demoAccount, Type: 'Image' })
  expect((await service.reader(`GET /post/${post.Id}`)).json.Post).toEqual(post)
  const { json: listed } = await service.reader('GET /post', { query: `messageId=${post.MessageId}` })
  expect(listed.Items).toEqual([post])
  expect((await given.sends(post.Id)).map(({ kind, state }) => [kind, state])).toEqual([
    ['post', 'waiting'],
    ['first-comment', 'idle'],
  ])
  expect('FirstComment' in (await given.post())).toBe(false)
})

test('it is accepted in brackets, as JSON and as JSON text in a field', async () => {
  const messageId = await given.message()
  const base = `messageId=${messageId}&credentialIds=${profiles.linkedInPage}&startDateTime=${later}`
  for (const body of [
    `${base}&firstComment[text]=Look&firstComment[media]=${image}`,
    `${base}&firstComment=${encodeURIComponent(JSON.stringify({ text: 'Look', media: image }))}`,
    `${base}&firstComment%5Btext%5D=Look&firstComment%5Bmedia%5D=${image}`,
    {
      messageId,
      credentialIds: profiles.linkedInPage,
      startDateTime: later,
      firstComment: { text: 'Look', media: image },
    },
  ]) {
    const { json } = await service.publisher('POST /post', { body })
    expect(json.Post?.FirstComment, JSON.stringify(json)).toMatchObject({ Text: 'Look', Media: [{ Id: image }] })
  }
  for (const nothing of ['firstComment=', 'firstComment=null', 'firstComment={}', '']) {
    const { json } = await service.publisher('POST /post', { body: `${base}&${nothing}` })
    expect([json.Result, json.Post?.FirstComment]).toEqual([true, undefined])
  }
})

test('an update changes only the given fields', async () => {
  const { Id, FirstComment: first } = await given.post({ firstComment: { text: 'One', media: image } })
  expect(await change(Id, { startDateTime: later + 60 })).toEqual({ ...first, ScheduledAt: later + 60 })
  expect(await change(Id, 'firstComment[text]=Two')).toMatchObject({
    Id: first.Id,
    Text: 'Two',
    Media: [{ Id: image }],
  })
  expect(await change(Id, 'firstComment[media]=')).toMatchObject({ Id: first.Id, Text: 'Two', Media: [] })
  expect(await change(Id, { firstComment: { media: image } })).toMatchObject({ Text: 'Two', Media: [{ Id: image }] })
  expect(await change(Id, { firstComment: { text: '' } })).toMatchObject({ Text: '', Media: [{ Id: image }] })
  expect(await change(Id, { firstComment: { text: 'Three', media: null } })).toMatchObject({ Text: 'Three', Media: [] })
  expect((await service.publisher(`POST /post/${Id}`, { body: 'firstComment[text]=' })).status).toBe(400)
  expect(await change(Id, { credentialIds: `${profiles.linkedInPage},${careersPage}` })).toMatchObject({
    Text: 'Three',
  })
  expect((await given.sends(Id)).filter(({ kind }) => kind === 'first-comment').length).toBe(2)
})

test.each<[string, unknown]>([
  ['null', { firstComment: null }],
  ['an empty object', { firstComment: {} }],
  ['the word null', 'firstComment=null'],
])('%s removes it, and it can be added again', async (_what, body) => {
  const { Id } = await given.post({ firstComment: { text: 'One', media: image } })
  expect(await change(Id, body)).toBeUndefined()
  expect((await given.sends(Id)).map(({ kind }) => kind)).toEqual(['post'])
  expect(await change(Id, body)).toBeUndefined()
  expect(await change(Id, { firstComment: { text: 'Again' } })).toMatchObject({ Text: 'Again', Status: 'pending' })
})

test.each<[string, unknown, RegExp]>([
  ['no text and no image', { text: ' ' }, /text or an image/],
  ['other words only', { colour: 'red' }, /text or an image/],
  ['3,001 characters', { text: 'x'.repeat(3001) }, /3,?000/],
  ['a video', { text: 'x', media: '026demo00000005' }, /takes an image/],
  ['a PDF', { text: 'x', media: '026demo00000006' }, /takes an image/],
  ['an image that is not there', { text: 'x', media: '026absent000000' }, /no such asset/],
  ['an image that is no id', { text: 'x', media: 'nonsense' }, /no such asset/],
  ['a text', 'hello', /firstComment must be an object/],
  ['a list', ['hello'], /firstComment must be an object/],
  ['a nested text', { text: { a: 1 } }, /firstComment/],
  ['a NUL within JSON as text', '{"text":"a\\u0000b"}', /firstComment must hold valid Unicode/],
])('%s is refused', async (_what, firstComment, words) => {
  const { status, json } = await given.ask({ firstComment })
  expect([status, json.Errors?.API.Error]).toEqual([400, expect.stringMatching(words)])
})

test('3,000 characters are accepted', async () => {
  expect((await given.post({ firstComment: { text: 'x'.repeat(3000) } })).FirstComment.Text.length).toBe(3000)
})

test('it is accepted for LinkedIn posts only', async () => {
  const messageId = await given.message({ network: 'X' })
  const refused = await given.ask({ messageId, credentialIds: profiles.x, firstComment: { text: 'One' } })
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([400, expect.stringContaining('LinkedIn only')])
  const { Id } = await given.post({ firstComment: { text: 'One' } })
  const elsewhere = { messageId, credentialIds: profiles.x }
  expect((await service.publisher(`POST /post/${Id}`, { body: elsewhere })).status).toBe(400)
  expect((await service.reader(`GET /post/${Id}`)).json.Post).toMatchObject({
    Network: 'LinkedIn',
    FirstComment: { Text: 'One' },
  })
  expect(await change(Id, { ...elsewhere, firstComment: null })).toBeUndefined()
})

test('it is published when it is on any profile, failed when on none, pending before', async () => {
  const { Id } = await given.post({
    credentialIds: `${profiles.linkedInPage},${careersPage}`,
    firstComment: { text: 'One' },
  })
  const shown = async () => (await service.reader(`GET /post/${Id}`)).json.Post.FirstComment.Status
  const set = (state: string, credential: string) => given.setState(Id, state, credential, 'first-comment')
  await set('sent', careersPage)
  expect(await shown()).toBe('pending')
  await set('failed', profiles.linkedInPage)
  expect(await shown()).toBe('published')
  await set('unconfirmed', careersPage)
  expect(await shown()).toBe('failed')
})

test('its image cannot be deleted while it is in use', async () => {
  const { Id } = await given.post({ firstComment: { media: '026demo00000003' } })
  expect((await service.admin('DELETE /media/026demo00000003')).status).toBe(409)
  expect(await change(Id, { firstComment: { text: 'Words', media: '' } })).toMatchObject({ Media: [] })
  expect((await service.admin('DELETE /media/026demo00000003')).status).toBe(200)
})

test('an app that can only share on LinkedIn is refused a first comment before anything is sent', async () => {
  const environment = {
    CHORUS_ROLES: 'api',
    CHORUS_LINKEDIN_CLIENT_ID: 'app',
    CHORUS_LINKEDIN_CLIENT_SECRET: 'secret',
    CHORUS_LINKEDIN_SCOPES: 'share',
  }
  const sharing = await startTestService({ databaseUrl: service.databaseUrl, environment })
  const messageId = await given.message()
  const body = { messageId, credentialIds: [profiles.linkedInPage], startDateTime: later, firstComment: { text: 'Hi' } }
  const { status, text } = await sharing.publisher('POST /post', { body })
  expect([status, text]).toEqual([400, expect.stringContaining('Community Management')])
  await sharing.stop()
})
