import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { samples, simulatedUser, testReceiver, testSandbox } from '../sandbox.fixture.ts'

const channel = 'UCsandboxNorthwindOut501'
const token = `sandbox-youtube-${channel}-access`
const unit = 256 * 1024
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>

beforeAll(async () => {
  sandbox = await testSandbox({ clock: { now: () => new Date('2026-11-20T10:00:00Z') } })
  receiver = await testReceiver()
})
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

const youtube = (path: string, json?: unknown, method?: string) =>
  sandbox.call(`/youtube/youtube/v3${path}`, { token, ...(json ? { json } : {}), ...(method ? { method } : {}) })

async function session(title: string, size: number): Promise<string> {
  const opened = await sandbox.call('/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status', {
    token,
    headers: { 'x-upload-content-length': String(size), 'x-upload-content-type': 'video/mp4' },
    json: { snippet: { title, description: 'About' }, status: { privacyStatus: 'public' } },
  })
  return opened.headers.get('location') ?? ''
}

async function uploaded(title: string, bytes = Buffer.concat([samples.mp4, Buffer.from(title)])) {
  const sent = await sandbox.call(await session(title, bytes.length), { method: 'PUT', bytes })
  return sent.body.id as string
}

test('a chunked upload reports its progress, also when complete', async () => {
  const bytes = Buffer.concat([samples.mp4, Buffer.alloc(unit)])
  const location = await session('Robots at work', bytes.length)
  const part = (from: number, to: number) =>
    sandbox.call(location, {
      method: 'PUT',
      bytes: bytes.subarray(from, to),
      headers: { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` },
    })
  const probe = () => sandbox.call(location, { method: 'PUT', headers: { 'content-range': `bytes */${bytes.length}` } })
  expect((await probe()).headers.get('range')).toBeNull()
  expect((await part(0, 1000)).status).toBe(400)
  const first = await part(0, unit)
  expect(first.status).toBe(308)
  expect(first.headers.get('range')).toBe(`bytes=0-${unit - 1}`)
  expect((await probe()).status).toBe(308)
  const last = await part(unit, bytes.length)
  expect(last.body.id).toMatch(/^[\w-]{11}$/)
  expect((await probe()).body.id).toBe(last.body.id)
  const [entry] = await sandbox.ledger('network=YouTube&kind=post')
  expect(entry).toMatchObject({
    remoteId: last.body.id,
    title: 'Robots at work',
    text: 'About',
    media: [{ bytes: bytes.length }],
  })
  expect((await sandbox.ledger('network=YouTube')).length).toBe(1)
  expect((await sandbox.call(`/youtube/watch?v=${last.body.id}`)).body).toContain('Robots at work')
})

test('a video is uploaded, then processed; a duplicate is rejected later', async () => {
  const id = await uploaded('Once')
  const status = async (video: string) =>
    (await youtube(`/videos?part=status,processingDetails&id=${video}`)).body.items[0].status
  expect((await status(id)).uploadStatus).toBe('uploaded')
  await sandbox.advance(2000)
  expect((await status(id)).uploadStatus).toBe('processed')
  const again = await uploaded('Once')
  await sandbox.advance(2000)
  expect(await status(again)).toMatchObject({ uploadStatus: 'rejected', rejectionReason: 'duplicate' })
})

test('a title is required and limited in length', async () => {
  const open = (title: string) =>
    sandbox.call('/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet', {
      token,
      json: { snippet: { title } },
    })
  for (const title of ['', 'x'.repeat(101), 'a < b']) {
    const refused = await open(title)
    expect(refused.status).toBe(400)
    expect(refused.body.error.errors[0].reason).toBe('invalidTitle')
  }
})

test('accepts first comments, comments of other users, replies, and likes', async () => {
  const videoId = await uploaded('Talk')
  const first = await youtube('/commentThreads?part=snippet', {
    snippet: { channelId: channel, videoId, topLevelComment: { snippet: { textOriginal: 'First' } } },
  })
  expect(first.status).toBe(200)
  const { remoteId } = await sandbox.inject({
    network: 'YouTube',
    profile: channel,
    kind: 'comment',
    postRemoteId: videoId,
    from: simulatedUser,
    text: 'Great',
  })
  const reply = await youtube('/comments?part=snippet', { snippet: { parentId: remoteId, textOriginal: 'Thanks' } })
  expect(reply.body.id.startsWith(`${remoteId}.`)).toBe(true)
  const threads = await youtube(
    `/commentThreads?part=snippet,replies&allThreadsRelatedToChannelId=${channel}&order=time`,
  )
  const texts = threads.body.items.map(
    (row: { snippet: { topLevelComment: { snippet: { textOriginal: string } } } }) =>
      row.snippet.topLevelComment.snippet.textOriginal,
  )
  expect(texts).toEqual(expect.arrayContaining(['Great', 'First']))
  const answered = threads.body.items.find(({ id }: { id: string }) => id === remoteId)
  expect(answered.replies.comments[0].snippet).toMatchObject({ textOriginal: 'Thanks', parentId: remoteId })
  expect((await youtube(`/videos/rate?id=${videoId}&rating=like`, {}, 'POST')).status).toBe(204)
  const recorded = await sandbox.ledger('network=YouTube&kind=comment')
  expect(recorded.map(({ parentId }: { parentId: string }) => parentId)).toEqual([videoId, remoteId])
  const missing = await youtube('/comments?part=snippet', { snippet: { parentId: 'Ugnone', textOriginal: 'x' } })
  expect(missing.body.error.errors[0].reason).toBe('parentCommentNotFound')
})

test('metrics grow; the daily report adds up', async () => {
  const id = await uploaded('Numbers')
  const views = async () =>
    Number((await youtube(`/videos?part=statistics&id=${id}`)).body.items[0].statistics.viewCount)
  const before = await views()
  await sandbox.advance(2 * 86_400_000)
  expect(await views()).toBeGreaterThan(before)
  const { iso } = (await sandbox.control('/clock')).body
  const query = `ids=channel==MINE&metrics=views&filters=video==${id}&startDate=2020-01-01&endDate=${iso.slice(0, 10)}`
  const total = await sandbox.call(`/youtube/v2/reports?${query}`, { token })
  expect(total.body.rows[0][0]).toBe(await views())
  const { statistics } = (await youtube('/channels?part=snippet,statistics&mine=true')).body.items[0]
  expect(statistics.subscriberCount).toMatch(/^47\d0$/)
})

test('a refresh keeps the refresh token, and revocation invalidates all tokens', async () => {
  const redirect_uri = 'http://127.0.0.1:1/back'
  const app = {
    client_id: 'sandbox-youtube-client.apps.googleusercontent.com',
    client_secret: 'sandbox-youtube-secret',
  }
  const scope = 'https://www.googleapis.com/auth/youtube.readonly'
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri,
    response_type: 'code',
    scope,
    access_type: 'offline',
    auto: '1',
  })
  const allowed = await sandbox.call(`/youtube/o/oauth2/v2/auth?${query}`)
  const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const trade = (form: Record<string, string>) => sandbox.call('/youtube/token', { form: { ...app, ...form } })
  const first = (await trade({ grant_type: 'authorization_code', code, redirect_uri })).body
  expect(first.expires_in).toBe(3600)
  const renew = () => trade({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  expect((await renew()).body.refresh_token).toBeUndefined()
  const { access_token } = (await renew()).body
  const posting = await sandbox.call('/youtube/v3/comments?part=snippet', { token: access_token, json: {} })
  expect(posting.body.error.errors[0].reason).toBe('insufficientPermissions')
  await sandbox.call('/youtube/revoke', { form: { token: access_token } })
  expect((await renew()).body.error).toBe('invalid_grant')
  expect((await sandbox.call('/youtube/v3/channels?mine=true', { token: access_token })).status).toBe(401)
})

test('uploads are pushed to the subscribers of the hub, signed with their secret', async () => {
  await sandbox.control('/profile', {
    network: 'YouTube',
    id: channel,
    name: 'Northwind Outdoor',
    accessToken: token,
    expiresInSeconds: 9_999_999,
  })
  receiver.answer = ({ method, query }) => ({
    status: 200,
    body: method === 'GET' ? (query.get('hub.challenge') ?? '') : '',
  })
  const form = {
    'hub.mode': 'subscribe',
    'hub.topic': `https://www.youtube.com/xml/feeds/videos.xml?channel_id=${channel}`,
    'hub.callback': `${receiver.url}/push`,
    'hub.secret': 'ours',
    'hub.lease_seconds': '864000',
  }
  expect((await sandbox.call('/hub/subscribe', { form })).status).toBe(202)
  expect(Number(receiver.pushes[0]?.query.get('hub.lease_seconds'))).toBe(432_000)
  const id = await uploaded('Pushed & signed')
  const push = await receiver.next()
  expect(push?.headers['x-hub-signature']).toBe(
    `sha1=${createHmac('sha1', 'ours')
      .update(push?.raw ?? '')
      .digest('hex')}`,
  )
  expect(push?.raw).toContain(`<yt:videoId>${id}</yt:videoId>`)
  expect(push?.raw).toContain('Pushed &amp; signed')
})

test('requests beyond the daily quota are rejected', async () => {
  await sandbox.control('/limits', { limits: { 'YouTube units': 1 } })
  const exhausted = [await youtube('/channels?mine=true'), await youtube('/channels?mine=true')].at(-1)
  expect(exhausted?.status).toBe(403)
  expect(exhausted?.body.error.errors[0].reason).toBe('quotaExceeded')
  await sandbox.control('/limits', { clear: true })
})

test.each([
  ['summer', '2027-07-15T06:59:59Z', '2027-07-15T07:00:01Z'],
  ['winter', '2027-12-15T07:59:59Z', '2027-12-15T08:00:01Z'],
])('in %s the day begins at midnight in California', async (_, before, after) => {
  const spentAt = async (now: string) => {
    await sandbox.control('/clock', { now })
    return (await youtube('/channels?mine=true')).status
  }
  await sandbox.control('/profile', {
    network: 'YouTube',
    id: channel,
    name: 'Northwind Outdoor',
    accessToken: token,
    expiresInSeconds: 99_999_999,
  })
  await sandbox.control('/limits', { limits: { 'YouTube units': 1 } })
  expect([await spentAt(before), await spentAt(before), await spentAt(after)]).toEqual([200, 403, 200])
  await sandbox.control('/limits', { clear: true })
})
