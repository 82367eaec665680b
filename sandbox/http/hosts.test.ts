import { afterAll, beforeAll, expect, test } from 'vitest'
import { samples, testSandbox } from '../sandbox.fixture.ts'

let sandbox: Awaited<ReturnType<typeof testSandbox>>
beforeAll(async () => {
  sandbox = await testSandbox({ limitFactor: 1000 })
})
afterAll(() => sandbox.close())

const login = 'client_id=a&redirect_uri=http://a.example/back'

/** One path of each host, and another host of the same network that does not have it. */
test.each([
  ['www.facebook.com', `/v26.0/dialog/oauth?${login}`, 'graph.facebook.com'],
  ['graph.facebook.com', '/v26.0/me', 'www.facebook.com'],
  ['graph.facebook.com', '/v26.0/me', 'rupload.facebook.com'],
  ['www.instagram.com', `/oauth/authorize?${login}`, 'graph.instagram.com'],
  ['graph.instagram.com', '/v26.0/me', 'api.instagram.com'],
  ['graph.instagram.com', '/refresh_access_token', 'www.instagram.com'],
  ['www.linkedin.com', `/oauth/v2/authorization?${login}`, 'api.linkedin.com'],
  ['api.linkedin.com', '/v2/userinfo', 'www.linkedin.com'],
  ['x.com', `/i/oauth2/authorize?${login}`, 'api.x.com'],
  ['api.x.com', '/2/users/me', 'x.com'],
  ['accounts.google.com', `/o/oauth2/v2/auth?${login}`, 'oauth2.googleapis.com'],
  ['www.googleapis.com', '/youtube/v3/channels', 'youtubeanalytics.googleapis.com'],
  ['youtubeanalytics.googleapis.com', '/v2/reports', 'www.googleapis.com'],
  ['www.youtube.com', '/xml/feeds/videos.xml', 'www.googleapis.com'],
  ['www.tiktok.com', `/v2/auth/authorize/?${login}`, 'open.tiktokapis.com'],
  ['business-api.tiktok.com', '/open_api/v1.3/business/get/', 'www.tiktok.com'],
])('%s has %s, and %s has not', async (host, path, other) => {
  const unknown = (await sandbox.call(`/${other}/nothing/of/this/kind`)).body
  const refused = await sandbox.call(`/${other}${path}`)
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(shapeOf(refused.body)).toEqual(shapeOf(unknown))
  expect(shapeOf((await sandbox.call(`/${host}${path}`)).body)).not.toEqual(shapeOf(unknown))
})

test('a network without a host in the path serves all its endpoints', async () => {
  const { status } = await sandbox.call(`/facebook/v26.0/dialog/oauth?${login}`)
  expect(status).toBe(400)
  expect((await sandbox.call('/facebook/v26.0/me')).body.error.code).toBe(104)
})

test('upload URLs use the upload host', async () => {
  const headers = { 'linkedin-version': '202607' }
  const initializeUploadRequest = { owner: 'urn:li:organization:2414183' }
  const { body } = await sandbox.call('/api.linkedin.com/rest/images?action=initializeUpload', {
    token: 'sandbox-linkedin-2414183-access',
    headers,
    json: { initializeUploadRequest },
  })
  expect(body.value.uploadUrl).toContain('/www.linkedin.com/dms-uploads/')
  const sent = { method: 'PUT', token: 'sandbox-linkedin-2414183-access', bytes: samples.jpeg }
  expect((await sandbox.call(body.value.uploadUrl, sent)).status).toBe(201)
})

test('permalinks use the website host', async () => {
  const token = 'sandbox-twitter-1500000000000000501-access'
  const made = await sandbox.call('/api.x.com/2/tweets', { token, json: { text: 'Out on the trail' } })
  const page = await sandbox.call(`/x.com/northwindoutdoor/status/${made.body.data.id}`)
  expect([page.status, page.body.includes('Out on the trail')]).toEqual([200, true])
})

/** What kind of answer it is, without what differs from call to call. */
const shapeOf = (body: unknown) =>
  typeof body === 'string'
    ? body
    : JSON.stringify(body, (name, value) =>
        ['fbtrace_id', 'log_id', 'request_id'].includes(name)
          ? ''
          : typeof value === 'string'
            ? value.replace(/\/\S*/g, '')
            : value,
      )
