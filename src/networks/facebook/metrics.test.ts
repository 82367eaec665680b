import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import { type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openFacebook } from './facebook.ts'

const page = sandboxActor('Facebook')
let sandbox: MetaSandbox
beforeAll(async () => {
  sandbox = await metaSandbox()
})
afterAll(() => sandbox.close())

test('metrics of known posts are returned, unknown posts are omitted', async () => {
  const facebook = openFacebook(sandbox.app('Facebook'), sandbox.world)
  const post = (await publishAll(sandbox, facebook, page, { text: 'Count me', media: [] })).remoteId
  await sandbox.inject({
    network: 'Facebook',
    profile: page.remoteId,
    kind: 'comment',
    postRemoteId: post,
    text: 'One',
  })
  sandbox.move(86_400_000)
  const numbers = await facebook.metrics(page, [post, `${page.remoteId}_1`])
  expect([...numbers.keys()]).toEqual([post])
  const { views = 0, reach = 0, impressions, comments, likes, clicks, shares } = numbers.get(post) ?? {}
  expect(views).toBeGreaterThan(0)
  expect(reach).toBeGreaterThan(0)
  expect(impressions).toBe(views)
  expect(comments).toBeGreaterThanOrEqual(1)
  expect([likes, clicks, shares].every((number) => typeof number === 'number')).toBe(true)
  const { followers = 0, ...profile } = await facebook.profile(page)
  expect(profile).toMatchObject({
    id: page.remoteId,
    name: 'Northwind Outdoor',
    picture: expect.stringContaining('http'),
  })
  expect(followers).toBeGreaterThan(1000)
})
