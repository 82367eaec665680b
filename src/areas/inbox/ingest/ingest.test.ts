import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testFolder } from '../../../../tests/support/files.ts'
import { until } from '../../../../tests/support/publishing.ts'
import { type Inbox, profiles, remoteOf, startInbox } from './ingest.fixture.ts'

let inbox: Inbox
let post: string
beforeAll(async () => {
  inbox = await startInbox(3600, { hasWebhooks: true })
  await inbox.subscribed()
  post = await inbox.published('Facebook', profiles.facebook, { message: 'Forty walks, all reachable by train.' })
})
afterAll(() => inbox.stop())

const comment = (text: string, more: object = {}) =>
  inbox.inject(profiles.facebook, 'Facebook', { kind: 'comment', postRemoteId: post, text, ...more })

test('a pushed comment becomes an item with its post, and webhooks are sent', async () => {
  await comment('Is there a walk for a rainy afternoon?', { from: { id: '71', name: 'Robin Field' } })
  const item = await inbox.item(profiles.facebook, 'Is there a walk for a rainy afternoon?')
  expect(item).toMatchObject({
    network: 'Facebook',
    itemType: 'Post',
    status: 'open',
    language: 'en',
    personName: 'Robin Field',
    postText: 'Forty walks, all reachable by train.',
  })
  expect(item.postlogId).toMatch(/^007/)
  await expect
    .poll(() =>
      inbox
        .webhookCalls()
        .map(({ event }) => event)
        .sort(),
    )
    .toEqual(['newConversation', 'newEngagementItem', 'newInboxItem'])
  const call = inbox.webhookCalls().find(({ event }) => event === 'newInboxItem')
  expect(call?.data).toMatchObject([{ Id: `eitm${item.id.slice(3)}`, ItemType: 'Post', Origin: 'owned' }])
})

test('replies and likes belong to the item of the comment, and duplicates are stored once', async () => {
  const root = await comment('Wann kommt die Karte?')
  const item = await inbox.item(profiles.facebook, 'Wann kommt die Karte?')
  expect(item.language).toBe('de')
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'twice' })
  await comment('Das frage ich mich auch', { kind: 'reply', parentId: root.remoteId })
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'normal' })
  await inbox.inject(profiles.facebook, 'Facebook', { kind: 'like', parentId: root.remoteId, from: { id: '77' } })
  await until(async () => (await inbox.entries(item.id)).length >= 3)
  await inbox.quiet()
  const entries = await inbox.entries(item.id)
  expect(entries.map(({ type, content }) => [type, content])).toEqual([
    ['comment', 'Wann kommt die Karte?'],
    ['comment', 'Das frage ich mich auch'],
    ['like', ''],
  ])
  const about = () => inbox.webhookCalls().filter(({ data }) => data[0]?.Item?.Id === `eitm${item.id.slice(3)}`)
  await expect.poll(() => about().length).toBe(3)
  expect(
    about()
      .map(({ event }) => event)
      .sort(),
  ).toEqual(['conversationUpdated', 'newCommentOnInboxItem', 'updatedEngagementItem'])
})

test('incoming content reopens a closed item: events for comment and status, no new item', async () => {
  const root = await comment('Closed soon')
  const item = await inbox.item(profiles.facebook, 'Closed soon')
  await inbox.ask(`update inbox_items set status = 'closed' where id = $1`, [item.id])
  await comment('Not yet', { kind: 'reply', parentId: root.remoteId })
  await until(async () => (await inbox.entries(item.id)).length === 3)
  const [again] = (await inbox.items(profiles.facebook)).filter(({ id }) => id === item.id)
  expect(again?.status).toBe('open')
  expect((await inbox.entries(item.id)).map(({ type, details }) => [type, details])).toContainEqual([
    'status',
    { from: 'closed', to: 'open' },
  ])
  const id = `eitm${item.id.slice(3)}`
  const about = () => inbox.webhookCalls().filter(({ data }) => data[0]?.Item?.Id === id)
  await expect.poll(() => about().length).toBe(5)
  expect(
    about()
      .map(({ event }) => event)
      .sort(),
  ).toEqual([
    'conversationStatusUpdated',
    'conversationUpdated',
    'inboxItemStatusChange',
    'newCommentOnInboxItem',
    'updatedEngagementItem',
  ])
  const status = about().find(({ event }) => event === 'inboxItemStatusChange')
  expect(status?.data[0]).toMatchObject({ Status: { From: 'closed', To: 'open' }, Item: { Status: 'open' } })
})

