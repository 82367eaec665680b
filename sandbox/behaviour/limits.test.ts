import { afterAll, beforeAll, expect, test } from 'vitest'
import { samples, testReceiver, testSandbox } from '../sandbox.fixture.ts'

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>

beforeAll(async () => {
  sandbox = await testSandbox({ clock: { now: () => new Date('2026-11-20T10:00:00Z') } })
  receiver = await testReceiver({ 'a.gif': samples.gif, 'wide.jpg': picture(2000, 100) })
})
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

function picture(width: number, height: number): Buffer {
  const bytes = Buffer.from(samples.jpeg)
  bytes.writeUInt16BE(height, 7)
  bytes.writeUInt16BE(width, 9)
  return bytes
}

const page = '100200300400501'
const facebook = { token: `sandbox-facebook-${page}-access` }
const instagram = { token: 'sandbox-instagram-17841400000000501-access' }
const x = { token: 'sandbox-twitter-1500000000000000501-access' }
const linkedin = { token: 'sandbox-linkedin-2414183-access', headers: { 'linkedin-version': '202611' } }

test('Facebook limits the length of posts and comments', async () => {
  const feed = `/facebook/v26.0/${page}/feed`
  expect((await sandbox.call(feed, { ...facebook, json: { message: 'x'.repeat(63_207) } })).body.error.code).toBe(100)
  const { id } = (await sandbox.call(feed, { ...facebook, json: { message: 'x'.repeat(63_206) } })).body
  const comment = (message: string) =>
    sandbox.call(`/facebook/v26.0/${id}/comments`, { ...facebook, json: { message } })
  expect((await comment('y'.repeat(8001))).status).toBe(400)
  expect((await comment('y'.repeat(8000))).status).toBe(200)
})

test('Instagram checks the aspect ratio of an image', async () => {
  const json = { image_url: `${receiver.url}/wide.jpg` }
  const refused = await sandbox.call('/instagram/v26.0/me/media', { ...instagram, json })
  expect(refused.body.error).toMatchObject({ code: 36003, error_subcode: 2207009 })
})

test('X accepts four images or one GIF', async () => {
  const upload = async (media: Buffer) =>
    (await sandbox.call('/x/2/media/upload', { ...x, multipart: { media } })).body.data.id as string
  const post = (media_ids: string[]) =>
    sandbox.call('/x/2/tweets', { ...x, json: { text: media_ids.join(), media: { media_ids } } })
  const pictures = await Promise.all(Array.from({ length: 5 }, () => upload(samples.png)))
  const gif = await upload(samples.gif)
  expect((await post(pictures)).status).toBe(400)
  expect((await post(pictures.slice(1))).status).toBe(201)
  expect(await post([gif, pictures[0] ?? ''])).toMatchObject({ status: 400 })
  expect((await post([gif])).status).toBe(201)
  const pdf = await sandbox.call('/x/2/media/upload', { ...x, multipart: { media: samples.pdf } })
  expect(pdf.status).toBe(400)
})

test('LinkedIn limits the rendered text, and fails a video that is too small', async () => {
  const author = 'urn:li:organization:2414183'
  const rest = (path: string, json: unknown) => sandbox.call(`/linkedin/rest${path}`, { ...linkedin, json })
  const draft = {
    author,
    visibility: 'PUBLIC',
    lifecycleState: 'PUBLISHED',
    distribution: { feedDistribution: 'MAIN_FEED' },
  }
  expect((await rest('/posts', { ...draft, commentary: '\\('.repeat(3000) })).status).toBe(201)
  expect((await rest('/posts', { ...draft, commentary: '\\('.repeat(3001) })).status).toBe(422)
  const request = { owner: author, fileSizeBytes: samples.mp4.length }
  const opened = (await rest('/videos?action=initializeUpload', { initializeUploadRequest: request })).body.value
  const sent = await sandbox.call(opened.uploadInstructions[0].uploadUrl, { method: 'PUT', bytes: samples.mp4 })
  const { video, uploadToken } = opened
  const finalizeUploadRequest = { video, uploadToken, uploadedPartIds: [sent.headers.get('etag')] }
  await rest('/videos?action=finalizeUpload', { finalizeUploadRequest })
  await sandbox.advance(2000)
  const state = await sandbox.call(`/linkedin/rest/videos/${encodeURIComponent(video)}`, linkedin)
  expect(state.body.status).toBe('PROCESSING_FAILED')
})

test('rate limits can be multiplied', async () => {
  await sandbox.control('/limits', { factor: 0.01 })
  expect((await sandbox.call('/x/2/users/me', x)).status).toBe(429)
  await sandbox.control('/limits', { factor: 100, clear: true })
  expect((await sandbox.call('/x/2/users/me', x)).headers.get('x-rate-limit-limit')).toBe('7500')
})
