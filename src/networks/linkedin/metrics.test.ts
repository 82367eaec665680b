import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import { draftOf, errorOf, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
})
afterAll(() => linkedIn.close())

const liked = (profile: string, postRemoteId: string) =>
  linkedIn.inject({ network: 'LinkedIn', profile, kind: 'like', postRemoteId, from: simulatedUser, push: false })

test('metrics of a page’s posts are returned, unknown posts are omitted', async () => {
  const { connector, page, media } = linkedIn
  const text = await linkedIn.publish(page, draftOf('Counted'))
  const film = await linkedIn.publish(page, draftOf('Counted film', { media: [media('mp4')] }))
  linkedIn.pass(86_400_000)
  await connector.reply(page, { postId: text.remoteId }, 'One', [])
  const unknown = 'urn:li:share:7000000000000000001'
  const before = (await connector.metrics(page, [text.remoteId])).get(text.remoteId)
  await liked(page.remoteId, text.remoteId)
  const numbers = await connector.metrics(page, [text.remoteId, film.remoteId, unknown])
  expect([...numbers.keys()].sort()).toEqual([text.remoteId, film.remoteId].sort())
  const { impressions = 0, reach = 0, likes = 0, comments } = numbers.get(text.remoteId) ?? {}
  expect(impressions).toBeGreaterThan(0)
  expect(reach).toBeLessThanOrEqual(impressions)
  expect(likes).toBe((before?.likes ?? 0) + 1)
  expect(comments).toBe(1)
})

test('members’ posts have likes and comments, with more scopes also impressions', async () => {
  const { connector, member } = linkedIn
  const { remoteId } = await linkedIn.publish(member, draftOf('Mine, counted'))
  linkedIn.pass(86_400_000)
  await liked(member.remoteId, remoteId)
  const plain = (await connector.metrics(member, [remoteId, 'urn:li:share:1'])).get(remoteId)
  expect(plain).toEqual({ likes: expect.any(Number), comments: 0 })
  const scopes = ['r_member_postAnalytics']
  const analyst = { ...member, secret: { ...member.secret, scopes } }
  const whole = (await connector.metrics(analyst, [remoteId])).get(remoteId)
  expect(whole).toMatchObject({ ...plain, impressions: expect.any(Number), saves: expect.any(Number) })
  expect(connector.capabilities(member).postMetrics).toMatchObject({ gated: expect.any(String) })
  expect(connector.capabilities(analyst).postMetrics).toBe('yes')
})

test('profiles have names, pictures and followers', async () => {
  const { connector, page, member } = linkedIn
  expect(await connector.profile(page)).toMatchObject({
    id: '2414183',
    name: 'Northwind Outdoor',
    username: 'northwind-outdoor',
    picture: expect.stringContaining('/picture'),
    followers: expect.any(Number),
  })
  expect(await connector.profile(member)).toMatchObject({
    id: 'aDaM4demo1',
    name: 'Ada Marsh',
    followers: expect.any(Number),
  })
})

test('the stream of a page shows its posts as displayed, newest first, paginated', async () => {
  const { connector, page } = linkedIn
  const careers = { ...page, remoteId: '2414184', username: 'northwind-careers' }
  const ids: string[] = []
  for (let index = 0; index < 25; index++) {
    linkedIn.pass(1_000)
    ids.push((await linkedIn.publish(careers, draftOf(`Job (${index}) #work`))).remoteId)
  }
  const first = await connector.fetchStream(careers, { type: 'page' })
  const second = await connector.fetchStream(careers, { type: 'page' }, first.cursor)
  expect([...first.items, ...second.items].map(({ remoteId }) => remoteId)).toEqual(ids.toReversed())
  expect(second.cursor).toBeUndefined()
  expect(first.items[0]).toMatchObject({ kind: 'post', text: 'Job (24) #work', dedupeKey: `post:${ids[24]}` })
  expect((await errorOf(connector.fetchStream(careers, { type: 'keyword' }))).fault).toMatchObject({
    why: 'unsupported',
  })
  await expect(connector.fetchStream(careers, { type: 'page' }, 'nonsense')).rejects.toThrow('cannot be continued')
})
