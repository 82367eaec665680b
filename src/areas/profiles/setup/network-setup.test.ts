import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxApps } from '#main/process/network-apps.ts'
import { testSandbox } from '../../../../sandbox/sandbox.fixture.ts'
import { caller } from '../../../../tests/support/caller.ts'
import { commandLine } from '../../../../tests/support/command-line.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let now = new Date('2027-05-01T10:00:00Z')
const line = commandLine()
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let service: TestService
beforeAll(async () => {
  sandbox = await testSandbox()
  service = await startTestService({ clock: { now: () => now }, environment: environment() })
})
afterAll(async () => {
  await service.stop()
  await sandbox.close()
})

/** Apps of Instagram and LinkedIn whose networks are in the sandbox. */
function environment(): Record<string, string> {
  const { Instagram, LinkedIn } = sandboxApps(sandbox.url)
  const hosts = (known: Readonly<Record<string, string>>) =>
    Object.entries(known)
      .map(([role, host]) => `${role}=${host}`)
      .join(',')
  return {
    CHORUS_ROLES: 'api',
    CHORUS_PUBLIC_URL: 'https://chorus.example',
    CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
    CHORUS_INSTAGRAM_CLIENT_ID: Instagram.clientId,
    CHORUS_INSTAGRAM_CLIENT_SECRET: Instagram.clientSecret,
    CHORUS_INSTAGRAM_HOSTS: hosts(Instagram.hosts),
    CHORUS_LINKEDIN_CLIENT_ID: LinkedIn.clientId,
    CHORUS_LINKEDIN_CLIENT_SECRET: LinkedIn.clientSecret,
    CHORUS_LINKEDIN_HOSTS: hosts(LinkedIn.hosts),
  }
}

async function setupOf(network: string, at: TestService = service) {
  const { json } = await at.admin('GET /app/api/network-setup')
  return json.Items.find((item: { Network: string }) => item.Network === network)
}

const never = '0000-00-00 00:00:00'

test('admins see what to register, how apps are set up and what needs attention', async () => {
  expect(await setupOf('Facebook')).toMatchObject({
    State: 'missing',
    RedirectUrl: 'https://chorus.example/app/connect/Facebook/callback',
    Missing: [{ Setting: 'CHORUS_FACEBOOK_CLIENT_ID' }, { Setting: 'CHORUS_FACEBOOK_CLIENT_SECRET' }],
  })
  expect(await setupOf('LinkedIn')).toMatchObject({
    State: 'attention',
    Problems: [expect.stringContaining('Version 202607 of the LinkedIn API ends on 2027-07-15.')],
    WebhookUrl: 'https://chorus.example/push/linkedin',
    Version: '202607',
    VersionState: 'ending',
    VersionSetting: 'CHORUS_LINKEDIN_API_VERSION',
    Guide: 'docs/networks/linkedin.md',
    Challenged: never,
  })
  const { Recipes } = await setupOf('LinkedIn')
  expect(Recipes.map(({ Name, IsCurrent }: { Name: string; IsCurrent: number }) => [Name, IsCurrent])).toEqual([
    ['community-management', 1],
    ['share', 0],
    ['share-advertising', 0],
  ])
})

test('other users see no setup and cannot check it', async () => {
  for (const call of [service.publisher, service.contributor, service.reader]) {
    expect((await call('GET /app/api/network-setup')).status).toBe(403)
    expect((await call('POST /app/api/network-setup/LinkedIn/check')).status).toBe(403)
  }
})

const verifyToken = () =>
  createHmac('sha256', sandboxApps(sandbox.url).Instagram.clientSecret).update('push verify token').digest('hex')
const challenge = (token: string) =>
  fetch(
    `${service.url}/push/instagram?${new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.challenge': '1158201444',
      'hub.verify_token': token,
    })}`,
  )
