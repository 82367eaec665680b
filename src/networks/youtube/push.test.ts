import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import type { PushRequest } from '../connector/connector.ts'
import { film, problemOf, youtubeChannel } from './youtube.fixture.ts'

const now = new Date('2026-11-20T10:00:00Z')
let channel: Awaited<ReturnType<typeof youtubeChannel>>
let receiver: Awaited<ReturnType<typeof testReceiver>>
let push: PushRequest
let postId: string
beforeAll(async () => {
  channel = await youtubeChannel({ clock: { now: () => now } })
  receiver = await testReceiver()
  receiver.answer = ({ method, query, headers, raw }) => {
    const posted = request(Buffer.from(raw), headers as Record<string, string>)
    const verdict = channel.connector.verifyPush({ ...posted, method: method as 'GET', query })
    return verdict.ok ? verdict.response : { status: verdict.status, body: '' }
  }
  const { renewBefore } = await channel.connector.subscribePush(channel.actor, `${receiver.url}/push`)
  expect(renewBefore).toEqual(new Date('2026-11-24T10:00:00Z'))
  postId = (await channel.publish({ text: 'Robots & "arms" 🤖', media: [film()] })).remoteId
  const delivered = await receiver.next()
  const headers = delivered?.headers as Record<string, string>
  push = request(Buffer.from(delivered?.raw ?? ''), headers)
})
afterAll(async () => {
  await receiver.close()
  await channel.close()
})

const request = (raw: Buffer, headers: Record<string, string>): PushRequest => {
  return { method: 'POST', query: new URLSearchParams(), headers, raw, receivedAt: now }
}
const verify = (more: Partial<PushRequest>) => channel.connector.verifyPush({ ...push, ...more })
const key = () => createHmac('sha256', channel.app('YouTube').clientSecret).update(channel.actor.remoteId).digest('hex')
const signed = (xml: string) => {
  const signature = createHmac('sha1', key()).update(xml).digest('hex')
  return verify({ raw: Buffer.from(xml), headers: { 'x-hub-signature': `sha1=${signature}` } })
}

test('an upload is pushed with its title and time', () => {
  const verdict = verify({})
  expect(verdict).toMatchObject({ ok: true, response: { status: 200 } })
  expect(verdict.ok && verdict.items).toMatchObject([
    {
      kind: 'post',
      actorRemoteId: channel.actor.remoteId,
      remoteId: postId,
      postId,
      text: 'Robots & "arms" 🤖',
      from: { id: channel.actor.remoteId, name: 'Northwind Outdoor' },
      at: now,
      dedupeKey: `post:${postId}:${now.toISOString()}`,
    },
  ])
})

test('any changed byte is rejected with the status hubs expect', () => {
  const raw = Buffer.from(push.raw)
  const channelAt = raw.indexOf('<yt:channelId>') + 16
  for (const at of [0, 1, channelAt, Math.floor(raw.length / 2), raw.length - 1]) {
    const changed = Buffer.from(raw)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(verify({ raw: changed }), `byte ${at}`).toMatchObject({ ok: false, status: 202 })
  }
  const signature = push.headers['x-hub-signature'] ?? ''
  const others = [`${signature}0`, signature.slice(0, -1), signature.toUpperCase(), '', signature.replace('sha1=', '')]
  for (const other of others) {
    expect(verify({ headers: { 'x-hub-signature': other } })).toMatchObject({ ok: false, status: 202 })
  }
  expect(verify({ headers: {} })).toMatchObject({ ok: false, status: 202, reason: expect.any(String) })
  expect(verify({ raw: Buffer.concat([raw, Buffer.from(' ')]) })).toMatchObject({ ok: false, status: 202 })
  expect(verify({ raw: Buffer.from('no feed') })).toMatchObject({ ok: false, status: 202 })
})

test('a forged push of the sandbox is dropped', async () => {
  const before = receiver.pushes.length
  await channel.control('/push', { network: 'YouTube', behaviour: 'forged' })
  await channel.publish({ text: 'Forged', media: [film()] })
  await receiver.next(2)
  const forged = receiver.pushes[before]
  const verdict = verify({ raw: Buffer.from(forged?.raw ?? ''), headers: forged?.headers as Record<string, string> })
  expect(verdict).toMatchObject({ ok: false, status: 202 })
})

test('a valid signature over an unreadable body, or over other channels, is rejected', () => {
  const xml = Buffer.from(push.raw).toString()
  const bad = [
    xml.replace('</feed>', ''),
    xml.replace(/<yt:videoId>.*<\/yt:videoId>/, ''),
    xml.replace(/<published>.*<\/published>/, '<published>soon</published>'),
    xml.replace(/<entry>.*<\/entry>/s, ''),
    xml.replace('</feed>', `${/<entry>.*<\/entry>/s.exec(xml)?.[0].replace('UCsandbox', 'UCanother')}</feed>`),
  ]
  for (const body of bad) expect(signed(body), body).toMatchObject({ ok: false, status: 400 })
})

test('a removed video is pushed as a removal', () => {
  const verdict = signed(`<?xml version='1.0' encoding='UTF-8'?><feed xmlns:at="http://purl.org/atompub/tombstones/1.0"
 xmlns="http://www.w3.org/2005/Atom"><at:deleted-entry ref="yt:video:abc_DEF-123" when="2026-11-20T09:00:00+00:00">
<link href="https://www.youtube.com/watch?v=abc_DEF-123"/><at:by><name>Acme</name>
<uri>https://www.youtube.com/channel/${channel.actor.remoteId}</uri></at:by></at:deleted-entry></feed>`)
  expect(verdict.ok && verdict.items).toMatchObject([
    {
      kind: 'removed',
      remoteId: 'abc_DEF-123',
      at: new Date('2026-11-20T09:00:00Z'),
      dedupeKey: 'removed:abc_DEF-123',
    },
  ])
})

test('only the confirmation of a subscription to a channel is echoed', () => {
  const topic = `${channel.app('YouTube').hosts.public}/xml/feeds/videos.xml?channel_id=UC1`
  const handshake = (values: Record<string, string>) =>
    verify({
      method: 'GET',
      query: new URLSearchParams({ 'hub.topic': topic, 'hub.challenge': '16091230949321843452', ...values }),
    })
  expect(handshake({ 'hub.mode': 'subscribe' })).toMatchObject({
    ok: true,
    response: { status: 200, body: '16091230949321843452' },
  })
  expect(handshake({ 'hub.mode': 'denied' })).toMatchObject({ ok: true, items: [] })
  const refused = [
    [{ 'hub.mode': 'unsubscribe' }, 403],
    [{ 'hub.mode': 'subscribe', 'hub.topic': 'https://elsewhere.example/feed' }, 403],
    [{ 'hub.mode': 'subscribe', 'hub.topic': `${topic}&more=1` }, 403],
    [{ 'hub.mode': 'subscribe', 'hub.challenge': '' }, 400],
    [{ 'hub.mode': 'subscribe', 'hub.challenge': '<feed/>' }, 400],
    [{ 'hub.mode': 'subscribe', 'hub.challenge': 'x'.repeat(257) }, 400],
  ] as const
  for (const [values, status] of refused) expect(handshake(values)).toMatchObject({ ok: false, status })
})

test('an unreachable callback URL is reported', async () => {
  const { fault } = await problemOf(channel.connector.subscribePush(channel.actor, 'http://127.0.0.1:1/nowhere'))
  expect(fault.kind).toBe('permanent')
})
