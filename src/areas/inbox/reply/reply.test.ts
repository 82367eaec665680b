import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import type { PlacedItem } from '../../../../tests/support/inbox.ts'
import { type Publishing, profiles, startPublishing, until } from '../../../../tests/support/publishing.ts'
import { inboxOf } from '../inbox.fixture.ts'

let publishing: Publishing
let inbox: ReturnType<typeof inboxOf>
beforeAll(async () => {
  publishing = await startPublishing()
  inbox = inboxOf(publishing)
})
afterAll(() => publishing.stop())

const careersPage = '003-1-2414184'
const image = '026demo00000001'
let numbered = 0
const words = () => `Words ${process.pid} ${numbered++}`
const person = () => ({ id: `71000000000${String(numbered++).padStart(5, '0')}`, name: 'Robin Field' })
const sentence = ({ status, json }: { status: number; json: { Errors?: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]

/** A person mentions the LinkedIn page, and the item is in the inbox. */
async function mentioned(rest: PlacedItem = {}) {
  const [network, profile] = ['LinkedIn', '2414183']
  const from = person()
  const injected = await publishing.sandbox.inject({ network, profile, from, kind: 'mention', text: 'Hi', push: false })
  return inbox.item({ itemType: 'Mention', remoteId: injected.remoteId, postRemoteId: '', personId: from.id, ...rest })
}

async function messaged(rest: PlacedItem = {}) {
  const from = person()
  const about = { network: 'Facebook', profile: '100200300400501', from, kind: 'message', text: 'Hi', push: false }
  const { threadId } = await publishing.sandbox.inject(about)
  const target = { network: 'Facebook', credentialId: profiles.facebook, itemType: 'Conversation' as const }
  return inbox.item({ ...target, remoteId: threadId, personId: from.id, ...rest })
}

const reply = (id: string, body: object = {}, as = publishing.contributor) =>
  as(`POST /conversation/${id}/reply`, { body: { message: words(), ...body } })
const replyChecked = (id: string, body: object, as = publishing.contributor) =>
  as(`POST /app/api/conversation/${id}/reply`, { body: { message: words(), ...body } })
const repair = (id: string, body: object, as = publishing.contributor) =>
  as(`POST /app/api/reply/${id}/repair`, { body })
const repliesOf = async (id: string) => (await publishing.reader(`GET /app/api/conversation/${id}/reply`)).json.Items
const settled = (id: string) =>
  until(async () => {
    const [latest] = await repliesOf(id)
    return latest && latest.Status !== 'waiting' && latest
  })
const types = async (id: string) => (await inbox.events(id)).map(({ type }) => type)
const fault = (json: object) => publishing.sandbox.control('/fault', json)

/** Network id of an item's first entry. */
const remoteIdIn = async (id: string) => ((await inbox.entries(id))[0] as unknown as { remote_id: string }).remote_id

/** A failed reply that was never sent. */
async function failed(status: 'failed' | 'unconfirmed' | 'late' = 'failed') {
  const { id } = await mentioned()
  await fault({
    network: 'LinkedIn',
    operation: 'comment',
    fault: 'answer',
    answer: { status: 400, body: { message: 'No.' } },
  })
  const text = words()
  await reply(id, { message: text })
  const { Id } = await settled(id)
  const { databaseUrl } = publishing
  await ownerQuery(databaseUrl, 'update sends set state = $2 where content_id = $1', [Id, status])
  const shown = status === 'late' ? 'waiting' : status
  await ownerQuery(databaseUrl, 'update inbox_replies set status = $2 where id = $1', [Id, shown])
  return { id, replyId: Id as string, text }
}

test('a reply is in the timeline immediately, and webhooks are sent when the network has it', async () => {
  const { id } = await mentioned()
  const text = words()
  expect((await reply(id, { message: ` ${text} ` })).json).toEqual({ Result: true })
  const [, entry] = await inbox.entries(id)
  expect(entry).toMatchObject({ type: 'reply', content: text, is_own: true, created_by: '00Ademo00000003' })
  const sent = await settled(id)
  expect(sent).toMatchObject({ Status: 'sent', Text: text, Error: '', IsLate: false, CreatedBy: '00Ademo00000003' })
  expect((await inbox.entries(id))[1]).toMatchObject({
    id: entry?.id,
    remote_id: sent.RemoteId,
    url: expect.stringContaining('http'),
    details: { status: 'sent', error: '' },
  })
  const sentEvents = await inbox.events(id)
  expect(sentEvents.map(({ type, data }) => [type, data[0].Text])).toEqual([['inboxItemReplied', text]])
  expect(sentEvents[0]?.data[0].Item).toMatchObject({ Id: `eitm${id.slice(3)}`, ItemType: 'Mention', Status: 'open' })
})

test('a rejection by the network is in the timeline with what to do, without webhooks', async () => {
  const { id, replyId, text } = await failed()
  const [, entry] = await inbox.entries(id)
  expect(entry?.details).toEqual({
    status: 'failed',
    error: expect.stringContaining('No.'),
    advice: expect.stringContaining('Send it again'),
  })
  expect(await types(id)).toEqual([])
  expect((await repair(replyId, { action: 'send-again' })).json.Reply).toMatchObject({
    Id: replyId,
    Status: 'waiting',
    Error: '',
  })
  expect(await settled(id)).toMatchObject({ Status: 'sent' })
  expect((await publishing.published(text)).length).toBe(1)
  expect(await types(id)).toEqual(['inboxItemReplied'])
  expect((await inbox.entries(id)).map(({ type }) => type)).toEqual(['comment', 'reply'])
})

test.each(['failed', 'unconfirmed', 'late'] as const)('a user resolves a reply that is %s', async (status) => {
  const [found, dropped] = [await failed(status), await failed(status)]
  const remoteId = `urn:li:comment:${status}`
  const { json } = await repair(found.replyId, { action: 'mark-sent', remoteId })
  expect(json.Reply).toMatchObject({ Status: 'sent', RemoteId: remoteId })
  expect(await types(found.id)).toEqual(['inboxItemReplied'])
  for (const action of ['mark-sent', 'send-again', 'drop'])
    expect(sentence(await repair(found.replyId, { action }))).toEqual([409, expect.stringContaining('has this answer')])
  const taken = [remoteId, await remoteIdIn(dropped.id)]
  for (const other of taken)
    expect(sentence(await repair(dropped.replyId, { action: 'mark-sent', remoteId: other }))).toEqual([
      409,
      expect.stringContaining('another'),
    ])
  expect((await repair(dropped.replyId, { action: 'drop' })).json.Reply).toMatchObject({
    Status: 'withdrawn',
    IsLate: false,
  })
  expect(sentence(await repair(dropped.replyId, { action: 'send-again' }))).toEqual([
    409,
    expect.stringContaining('dropped'),
  ])
  expect((await inbox.entries(dropped.id))[1]?.details).toEqual({ status: 'withdrawn', error: '' })
  expect(await types(dropped.id)).toEqual([])
})

test('a reply without a response is looked up, and sent once', async () => {
  const { id } = await messaged()
  const text = words()
  await fault({ network: 'Facebook', operation: 'message', fault: 'lost-answer' })
  await reply(id, { message: text })
  expect(await settled(id)).toMatchObject({ Status: 'sent' })
  expect((await publishing.published(text)).length).toBe(1)
  expect(await types(id)).toEqual(['inboxItemReplied'])
})

test('an echo received before the response is the same reply: the timeline has it once', async () => {
  const { id } = await messaged()
  const text = words()
  await fault({ network: 'Facebook', operation: 'message', fault: 'lost-answer' })
  await reply(id, { message: text })
  const [there] = await until(async () => {
    const found = await publishing.published(text)
    return found.length > 0 && found
  })
  const echo = { itemId: id, credentialId: profiles.facebook, remoteId: there?.remoteId as string, type: 'message' }
  await inbox.entry({ ...echo, text, isOwn: true }).catch(() => {})
  const { RemoteId } = await settled(id)
  expect(RemoteId).toBe(there?.remoteId)
  const entries = await inbox.entries(id)
  expect(entries.filter(({ content }) => content === text)).toMatchObject([
    { remote_id: RemoteId, details: { status: 'sent' }, created_by: '00Ademo00000003' },
  ])
})

test('a reply that a network would reject is rejected when created, with the limit', async () => {
  const { id } = await mentioned()
  expect(sentence(await reply(id, { message: 'x'.repeat(1_251) }))).toEqual([400, expect.stringContaining('1250')])
  expect(sentence(await reply(id, { message: 'x'.repeat(10_001) }))).toEqual([400, expect.stringContaining('10000')])
  expect(sentence(await reply(id, { message: ' ' }))).toEqual([400, expect.stringContaining('message')])
  expect(sentence(await reply(id, { media: [image, '026demo00000002'] }))).toEqual([
    400,
    expect.stringContaining('takes 1 at most'),
  ])
  expect(sentence(await reply(id, { media: '026absent000000' }))).toEqual([
    400,
    expect.stringContaining('no such asset'),
  ])
  const tiktok = await inbox.item({ network: 'TikTok', credentialId: profiles.tiktok })
  expect(sentence(await reply(tiktok.id, { message: 'See https://example.com' }))).toEqual([
    400,
    expect.stringContaining('links'),
  ])
  const x = await inbox.item({ network: 'Twitter', credentialId: profiles.x, itemType: 'Reply' })
  expect(sentence(await reply(x.id, { message: '界'.repeat(141) }))).toEqual([400, expect.stringContaining('280')])
  const old = await messaged({ eventDate: new Date(Date.now() - 8 * 86_400_000) })
  expect(sentence(await reply(old.id))).toEqual([400, expect.stringContaining('7 days')])
  expect(await repliesOf(id)).toEqual([])
})

test('another profile of the network may reply in public, and no other', async () => {
  const { id } = await mentioned()
  expect(sentence(await reply(id, { credential_id: profiles.x }))).toEqual([400, expect.stringContaining('on Twitter')])
  expect(sentence(await reply(id, { credential_id: '003-1-absent' }))).toEqual([
    400,
    expect.stringContaining('no such profile'),
  ])
  const thread = await messaged()
  const other = await publishing.admin('GET /credential', { query: 'network=Facebook' })
  const second = other.json.Items.find(({ Id }: { Id: string }) => Id !== profiles.facebook)?.Id
  if (second) expect((await reply(thread.id, { credential_id: second })).status).toBe(400)
  const text = words()
  expect((await reply(id, { message: text, credential_id: careersPage })).status).toBe(200)
  expect(await settled(id)).toMatchObject({ Status: 'sent', CredentialId: careersPage })
})

test('a reply refers to a comment of this conversation, by its entry or by the network’s id', async () => {
  const [{ id, entryId }, other] = [await mentioned(), await mentioned()]
  for (const parent_comment_id of [other.entryId, 'eatabsent000000', 'urn:li:comment:9'])
    expect(sentence(await reply(id, { parent_comment_id }))).toEqual([
      400,
      expect.stringContaining('no comment of this'),
    ])
  expect((await reply(id, { parent_comment_id: entryId })).status).toBe(200)
})

test('a user writing while another replies gets a conflict with author and text, and may send anyway', async () => {
  const { id, entryId: lastEntryId } = await mentioned()
  const text = words()
  await replyChecked(id, { message: text, lastEntryId }, publishing.publisher)
  const refused = await replyChecked(id, { lastEntryId })
  const { Name } = (await publishing.admin('GET /user/00Ademo00000002')).json.User
  expect(sentence(refused)).toEqual([
    409,
    expect.stringContaining(`${Name} answered while you were writing: "${text}"`),
  ])
  const [, entry] = await inbox.entries(id)
  expect(refused.json.Errors.Reply).toEqual({ EntryId: entry?.id, CreatedBy: '00Ademo00000002' })
  expect((await replyChecked(id, { lastEntryId: entry?.id })).status).toBe(200)
  expect((await replyChecked(id, { lastEntryId, anyway: 1 })).status).toBe(200)
  expect(sentence(await replyChecked(id, { message: text }))).toEqual([409, expect.stringContaining('said just this')])
  expect((await replyChecked(id, { message: text, anyway: 1 })).status).toBe(200)
})

test('of ten concurrent identical replies one is sent', async () => {
  const { id, entryId: lastEntryId } = await mentioned()
  const message = words()
  const people = [publishing.publisher, publishing.contributor, publishing.admin]
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => replyChecked(id, { message, lastEntryId }, people[turn % 3])),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  await settled(id)
  expect((await publishing.published(message)).length).toBe(1)
})

test('read-only users cannot reply, and replies of other accounts are not found', async () => {
  const { id, replyId } = await failed()
  expect((await reply(id, {}, publishing.reader)).status).toBe(403)
  expect((await repair(replyId, { action: 'drop' }, publishing.reader)).status).toBe(403)
  expect((await repair(replyId, { action: 'drop' }, publishing.otherAdmin)).status).toBe(404)
  expect((await publishing.otherAdmin(`GET /app/api/conversation/${id}/reply`)).status).toBe(404)
  expect((await reply(id, {}, publishing.otherAdmin)).status).toBe(404)
})

test('a queued reply can be dropped, and is removed with its profile', async () => {
  const [dropped, left] = [await mentioned(), await mentioned()]
  await fault({ network: 'LinkedIn', profile: '2414184', operation: 'comment', fault: 'rate-limit', count: 2 })
  const [one, other] = [words(), words()]
  const { Id } = (await replyChecked(dropped.id, { message: one, credentialId: careersPage })).json.Reply
  await until(async () => (await publishing.sends(Id))[0]?.error !== '')
  expect((await repair(Id, { action: 'drop' })).json.Reply).toMatchObject({ Status: 'withdrawn' })
  const second = (await replyChecked(left.id, { message: other, credentialId: careersPage })).json.Reply
  expect((await publishing.admin(`DELETE /credential/${careersPage}`)).json).toEqual({ Result: true })
  expect(await settled(left.id)).toMatchObject({ Id: second.Id, Status: 'failed', Error: expect.any(String) })
  expect([...(await publishing.published(one)), ...(await publishing.published(other))]).toEqual([])
  expect(await inbox.wrongCounts()).toEqual([])
})
