import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Reply, simulatedUser, testReceiver, testSandbox } from '../sandbox.fixture.ts'

const page = '100200300400501'
const account = '1500000000000000501'
let sandbox: Awaited<ReturnType<typeof testSandbox>>

beforeAll(async () => {
  sandbox = await testSandbox({ token: 'secret' })
})
afterAll(() => sandbox.close())

let words = 0
/** Unique texts, so that no network rejects them as duplicates. */
const text = () => `Words ${++words}`
const version = { 'linkedin-version': new Date().toISOString().slice(0, 7).replace('-', '') }

/** One valid publish request per network. */
const publish: Record<string, () => Promise<Reply>> = {
  Facebook: () =>
    sandbox.call(`/facebook/v26.0/${page}/feed`, {
      token: `sandbox-facebook-${page}-access`,
      json: { message: text() },
    }),
  Instagram: () =>
    sandbox.call('/instagram/v26.0/17841400000000501/media_publish', {
      token: 'sandbox-instagram-17841400000000501-access',
      json: { creation_id: '1' },
    }),
  LinkedIn: () =>
    sandbox.call('/linkedin/rest/posts', {
      token: 'sandbox-linkedin-2414183-access',
      headers: version,
      json: {
        author: 'urn:li:organization:2414183',
        commentary: text(),
        visibility: 'PUBLIC',
        lifecycleState: 'PUBLISHED',
        distribution: { feedDistribution: 'MAIN_FEED' },
      },
    }),
  Twitter: () => sandbox.call('/x/2/tweets', { token: `sandbox-twitter-${account}-access`, json: { text: text() } }),
  YouTube: () =>
    sandbox.call('/youtube/upload/youtube/v3/videos?upload_id=1', {
      token: 'sandbox-youtube-UCsandboxNorthwindOut501-access',
      method: 'PUT',
      bytes: Buffer.from('x'),
    }),
  TikTok: () =>
    sandbox.call('/tiktok/open_api/v1.3/business/video/publish/', {
      headers: { 'access-token': 'sandbox-tiktok-7100000000000000501-access' },
      json: { business_id: '7100000000000000501', video_url: 'http://127.0.0.1:1/', post_info: {} },
    }),
}

const signs: Record<string, Record<string, (reply: Reply) => unknown>> = {
  Facebook: {
    'rate-limit': ({ body }) => body.error.code === 32,
    'server-error': ({ status, body }) => status === 500 && body.error.is_transient,
    'token-expired': ({ body }) => body.error.code === 190 && body.error.error_subcode === 463,
    'token-revoked': ({ body }) => body.error.code === 190 && body.error.error_subcode === 458,
    duplicate: ({ body }) => body.error.code === 506,
    'not-ready': ({ body }) => body.error.code === 1363047,
  },
  Instagram: {
    'rate-limit': ({ body }) => body.error.code === 4,
    'server-error': ({ status }) => status === 500,
    'token-expired': ({ body }) => body.error.error_subcode === 463,
    'token-revoked': ({ body }) => body.error.error_subcode === 458,
    duplicate: ({ body }) => body.error.code === 9007,
    'not-ready': ({ body }) => body.error.error_subcode === 2207027,
  },
  LinkedIn: {
    'rate-limit': ({ status }) => status === 429,
    'server-error': ({ status }) => status === 500,
    'token-expired': ({ body }) => body.serviceErrorCode === 65602,
    'token-revoked': ({ body }) => body.serviceErrorCode === 65601,
    duplicate: ({ body }) => body.errorDetails.inputErrors[0].code === 'DUPLICATE_POST',
    'not-ready': ({ body }) => body.errorDetails.inputErrors[0].code === 'MEDIA_ASSET_PROCESSING',
  },
  Twitter: {
    'rate-limit': ({ status, headers }) => status === 429 && headers.get('x-rate-limit-remaining') === '0',
    'server-error': ({ status }) => status === 503,
    'token-expired': ({ status }) => status === 401,
    'token-revoked': ({ status }) => status === 401,
    duplicate: ({ status, body }) => status === 403 && body.detail.includes('duplicate content'),
    'not-ready': ({ status }) => status === 400,
  },
  YouTube: {
    'rate-limit': ({ body }) => body.error.errors[0].reason === 'quotaExceeded',
    'server-error': ({ status }) => status === 503,
    'token-expired': ({ status }) => status === 401,
    'token-revoked': ({ status }) => status === 401,
    duplicate: ({ body }) => body.error.errors[0].reason === 'duplicate',
    'not-ready': ({ body }) => body.error.errors[0].reason === 'processingFailure',
  },
  TikTok: {
    'rate-limit': ({ status, body }) => status === 200 && body.code === 40100,
    'server-error': ({ body }) => body.code === 50000,
    'token-expired': ({ body }) => body.code === 40102,
    'token-revoked': ({ body }) => body.code === 40105,
    duplicate: ({ body }) => body.code === 40050,
    'not-ready': ({ body }) => body.code === 51065,
  },
}

