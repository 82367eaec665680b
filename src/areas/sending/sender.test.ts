import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type Publishing, profiles, startPublishing, until } from '../../../tests/support/publishing.ts'

let publishing: Publishing
beforeAll(async () => {
  publishing = await startPublishing({ environment: { CHORUS_ROLES: 'api,worker' } })
})
beforeEach(() => publishing.sandbox.control('/faults', undefined))
afterAll(() => publishing.stop())

let numbered = 0
const text = (about: string) => `${about} ${process.pid} ${numbered++}`

test('a post is published on its profile; postlog, campaign, calendar and event agree', async () => {
  const campaignId = await publishing.campaign()
  const words = text('Out now')
  const { Id } = await publishing.post('Facebook', profiles.facebook, { message: words, campaignId })
  const post = await publishing.settled(Id)
  const [entry, ...more] = await publishing.published(words)
  expect(more).toEqual([])
  expect(post).toMatchObject({
    Status: 'complete',
    Postlogs: [{ Status: 'success', Error: '', RemoteId: entry?.remoteId, CredentialId: profiles.facebook }],
  })
  const { Campaign } = (await publishing.reader(`GET /campaign/${campaignId}`)).json
  expect([Campaign.TotalPosts, Campaign.TotalPendingPosts, Campaign.TotalDraftPosts]).toEqual([1, 0, 0])
  const events = await ownerQuery<{ data: string }>(
    publishing.databaseUrl,
    `select data from events where type = 'postSent' and data like '%' || $1 || '%'`,
    [Id],
  )
  expect(events.length).toBe(1)
  expect(JSON.parse(events[0]?.data ?? '')).toMatchObject([
    {
      Id,
      Status: 'complete',
      ProfileIds: [profiles.facebook],
      Postlogs: [{ ProfileId: profiles.facebook, PostURL: expect.stringMatching(/^http/) }],
    },
  ])
})

// The text-only post on a LinkedIn page is covered by the test with a first comment below.
test.concurrent.each([
  ['Twitter', profiles.x, { message: 'Words' }],
  ['LinkedIn', profiles.linkedInMember, { message: 'Words' }],
  ['Instagram', profiles.instagram, { message: 'Words', media: '026demo00000001' }],
  ['Instagram', profiles.instagram, { message: 'Words', media: '026demo00000004' }],
  ['LinkedIn', profiles.linkedInPage, { message: 'Words', media: '026demo00000006' }],
  ['YouTube', profiles.youtube, { message: 'Words', media: '026demo00000005', title: 'A film' }],
  ['TikTok', profiles.tiktok, { message: 'Words', media: '026demo00000005' }],
])('%s through %s', async (network, profile, message) => {
  const words = text(message.message)
  const { Id } = await publishing.post(network, profile, { ...message, message: words })
  const post = await publishing.settled(Id)
  expect(post, JSON.stringify(post)).toMatchObject({ Status: 'complete', Postlogs: [{ Status: 'success' }] })
  expect((await publishing.published(words)).length).toBe(1)
})

test('a first comment is sent after the post', async () => {
  const [words, comment] = [text('Look below'), text('And here it is')]
  const firstComment = { text: comment, media: '026demo00000001' }
  const { Id } = await publishing.post('LinkedIn', profiles.linkedInPage, { message: words }, { firstComment })
  await publishing.settled(Id)
  await until(async () => (await publishing.read(Id)).FirstComment?.Status === 'published')
  const [post] = await publishing.published(words)
  expect(await publishing.published(comment)).toMatchObject([{ kind: 'comment', parentId: post?.remoteId }])
})

test('a lost response is confirmed with the network, and the post is sent once', async () => {
  const words = text('Lost answer')
  await publishing.sandbox.control('/fault', { network: 'Facebook', operation: 'publish', fault: 'lost-answer' })
  const { Id } = await publishing.post('Facebook', profiles.facebook, { message: words })
  expect((await publishing.settled(Id)).Status).toBe('complete')
  expect((await publishing.published(words)).length).toBe(1)
})

test('a post the network does not have is sent again after the last confirmation', async () => {
  const words = text('Server error')
  await publishing.sandbox.control('/fault', { network: 'Twitter', operation: 'publish', fault: 'server-error' })
  const { Id } = await publishing.post('Twitter', profiles.x, { message: words })
  expect((await publishing.settled(Id)).Status).toBe('complete')
  expect((await publishing.published(words)).length).toBe(1)
})

test('a post that cannot be confirmed is unconfirmed and says what to check', async () => {
  const words = text('Member')
  await publishing.sandbox.control('/fault', { network: 'LinkedIn', operation: 'publish', fault: 'lost-answer' })
  const { Id } = await publishing.post('LinkedIn', profiles.linkedInMember, { message: words })
  const post = await publishing.settled(Id)
  expect(post).toMatchObject({
    Status: 'error',
    Postlogs: [{ Status: 'failed', Error: expect.stringContaining('Check the profile') }],
  })
  expect((await publishing.sends(Id)).map(({ state }) => state)).toEqual(['unconfirmed'])
})

test('a post can fail on one of two profiles', async () => {
  const words = text('Half')
  await publishing.sandbox.control('/fault', {
    network: 'LinkedIn',
    profile: '2414184',
    operation: 'publish',
    fault: 'answer',
    answer: {
      status: 403,
      body: { status: 403, code: 'ACCESS_DENIED', message: 'Not enough permissions to access: posts.CREATE' },
    },
  })
  const both = `${profiles.linkedInPage},003-1-2414184`
  const { Id } = await publishing.post('LinkedIn', both, { message: words })
  const post = await publishing.settled(Id)
  expect(post.Status).toBe('incomplete')
  expect(post.Postlogs.map(({ Status }) => Status).sort()).toEqual(['failed', 'success'])
})

test('a network that is overloaded is retried later', async () => {
  const words = text('Busy')
  await publishing.sandbox.control('/fault', { network: 'Facebook', operation: 'publish', fault: 'rate-limit' })
  const { Id } = await publishing.post('Facebook', profiles.facebook, { message: words })
  const [send] = await until(async () => {
    const found = await publishing.sends(Id)
    return found[0]?.error ? found : undefined
  })
  expect(send).toMatchObject({ state: 'waiting', attempts: 1 })
  expect(await publishing.published(words)).toEqual([])
})
