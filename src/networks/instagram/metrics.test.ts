import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import { type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openInstagram } from './instagram.ts'

const account = sandboxActor('Instagram')
let sandbox: MetaSandbox
beforeAll(async () => {
  sandbox = await metaSandbox()
})
afterAll(() => sandbox.close())

test('metrics of known posts are returned, unknown posts are omitted', async () => {
  const instagram = openInstagram(sandbox.app('Instagram'), sandbox.world)
  const draft = { text: 'Count me', media: [sandbox.media('jpeg')] }
  const post = (await publishAll(sandbox, instagram, account, draft)).remoteId
  sandbox.move(86_400_000)
  const numbers = await instagram.metrics(account, [post, '17900000000000001'])
  expect([...numbers.keys()]).toEqual([post])
  const { views = 0, reach = 0, impressions, ...others } = numbers.get(post) ?? {}
  expect(views).toBeGreaterThan(0)
  expect(reach).toBeGreaterThan(0)
  expect(impressions).toBe(views)
  expect(Object.keys(others).sort()).toEqual(['comments', 'likes', 'saves', 'shares'])
  const { followers = 0, ...profile } = await instagram.profile(account)
  expect(profile).toMatchObject({ id: account.remoteId, username: expect.any(String), name: 'Northwind Outdoor' })
  expect(followers).toBeGreaterThan(100)
})