test('the assignee of a closed item gets an email when it is reopened, if enabled', async () => {
  const root = await comment('Closed too early')
  const { id } = await inbox.item(profiles.facebook, 'Closed too early')
  const emails = async () => {
    const names = await readdir(join(testFolder, 'outbox'))
    const texts = await Promise.all(names.map((name) => readFile(join(testFolder, 'outbox', name), 'utf8')))
    return texts.filter((text) => text.includes(id)).map((text) => /^Subject: (.*?)\r?$/m.exec(text)?.[1])
  }
  const close = () => inbox.publisher(`POST /conversation/${id}`, { body: { status: 'closed' } })
  const wants = (emailOnStatusChange: boolean) => inbox.admin('POST /notification', { body: { emailOnStatusChange } })
  await inbox.publisher(`POST /conversation/${id}/assign`, { body: { assignee_id: '00Ademo00000001' } })
  await wants(false)
  await close()
  await comment('Unheard', { kind: 'reply', parentId: root.remoteId })
  await inbox.settled()
  await wants(true)
  await close()
  await comment('Heard', { kind: 'reply', parentId: root.remoteId })
  await expect
    .poll(emails)
    .toEqual(expect.arrayContaining([expect.stringContaining('closed'), 'A conversation of yours is open again']))
  expect(await emails()).toHaveLength(3)
})

test('messages of one person are one item that shows the last message', async () => {
  const from = { id: '7000000000000099', name: 'Mia Lund' }
  await inbox.inject(profiles.facebook, 'Facebook', { kind: 'message', text: 'Hello, is my parcel on its way?', from })
  const item = await inbox.item(profiles.facebook, 'Hello, is my parcel on its way?')
  await inbox.inject(profiles.facebook, 'Facebook', { kind: 'message', text: 'It should have been here today.', from })
  const later = await inbox.item(profiles.facebook, 'It should have been here today.')
  expect(later).toMatchObject({ id: item.id, itemType: 'Conversation', entries: 2 })
})

test('a push with a wrong signature is not stored', async () => {
  const before = await inbox.ask('select from inbox_activities')
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'forged' })
  await comment('Forged')
  await expect
    .poll(async () => {
      const { deliveries } = (await inbox.sandbox.control('/push')).body as { deliveries: Delivery[] }
      return deliveries.find(({ body }) => body.includes('Forged'))?.attempts[0]?.status
    })
    .toBe(401)
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'normal' })
  expect((await inbox.ask('select from inbox_activities')).length).toBe(before.length)
  const unknown = await fetch(`${inbox.url}/push/nowhere`, { method: 'POST', body: '{}' })
  expect(unknown.status).toBe(404)
})

test('a handshake does not sign arbitrary messages', async () => {
  const owner = remoteOf(profiles.x)
  const message = { id: '990001', created_timestamp: String(Date.now()) }
  const content = { sender_id: '7', target: { recipient_id: owner }, message_data: { text: 'Planted by a stranger' } }
  const payload = { direct_message_events: [{ ...message, message_create: content }] }
  const body = JSON.stringify({ data: { event_type: 'dm.received', filter: { user_id: owner }, payload } })
  const handshake = await fetch(`${inbox.url}/push/x?${new URLSearchParams({ crc_token: body })}`)
  const { response_token: signature = '' } = JSON.parse((await handshake.text()).replace(/^[^{].*$/, '{}'))
  const headers = { 'content-type': 'application/json', 'x-twitter-webhooks-signature': signature }
  const pushed = await fetch(`${inbox.url}/push/x`, { method: 'POST', headers, body })
  expect([handshake.status, pushed.status]).toEqual([400, 401])
})

interface Delivery {
  body: string
  attempts: { status?: number }[]
}