test.each(Object.keys(signs))('%s reports each fault in its own format, once, without any effect', async (network) => {
  const before = (await sandbox.ledger()).length
  for (const [fault, isIt] of Object.entries(signs[network] ?? {})) {
    await sandbox.control('/fault', { network, operation: 'publish', fault, count: 1 })
    const reply = await publish[network]?.()
    expect({ fault, seen: Boolean(reply && isIt(reply)) }).toEqual({ fault, seen: true })
    expect((await sandbox.control('/faults')).body.faults).toEqual([])
  }
  expect((await sandbox.ledger()).length).toBe(before)
})

test.each(['Facebook', 'LinkedIn', 'Twitter'])(
  '%s lost response: the connection is reset, the effect remains',
  async (network) => {
    const before = (await sandbox.ledger(`network=${network}`)).length
    await sandbox.control('/fault', { network, operation: 'publish', fault: 'lost-answer', count: 1 })
    await expect(publish[network]?.()).rejects.toThrow('ECONNRESET')
    expect((await sandbox.ledger(`network=${network}`)).length).toBe(before + 1)
    expect((await publish[network]?.())?.status).toBeLessThan(300)
  },
)

test('faults apply to their profile and operation, and count down', async () => {
  await sandbox.control('/fault', { network: 'Twitter', profile: 'somebody-else', fault: 'server-error', count: 1 })
  await sandbox.control('/fault', {
    network: 'Twitter',
    profile: account,
    operation: 'publish',
    fault: 'delay',
    delayMs: 150,
    count: 2,
  })
  const started = Date.now()
  expect((await publish.Twitter?.())?.status).toBe(201)
  expect(Date.now() - started).toBeGreaterThanOrEqual(140)
  const { faults } = (await sandbox.control('/faults')).body
  expect(faults.map(({ count }: { count: number }) => count)).toEqual([1, 1])
  await sandbox.call('/__sandbox/faults', { token: 'secret', method: 'DELETE' })
})

test('the control plane requires its token and reports invalid requests', async () => {
  expect((await sandbox.call('/__sandbox/ledger')).status).toBe(401)
  const refused = await sandbox.control('/inject', {
    network: 'Twitter',
    profile: account,
    kind: 'comment',
    from: simulatedUser,
    text: 'x',
  })
  expect(refused).toMatchObject({ status: 400, body: { error: 'A comment needs postRemoteId or parentId.' } })
  expect((await sandbox.control('/fault', { fault: 'nonsense' })).body.error).toContain('lost-answer')
})

test('failed pushes are retried on the schedule of the network and the clock of the sandbox', async () => {
  const receiver = await testReceiver()
  receiver.answer = ({ method, query }) => {
    if (method === 'GET') return { status: 200, body: query.get('hub.challenge') ?? '' }
    return { status: receiver.pushes.length < 3 ? 500 : 200, body: '' }
  }
  const form = {
    access_token: '900000000000001|sandbox-facebook-secret',
    object: 'page',
    callback_url: receiver.url,
    verify_token: 'v',
  }
  await sandbox.call('/facebook/v26.0/900000000000001/subscriptions', { form })
  const own = { token: `sandbox-facebook-${page}-access` }
  await sandbox.call(`/facebook/v26.0/${page}/subscribed_apps`, { ...own, json: { subscribed_fields: 'messages' } })
  await sandbox.inject({ network: 'Facebook', profile: page, kind: 'message', from: simulatedUser, text: 'Hi' })
  await receiver.next()
  await new Promise((resolve) => setTimeout(resolve, 50))
  await sandbox.advance(11_000)
  expect((await receiver.next(2))?.raw).toBe((await receiver.next(1))?.raw)
  await receiver.close()
})

