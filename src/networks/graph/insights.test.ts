import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import { openFacebook } from '../facebook/facebook.ts'
import { faultOf, type MetaSandbox, metaSandbox, publishAll } from './graph.fixture.ts'
import { graphErrors } from './graph.ts'
import { openInsights } from './insights.ts'

let sandbox: MetaSandbox
beforeAll(async () => {
  sandbox = await metaSandbox()
})
afterAll(() => sandbox.close())

test('a removed metric is omitted and not requested again, and the others are returned', async () => {
  const page = sandboxActor('Facebook')
  const facebook = openFacebook(sandbox.app('Facebook'), sandbox.world)
  const { remoteId } = await publishAll(sandbox, facebook, page, { text: 'Count me', media: [] })
  const graph = {
    network: 'Facebook',
    app: sandbox.app('Facebook'),
    installation: sandbox.world,
    errorMeanings: graphErrors,
    hasProof: true,
  } as const
  const insights = openInsights(graph, ['post_media_view', 'post_impressions', 'post_clicks'])
  const calls = async () => {
    sandbox.usages.length = 0
    const numbers = await insights(page, remoteId, 'post')
    expect([...numbers.keys()]).toEqual(['post_media_view', 'post_clicks'])
    return sandbox.usages.filter(({ scope }) => scope === 'app').length
  }
  expect(await calls()).toBe(4)
  expect(await calls()).toBe(1)
  expect(await faultOf(insights(page, '100200300400501_1', 'post'))).toMatchObject({ kind: 'permanent', why: 'gone' })
})