const signed = (body: string, secret = sandboxApps(sandbox.url).Instagram.clientSecret) =>
  fetch(`${service.url}/push/instagram`, {
    method: 'POST',
    body,
    headers: { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` },
  })

test('the last valid challenge and delivery are stored', async () => {
  const missing = expect.stringContaining('Instagram has not verified the webhook URL yet')
  expect((await challenge('wrong')).status).toBe(403)
  expect((await signed('{"object":"instagram","entry":[]}', 'wrong')).status).toBe(401)
  expect(await setupOf('Instagram')).toMatchObject({ Challenged: never, Delivered: never, Problems: [missing] })

  expect((await challenge(verifyToken())).status).toBe(200)
  expect(await setupOf('Instagram')).toMatchObject({
    State: 'ready',
    Challenged: '2027-05-01 10:00:00',
    Delivered: never,
    Problems: [],
  })
  now = new Date('2027-05-01T10:00:30Z')
  expect((await signed('{"object":"instagram","entry":[]}')).status).toBe(200)
  expect(await setupOf('Instagram')).toMatchObject({
    Challenged: '2027-05-01 10:00:00',
    Delivered: '2027-05-01 10:00:30',
  })
  now = new Date('2027-05-01T10:05:00Z')
  expect((await challenge(verifyToken())).status).toBe(200)
  expect(await setupOf('Instagram')).toMatchObject({ Challenged: '2027-05-01 10:05:00' })
})

test('checks name the app, the webhook and the profiles of the account', async () => {
  const { status, json } = await service.admin('POST /app/api/network-setup/LinkedIn/check')
  expect(status).toBe(200)
  const [credentials, webhook, ...profiles] = json.Items
  expect(credentials).toEqual({
    What: 'Credentials',
    Outcome: 'ok',
    Text: "LinkedIn accepts the app's ID and secret.",
  })
  expect(webhook).toMatchObject({ What: 'Webhook', Outcome: 'unknown' })
  expect(profiles.length).toBeGreaterThan(1)
  expect(profiles[0]).toEqual({
    What: 'Northwind Outdoor (003-1-2414183)',
    Outcome: 'ok',
    Text: 'LinkedIn says that the token is valid. All 8 scopes were granted.',
  })
  await sandbox.control('/token', { network: 'LinkedIn', profile: '2414183', action: 'revoke' })
  const again = await service.admin('POST /app/api/network-setup/LinkedIn/check')
  expect(again.json.Items[2]).toMatchObject({ Outcome: 'problem', Text: expect.stringContaining('revoked') })
  const other = await service.otherAdmin('POST /app/api/network-setup/LinkedIn/check')
  expect(other.json.Items.map(({ What }: { What: string }) => What)).not.toContain(profiles[0].What)

  const bare = await service.admin('POST /app/api/network-setup/Facebook/check')
  expect(bare.json.Items).toEqual([
    {
      What: 'Credentials',
      Outcome: 'problem',
      Text: 'Not set: CHORUS_FACEBOOK_CLIENT_ID and CHORUS_FACEBOOK_CLIENT_SECRET.',
    },
  ])
  expect((await service.admin('POST /app/api/network-setup/Xing/check')).status).toBe(404)
})

test('admins see verify tokens if the installation has one account, and never secrets', async () => {
  expect(await setupOf('Instagram')).toMatchObject({ VerifyToken: '' })
  const made = await line.chorus(
    'account create --name Example --email ada@example.com --first-name Ada --last-name Marsh',
  )
  const [account = ''] = /001\w{12}/.exec(made) ?? []
  const [, key = ''] = /API key +(\S+)/.exec(made) ?? []
  const separate = await startTestService({ databaseUrl: line.databaseUrl, environment: environment() })
  try {
    const admin = caller(separate.url, account, key)
    expect(await setupOf('Instagram', { ...separate, admin })).toMatchObject({ VerifyToken: verifyToken() })
    const { text } = await admin('GET /app/api/network-setup')
    for (const { clientSecret } of Object.values(sandboxApps(sandbox.url))) expect(text).not.toContain(clientSecret)
  } finally {
    await separate.stop()
  }
})

test('without a public URL the missing setting is named', async () => {
  const { CHORUS_PUBLIC_URL: _, ...rest } = environment()
  const unnamed = await startTestService({ databaseUrl: service.databaseUrl, environment: rest })
  try {
    const { json } = await unnamed.admin('GET /app/api/network-setup')
    expect(json.PublicUrlProblem).toContain('Set CHORUS_PUBLIC_URL')
    expect(await setupOf('LinkedIn', unnamed)).toMatchObject({ State: 'attention', RedirectUrl: '', WebhookUrl: '' })
  } finally {
    await unnamed.stop()
  }
})
