import { afterAll, beforeAll, expect, test } from 'vitest'
import { facebook } from './facebook/api.ts'
import type { NetworkApi } from './http/router.ts'
import { instagram } from './instagram/api.ts'
import { linkedin } from './linkedin/api.ts'
import { testSandbox } from './sandbox.fixture.ts'
import { tiktok } from './tiktok/api.ts'
import { twitter } from './x/api.ts'
import { youtube } from './youtube/api.ts'

let sandbox: Awaited<ReturnType<typeof testSandbox>>
beforeAll(async () => {
  sandbox = await testSandbox({ limitFactor: 1000, clock: { now: () => new Date('2026-11-20T10:00:00Z') } })
})
afterAll(() => sandbox.close())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const networks: [string, NetworkApi, Record<string, string>][] = [
  ['/facebook/v26.0', facebook, bearer('sandbox-facebook-100200300400501-access')],
  ['/instagram', instagram, bearer('sandbox-instagram-17841400000000501-access')],
  ['/linkedin', linkedin, { ...bearer('sandbox-linkedin-2414183-access'), 'linkedin-version': '202611' }],
  ['/x', twitter, bearer('sandbox-twitter-1500000000000000501-access')],
  ['/x', twitter, bearer('sandbox-x-app-bearer')],
  ['/youtube', youtube, bearer('sandbox-youtube-UCsandboxNorthwindOut501-access')],
  ['/tiktok', tiktok, { 'access-token': 'sandbox-tiktok-7100000000000000501-access' }],
]

const page = 'urn:li:organization:2414183'
/** Valid top-level fields with invalid nested values. */
const nonsense = {
  business_id: '7100000000000000501',
  author: page,
  actor: page,
  sender: page,
  lifecycleState: 'PUBLISHED',
  visibility: 'PUBLIC',
  commentary: 'a',
  distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [null, 5, { industries: 5 }] },
  content: { article: { source: 1 }, multiImage: { images: [null, 1] }, media: null },
  attached_media: [null, 1],
  attachments: [null],
  media: { media_ids: {} },
  recipient: 'x',
  recipients: [{}],
  filters: [],
  snippet: 5,
  post_info: 1,
  video_url: '::',
  photo_images: ['::'],
}
const query =
  'ids=List(%25E0%25&entity=%25&metric=reach&timeIntervals=(x)&startDate=x&since_id=x&fields=a{b,(c}&after=%25'

test.each(networks)('%s rejects malformed requests without failing', async (base, api, headers) => {
  const broken: string[] = []
  for (const { method, path } of api.routes) {
    for (const id of ['me', '100200300400501', '%E0%A4%A']) {
      const address = `${base}${path.replaceAll(/:\w+/g, id)}`
      const sent = method === 'GET' ? [{}] : [{}, { json: nonsense }, { bytes: Buffer.from('{') }]
      for (const body of sent) {
        const reply = await sandbox.call(`${address}?${query}`, { method, headers, ...body })
        if (JSON.stringify(reply.body).includes('The sandbox itself failed'))
          broken.push(`${method} ${address}: ${reply.body.error}`)
      }
    }
  }
  expect(broken).toEqual([])
})

test.each(['/facebook/profiles/%E0%A4%A', '/linkedin/feed/update/%E0', '/youtube/watch?v=%', '/x/profiles/1%'])(
  '%s is not found',
  async (path) => {
    expect((await sandbox.call(path)).status).toBe(404)
  },
)

test('a malformed form has no fields', async () => {
  const headers = {
    ...bearer('sandbox-twitter-1500000000000000501-access'),
    'content-type': 'multipart/form-data; boundary=x',
  }
  expect(
    (await sandbox.call('/x/2/tweets', { method: 'POST', headers, bytes: Buffer.from('--x\r\nfoo') })).status,
  ).toBe(400)
})

test('requests with a foreign Host header are rejected (DNS rebinding)', async () => {
  const { port } = new URL(sandbox.url)
  const paths = ['/', '/crm/v1/me', '/x/2/users/me', '/__sandbox/ledger']
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example'])
    for (const path of paths) {
      const { status, body } = await sandbox.call(path, { token: 'sandbox', headers: { host } })
      expect([host, path, status, body.error]).toEqual([host, path, 421, expect.stringContaining('localhost')])
    }
  for (const host of [`localhost:${port}`, 'LOCALHOST', 'sandbox.localhost', '127.0.0.1', `[::1]:${port}`])
    expect((await sandbox.call('/__sandbox/ledger', { token: 'sandbox', headers: { host } })).status, host).toBe(200)
})