test('profiles are created with tokens; a reset restores the default profiles', async () => {
  const made = (
    await sandbox.control('/profile', { network: 'Twitter', kind: 'account', name: 'New Co', followers: 5 })
  ).body
  const me = await sandbox.call('/x/2/users/me', { token: made.accessToken })
  expect(me.body.data.id).toBe(made.id)
  await sandbox.control('/reset', {})
  const { profiles } = (await sandbox.control('/profiles')).body
  expect(profiles.length).toBe(8)
  expect(profiles.every(({ tokenState }: { tokenState: string }) => tokenState === 'valid')).toBe(true)
  expect(await sandbox.ledger()).toEqual([])
  expect((await sandbox.call('/x/2/users/me', { token: made.accessToken })).status).toBe(401)
})

test('HTML pages show profiles and their timelines', async () => {
  await publish.Twitter?.()
  expect((await sandbox.call('/')).body).toContain('Northwind Careers')
  const shown = await sandbox.call(`/x/profiles/${account}`)
  expect(shown.headers.get('content-type')).toContain('text/html')
  expect(shown.body).toContain(`Words ${words}`)
  expect((await sandbox.call('/x/profiles/1')).status).toBe(404)
})

test('a restart keeps profiles, posts, tokens, subscriptions and the clock', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  const first = await testSandbox({ dataFolder })
  const own = { token: `sandbox-twitter-${account}-access` }
  const { id } = (await first.call('/x/2/tweets', { ...own, json: { text: 'Keep me' } })).body.data
  const removed = (await first.call('/x/2/tweets', { ...own, json: { text: 'Not me' } })).body.data.id
  await first.call(`/x/2/tweets/${removed}`, { ...own, method: 'DELETE' })
  const made = (await first.control('/profile', { network: 'TikTok', name: 'Kept' })).body
  await first.advance(3_600_000)
  const before = { ledger: await first.ledger(), profiles: (await first.control('/profiles')).body }
  await first.close()
  // An incomplete line, as after a killed process.
  await appendFile(join(dataFolder, 'journal.jsonl'), '{"table":"items","key":"Tw')
  const second = await testSandbox({ dataFolder })
  expect(await second.ledger()).toEqual(before.ledger)
  expect((await second.control('/profiles')).body).toEqual(before.profiles)
  expect((await second.call(`/x/2/tweets/${id}`, own)).status).toBe(200)
  expect((await second.call(`/x/2/tweets/${removed}`, own)).status).toBe(404)
  expect((await second.control('/clock')).body.now).toBeGreaterThan(Date.now() + 3_500_000)
  const info = await second.call('/tiktok/v2/user/info/?fields=open_id', { token: made.accessToken })
  expect(info.body.data.user.display_name).toBe('Kept')
  const later = (await second.call('/x/2/tweets', { ...own, json: { text: 'After the crash' } })).body.data.id
  await second.close()
  const third = await testSandbox({ dataFolder })
  expect((await third.ledger()).at(-1).remoteId).toBe(later)
  await third.close()
  await rm(dataFolder, { recursive: true })
})

test('simulated visitors act repeatedly on all networks', async () => {
  const busy = await testSandbox({ token: 'secret', visitorIntervalMs: 5 })
  const { profiles } = (await busy.control('/profiles')).body as { profiles: { network: string; id: string }[] }
  expect(profiles.length).toBeGreaterThan(0)
  const found = async () => {
    const token = `sandbox-facebook-${page}-access`
    const { body } = await busy.call(`/facebook/v26.0/${page}/conversations?fields=id,messages{message}`, { token })
    const videos = await busy.call(`/hub/xml/feeds/videos.xml?channel_id=UCsandboxNorthwindOut501`)
    return { messages: body.data.length > 0, video: String(videos.body).includes('<entry>') }
  }
  await expect.poll(found).toEqual({ messages: true, video: true })
  await busy.close()
})
