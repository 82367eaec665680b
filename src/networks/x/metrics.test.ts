import { afterAll, beforeAll, expect, test } from 'vitest'
import { testX } from './x.fixture.ts'
import { openX } from './x.ts'

let t: Awaited<ReturnType<typeof testX>>
beforeAll(async () => {
  t = await testX()
})
afterAll(() => t.sandbox.close())

test('metrics of unknown posts are omitted', async () => {
  const post = await t.post({ text: 'Count' })
  await t.inject({ kind: 'like', postRemoteId: post, text: '' })
  await t.inject({ kind: 'reply', postRemoteId: post, text: 'Nice' })
  await t.sandbox.advance(86_400_000)
  const numbers = await t.x.metrics(t.actor, ['1', post])
  expect([...numbers.keys()]).toEqual([post])
  expect(numbers.get(post)).toMatchObject({ comments: 1, impressions: expect.any(Number), clicks: expect.any(Number) })
  expect(await t.x.metrics(t.actor, ['1', '2'])).toEqual(new Map())
  expect(await t.x.metrics(t.actor, [])).toEqual(new Map())
})

test('metrics that are limited to recent own posts do not hide the other metrics', async () => {
  const post = await t.post({ text: 'Old' })
  const type = 'https://api.x.com/2/problems/not-authorized-for-field'
  const body = {
    errors: [{ type, resource_id: post, title: 'Field Authorization Error', detail: 'Too old' }],
    data: [],
  }
  await t.fault({ operation: 'metrics', fault: 'answer', answer: { status: 200, body } })
  expect((await t.x.metrics(t.actor, [post])).get(post)?.clicks).toBeUndefined()
  await t.fault({ operation: 'metrics', fault: 'answer', answer: { status: 200, body } })
  expect((await t.x.metrics(t.actor, [post])).get(post)?.likes).toEqual(expect.any(Number))
})

test('more than a hundred posts are requested in batches', async () => {
  const post = await t.post({ text: 'Many' })
  const ids = [...Array.from({ length: 150 }, (_, index) => String(index + 1)), post]
  expect([...(await t.x.metrics(t.actor, ids)).keys()]).toEqual([post])
})

test('metrics are parsed with both the older and the newer field names of X', async () => {
  const data = [{ id: '5', public_metrics: { repost_count: 3, quote_count: 1, like_count: 2 } }]
  await t.fault({ operation: 'metrics', fault: 'answer', answer: { status: 200, body: { data } } })
  expect((await t.x.metrics(t.actor, ['5'])).get('5')).toMatchObject({ shares: 4, likes: 2 })
})

test('the profile has its name, picture and followers', async () => {
  expect(await t.x.profile(t.actor)).toEqual({
    id: t.actor.remoteId,
    name: 'Northwind Outdoor',
    username: 'northwindoutdoor',
    picture: expect.stringContaining('http'),
    followers: expect.any(Number),
  })
})

test('rate limit usage is reported after every response', async () => {
  t.sandbox.usages.length = 0
  await t.post({ text: 'Usage' })
  expect(t.sandbox.usages).toMatchObject([
    { network: 'Twitter', scope: 'endpoint', of: expect.stringMatching(/^app POST .*\/2\/tweets$/) },
    { network: 'Twitter', scope: 'endpoint', of: expect.stringMatching(/^1500000000000000501 POST .*\/2\/tweets$/) },
  ])
  const { used, until } = t.sandbox.usages[1] ?? { used: 0, until: undefined }
  expect(used).toBeGreaterThan(0)
  expect(used).toBeLessThan(1)
  expect(until?.getTime()).toBeGreaterThan(Date.now())
})

test('cost is estimated from responses, each post and user once a day', async () => {
  const small = openX({ ...t.app, options: { tier: 'self-serve' } }, t.sandbox.world)
  const publish = async (text: string) => {
    const step = await small.publish(t.actor, { text, media: [] }, async () => {})
    return step.state === 'done' ? step.remoteId : ''
  }
  await t.sandbox.control('/limits', { clear: true })
  t.sandbox.spent.length = 0
  const ids = [await publish('Plain'), await publish('With https://acme.example/')]
  await small.metrics(t.actor, ids)
  await small.metrics(t.actor, ids)
  await small.profile(t.actor)
  await t.inject({ kind: 'mention', text: 'Hello' })
  await small.fetchInbox(t.actor)
  const dollars = t.sandbox.spent.reduce((sum, { cost = 0 }) => sum + cost, 0) / 1_000_000
  const bill = (await t.sandbox.control('/usage')).body.usage.Twitter.micros / 1_000_000
  expect(dollars).toBeCloseTo(bill, 6)
  expect(dollars).toBeGreaterThan(0.23)
})
