import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../../tests/support/caller.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { careersPage, image, posting, profiles } from './post.fixture.ts'

let service: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = posting(service)
})
afterAll(() => service.stop())

const both = `${profiles.linkedInPage},${careersPage}`
const sentence = ({ status, json }: { status: number; json: { Errors?: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]
const twenty = <Result>(call: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, call))
const statusOf = async (id: string) => (await service.reader(`GET /post/${id}`)).json.Post.Status
const eventTypes = async (id: string) => (await given.events(id)).map(({ type }) => type)
const logs = async (id: string) => (await service.reader('GET /postlog', { query: `postId=${id}` })).json.Postlogs

/** A post whose sends have ended: failed on the first profile, and as given on the second. */
async function ended(second: 'sent' | 'failed', rest: object = {}) {
  const { Id } = await given.post({ credentialIds: both, ...rest })
  await given.setState(Id, 'failed', '%', 'first-comment')
  for (const [credential, state] of [
    [profiles.linkedInPage, 'failed'],
    [careersPage, second],
  ] as const) {
    await given.setState(Id, state, credential)
    await ownerQuery(
      service.databaseUrl,
      `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, error)
      select account_id, '007' || right($1, 11) || $4, now(), now(), id, campaign_id, message_id, $2, network, $3, 'No' from posts where id = $1`,
      [Id, credential, state === 'sent' ? 'success' : 'failed', credential === careersPage ? 'b' : 'a'],
    )
  }
  await ownerQuery(service.databaseUrl, 'delete from media_references where holder = $1', [Id])
  await count(Id, second === 'sent' ? 'incomplete' : 'error')
  return { Id, log: `007${Id.slice(4)}a`, other: `007${Id.slice(4)}b` }
}

/** Updates the status and the counters as the sender does. */
async function count(id: string, status: string) {
  const url = service.databaseUrl
  await ownerQuery(url, `update posts set status = $2, sent = $3 where id = $1`, [
    id,
    status,
    status === 'incomplete' ? new Date() : null,
  ])
  await ownerQuery(
    url,
    `update post_counts c set posts = c.posts - 1 from posts p where p.account_id = c.account_id and p.id = $1 and c.campaign_id = p.campaign_id
      and c.created_by = p.created_by and c.source = p.source and c.status = 'pending'`,
    [id],
  )
  await ownerQuery(
    url,
    `insert into post_counts select account_id, campaign_id, created_by, source, status, 1 from posts where id = $1
    on conflict (account_id, campaign_id, created_by, source, status) do update set posts = post_counts.posts + 1`,
    [id],
  )
}

const markSent = (log: string, body: object = {}, as: Caller = service.publisher) =>
  as(`POST /app/api/postlog/${log}/repair`, { body: { action: 'mark-sent', ...body } })
const again = (log: string, as: Caller = service.publisher) =>
  as(`POST /app/api/postlog/${log}/repair`, { body: { action: 'send-again' } })
const late = (id: string, action: string, as: Caller = service.publisher) =>
  as(`POST /app/api/post/${id}/repair`, { body: { action } })

test('a failed postlog marked as sent becomes a success and emits postSent once', async () => {
  const { Id, log, other } = await ended('failed')
  const remoteUrl = 'https://www.linkedin.com/feed/update/urn:li:share:1'
  const { json } = await markSent(log, { remoteUrl, remoteId: 'urn:li:share:1' })
  expect(json.Postlog).toMatchObject({
    Id: log,
    Status: 'success',
    Error: '',
    RemoteUrl: remoteUrl,
    RemoteId: 'urn:li:share:1',
  })
  expect([await statusOf(Id), await eventTypes(Id)]).toEqual(['incomplete', ['postCreated', 'postSent']])
  expect(sentence(await markSent(log))).toEqual([409, expect.stringContaining('has got this post')])
  expect((await markSent(other)).json.Postlog).toMatchObject({ Status: 'success', RemoteUrl: '' })
  expect([await statusOf(Id), await eventTypes(Id)]).toEqual(['complete', ['postCreated', 'postSent']])
  expect(await given.sends(Id)).toMatchObject([{ state: 'sent' }, { state: 'sent' }])
  expect(await given.wrongCounts()).toEqual([])
})

test('the first comment is sent where the remote post is known', async () => {
  const { Id, log, other } = await ended('failed', { firstComment: { text: 'Hi' } })
  await markSent(log, { remoteId: 'urn:li:share:2' })
  await markSent(other, {})
  expect((await given.sends(Id)).filter(({ kind }) => kind === 'first-comment')).toMatchObject([
    { credential: profiles.linkedInPage, state: 'waiting', due: expect.any(Date) },
    { credential: careersPage, state: 'failed', error: expect.stringContaining('which post') },
  ])
})

test.each(['ftp://example.com/a', 'javascript:alert(1)', 'example.com'])(
  '%s is not the URL of a post',
  async (remoteUrl) => {
    const { log } = await ended('failed')
    expect(sentence(await markSent(log, { remoteUrl }))).toEqual([400, expect.stringContaining('remoteUrl')])
  },
)

test('a remote URL is refused when a post is sent again', async () => {
  const { log } = await ended('failed')
  const body = { action: 'send-again', remoteId: 'urn:li:share:3' }
  const refused = await service.publisher(`POST /app/api/postlog/${log}/repair`, { body })
  expect(sentence(refused)).toEqual([400, expect.stringContaining('action=mark-sent')])
})

test('a failed post is sent again, with its media protected and its counters correct', async () => {
  const messageId = await given.message({ media: image })
  const { Id, log } = await ended('sent', { messageId, firstComment: { text: 'Hi' } })
  expect((await again(log)).json.Postlog).toMatchObject({ Id: log, Status: 'failed' })
  expect(await statusOf(Id)).toBe('pending')
  expect(await given.sends(Id)).toMatchObject([
    { kind: 'post', credential: profiles.linkedInPage, state: 'waiting', due: expect.any(Date), attempts: 0 },
    { kind: 'post', credential: careersPage, state: 'sent' },
    { kind: 'first-comment', credential: profiles.linkedInPage, state: 'idle' },
    { kind: 'first-comment', credential: careersPage, state: 'failed' },
  ])
  expect((await service.admin(`DELETE /media/${image}`)).status).toBe(409)
  expect(sentence(await again(log))).toEqual([409, expect.stringContaining('on its way')])
  expect(sentence(await service.publisher(`DELETE /post/${Id}`))).toEqual([
    409,
    expect.stringContaining('sent already'),
  ])
  expect(await given.wrongCounts()).toEqual([])
  const lanes = await ownerQuery(
    service.databaseUrl,
    'select from profile_partitions where credential = $1 and due <= now()',
    [profiles.linkedInPage],
  )
  expect(lanes.length).toBe(1)
})

test('of twenty concurrent repairs one succeeds', async () => {
  const [first, second] = [await ended('failed'), await ended('failed')]
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort((a, b) => a - b)
  expect(statuses(await twenty(() => again(first.log)))).toEqual([200, ...Array(19).fill(409)])
  expect(statuses(await twenty(() => markSent(second.log)))).toEqual([200, ...Array(19).fill(409)])
  expect(await eventTypes(second.Id)).toEqual(['postCreated', 'postSent'])
  expect(await given.wrongCounts()).toEqual([])
})

test('a post whose message or campaign was deleted is not sent again', async () => {
  const campaignId = await given.campaign('Ends')
  const { log, Id } = await ended('failed', { messageId: await given.message({ campaignId }) })
  const { json } = await service.reader(`GET /post/${Id}`)
  await service.admin(`DELETE /message/${json.Post.MessageId}`)
  expect(sentence(await again(log))).toEqual([409, expect.stringContaining('message was deleted')])
  await service.admin(`POST /campaign/${campaignId}`, { body: { status: 'archived' } })
  expect(sentence(await again(log))).toEqual([409, expect.stringContaining('archived')])
})

test('a late post is listed, and sent or dropped on request', async () => {
  const post = await given.post({ credentialIds: both })
  await given.setState(post.Id, 'late', careersPage)
  const list = async () => (await service.publisher('GET /app/api/post/late')).json
  const { Id, CampaignId, MessageId, Network, StartDateTime } = post
  expect(await list()).toEqual({
    Result: true,
    Total: 1,
    Items: [{ Id, CampaignId, MessageId, Network, StartDateTime, Credentials: careersPage }],
  })
  expect((await late(Id, 'send')).json).toEqual({ Result: true })
  const [careers, page] = (await given.sends(Id)).toSorted((a, b) => (a.credential > b.credential ? -1 : 1))
  expect(careers).toMatchObject({ credential: careersPage, state: 'waiting' })
  expect(careers?.due?.getTime()).toBeLessThanOrEqual(Date.now())
  expect(page?.due?.getFullYear()).toBe(2030)
  expect((await list()).Items).toEqual([])
  expect(sentence(await late(Id, 'send'))).toEqual([409, expect.stringContaining('nothing to decide')])

  await given.setState(Id, 'late', careersPage)
  await given.setState(Id, 'sent', profiles.linkedInPage)
  expect((await late(Id, 'drop')).status).toBe(200)
  expect(await statusOf(Id)).toBe('incomplete')
  expect(await logs(Id)).toMatchObject([
    { CredentialId: careersPage, Status: 'failed', Error: 'It missed its time and was dropped.' },
  ])
  expect(await given.wrongCounts()).toEqual([])
})

test('a late post that was sent nowhere is deleted when it is dropped', async () => {
  const { Id } = await given.post({ credentialIds: both, firstComment: { text: 'Hi' } })
  await given.setState(Id, 'late')
  expect((await late(Id, 'drop')).json).toEqual({ Result: true })
  expect((await service.reader(`GET /post/${Id}`)).status).toBe(404)
  expect(await eventTypes(Id)).toEqual(['postCreated', 'postDeleted'])
  expect(await given.wrongCounts()).toEqual([])
})

test('in a paused campaign a repaired post waits until the campaign resumes', async () => {
  const campaignId = await given.campaign('Rests')
  const messageId = await given.message({ campaignId })
  const { Id } = await given.post({ messageId })
  const { Id: failed, log } = await ended('failed', { messageId })
  await given.setState(Id, 'late')
  await service.publisher(`POST /campaign/${campaignId}`, { body: { status: 'paused' } })
  expect([(await late(Id, 'send')).status, (await again(log)).status]).toEqual([200, 200])
  expect(await given.sends(Id)).toMatchObject([{ state: 'waiting', due: null }])
  expect((await given.sends(failed))[0]).toMatchObject({ state: 'waiting', due: null })
})

test('repairing requires permission to approve, in the same account', async () => {
  const { Id, log } = await ended('failed')
  for (const as of [service.contributor, service.reader])
    for (const response of [await markSent(log, {}, as), await again(log, as), await late(Id, 'send', as)])
      expect(response.status).toBe(403)
  for (const response of [
    await markSent(log, {}, service.otherAdmin),
    await again(log, service.otherAdmin),
    await late(Id, 'drop', service.otherAdmin),
    await again('007absent000000'),
  ])
    expect(response.status).toBe(404)
  expect((await service.otherAdmin('GET /app/api/post/late')).json).toEqual({ Result: true, Items: [], Total: 0 })
  expect(sentence(await late(Id, 'forget'))).toEqual([400, expect.stringContaining('action must be one of send, drop')])
})
