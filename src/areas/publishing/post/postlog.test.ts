import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { careersPage, posting, profiles } from './post.fixture.ts'

let service: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = posting(service)
})
afterAll(() => service.stop())

let made = 0

/** A postlog as the sender writes it. */
async function entry(post: { Id: string }, rest: { credential?: string; links?: string[]; at?: string } = {}) {
  const id = `007entry${String(made++).padStart(7, '0')}`
  await ownerQuery(
    service.databaseUrl,
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, remote_id, remote_url)
    select account_id, $1, $4, $4, id, campaign_id, message_id, $3, network, 'success', $1, 'https://example.com/' || $1 from posts where id = $2`,
    [id, post.Id, rest.credential ?? profiles.linkedInPage, rest.at ?? '2026-03-04 05:06:07Z'],
  )
  for (const link of rest.links ?? [])
    await ownerQuery(
      service.databaseUrl,
      `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, post_id, credential_id, network, original_url, long_url)
      select account_id, $2, now(), now(), left($2, 7) || $4, campaign_id, message_id, id, $3, network, 'https://example.com/' || $2, 'https://example.com/' from posts where id = $1`,
      [post.Id, link, rest.credential ?? profiles.linkedInPage, made],
    )
  return id
}

test('a postlog has every field of the contract', async () => {
  const post = await given.post()
  const Id = await entry(post, { links: ['008one000000000', '008two000000000'] })
  const { json } = await service.reader(`GET /postlog/${Id}`)
  expect(json).toEqual({
    Result: true,
    Postlog: {
      Id,
      PostId: post.Id,
      CampaignId: post.CampaignId,
      MessageId: post.MessageId,
      CredentialId: profiles.linkedInPage,
      LinkId: '008one000000000',
      LinkIds: ['008one000000000', '008two000000000'],
      Created: '2026-03-04 05:06:07',
      Modified: '2026-03-04 05:06:07',
      Status: 'success',
      Network: 'LinkedIn',
      RemoteId: Id,
      RemoteUrl: `https://example.com/${Id}`,
      Error: '',
    },
  })
  const { json: counted } = await service.reader(`GET /postlog/${Id}`, { query: 'stats=1' })
  expect(counted).toEqual({
    ...json,
    Stats: {
      LinkClicks: 0,
      Conversions: 0,
      Comments: 0,
      Likes: 0,
      Shares: 0,
      ImpressionsAdded: 0,
      MediaClicksAdded: -1,
      DetailExpandsAdded: -1,
      UserFollowsAdded: -1,
    },
  })
})

test('a postlog has the clicks of its profile, a post those of all profiles', async () => {
  const post = await given.post({ credentialIds: `${profiles.linkedInPage},${careersPage}` })
  const [one, other] = [await entry(post), await entry(post, { credential: careersPage })]
  const counted = async (kind: string, id: string, clicks: number, converts: number) =>
    ownerQuery(
      service.databaseUrl,
      `insert into counters (account_id, of_kind, of_id, name, value, last)
      select $1, $2, $3, name, value, now() from (values ('clicks', $4::int), ('converts', $5::int)) f (name, value)`,
      [demoAccount, kind, id, clicks, converts],
    )
  await counted('profile-post', `${post.Id} ${profiles.linkedInPage}`, 3, 1)
  await counted('profile-post', `${post.Id} ${careersPage}`, 4, 0)
  await counted('post', post.Id, 7, 1)
  const stats = async (path: string) => (await service.reader(`GET /${path}`, { query: 'stats=1' })).json.Stats
  expect(await stats(`postlog/${one}`)).toMatchObject({ LinkClicks: 3, Conversions: 1 })
  expect(await stats(`postlog/${other}`)).toMatchObject({ LinkClicks: 4, Conversions: 0 })
  expect(await stats(`post/${post.Id}`)).toMatchObject({ LinkClicks: 7, Conversions: 1 })
})

test('the postlogs of a post are listed in order, without items and total', async () => {
  const post = await given.post({ credentialIds: `${profiles.linkedInPage},${careersPage}` })
  const later = await entry(post, { at: '2026-03-05 00:00:00Z' })
  const earlier = await entry(post, { credential: careersPage })
  await entry(await given.post())
  const { json } = await service.reader('GET /postlog', { query: `postId=${post.Id}` })
  expect(Object.keys(json)).toEqual(['Result', 'Postlogs'])
  expect(json.Postlogs.map(({ Id, LinkId }: { Id: string; LinkId: string }) => [Id, LinkId])).toEqual([
    [earlier, ''],
    [later, ''],
  ])
  const inPost = await service.reader(`GET /post/${post.Id}`, { query: 'postlogs=1' })
  expect(inPost.json.Post.Postlogs).toEqual(json.Postlogs)
  const listed = await service.reader('GET /post', { query: `messageId=${post.MessageId}&withPostlogs=1` })
  expect(listed.json.Items[0].Postlogs).toEqual(json.Postlogs)
  const other = await given.post()
  expect((await service.reader('GET /postlog', { query: `postId=${other.Id}` })).json.Postlogs).toEqual([])
})

test.each(['', 'postId='])('without a post id the error is in the field that clients read: "%s"', async (query) => {
  const { status, json } = await service.reader('GET /postlog', { query })
  const missing = 'Missing value for parameter postId'
  expect([status, json]).toEqual([
    400,
    { Result: false, Errors: { API: { Error: `${missing}.` }, Param: { get: missing } } },
  ])
})

test('postlogs are visible to users who can see the post', async () => {
  const campaignId = await given.campaign('Secret')
  const post = await given.post({ messageId: await given.message({ campaignId }) })
  const id = await entry(post)
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  for (const as of [service.publisher, service.otherAdmin]) {
    const { status, json } = await as(`GET /postlog/${id}`)
    expect([status, json.Errors.API.Error]).toEqual([404, 'Postlog not found.'])
    const list = await as('GET /postlog', { query: `postId=${post.Id}` })
    expect([list.status, list.json.Errors.API.Error]).toEqual([400, expect.stringContaining('postId names no post')])
  }
  expect((await service.reader(`GET /postlog/${id}`)).status).toBe(200)
  for (const postId of ['nonsense', '004absent000000'])
    expect((await service.reader('GET /postlog', { query: `postId=${postId}` })).status).toBe(400)
})
