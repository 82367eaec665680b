import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testSandbox } from '../../../sandbox/sandbox.fixture.ts'
import { commandLine } from '../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { sandboxApps } from '../process/network-apps.ts'

const line = commandLine()
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let account = ''
beforeAll(async () => {
  sandbox = await testSandbox()
  const output = await line.chorus(
    'account create --name Example --email ada@example.com --first-name Ada --last-name Marsh',
  )
  account = /001\w{12}/.exec(output)?.[0] ?? ''
})
afterAll(() => sandbox.close())

const publicUrl = 'https://chorus.example'

/** Configured like real apps, but with the hosts of the sandbox. */
function apps(changes: Record<string, string> = {}): Record<string, string> {
  const known = sandboxApps(sandbox.url)
  const of = (prefix: string, { clientId, clientSecret, hosts }: (typeof known)['Facebook']) => ({
    [`CHORUS_${prefix}_CLIENT_ID`]: clientId,
    [`CHORUS_${prefix}_CLIENT_SECRET`]: clientSecret,
    [`CHORUS_${prefix}_HOSTS`]: Object.entries(hosts)
      .map(([role, host]) => `${role}=${host}`)
      .join(','),
  })
  return {
    CHORUS_PUBLIC_URL: publicUrl,
    CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
    ...of('FACEBOOK', known.Facebook),
    ...of('INSTAGRAM', known.Instagram),
    ...of('LINKEDIN', known.LinkedIn),
    ...of('X', known.Twitter),
    ...of('YOUTUBE', known.YouTube),
    ...of('TIKTOK', known.TikTok),
    ...changes,
  }
}

/** Returns the profiles' ids on the network. */
async function connect(network: string): Promise<string[]> {
  const environment = { CHORUS_SANDBOX_PORT: new URL(sandbox.url).port }
  const output = await line.chorus(`credential connect --account ${account} --network ${network}`, environment)
  return [...output.matchAll(/^Connected .* \((\S+)\)\.$/gm)].map(([, id = '']) => id)
}

/** The output of a command, and its error message if it fails. */
async function outputOf(args: string, environment: Record<string, string>) {
  const lines: string[] = []
  const failure = await line
    .chorus(args, environment, (text) => lines.push(text))
    .then(
      () => undefined,
      (error: Error) => error.message,
    )
  return { text: lines.join('\n'), failure }
}

describe('the setup of a network', () => {
  test('has exact URLs, scopes, review and version', async () => {
    const text = await line.chorus('networks', apps())
    for (const url of [
      '/app/connect/Facebook/callback',
      '/app/connect/Instagram/callback',
      '/app/connect/LinkedIn/callback',
      '/app/connect/Twitter/callback',
      '/app/connect/YouTube/callback',
      '/app/connect/TikTok/callback/',
    ])
      expect(text).toMatch(new RegExp(`^  Redirect URL +${publicUrl}${url}$`, 'm'))
    for (const code of ['facebook', 'instagram', 'linkedin', 'x', 'youtube', 'tiktok'])
      expect(text).toMatch(new RegExp(`^  Webhook URL +${publicUrl}/push/${code}  \\(`, 'm'))
    expect(text).toContain('  https://www.googleapis.com/auth/youtube.upload ')
    expect(text).toMatch(/API version +v26\.0, ends about 2028-07-29 \(CHORUS_FACEBOOK_API_VERSION/)
    expect(text).toMatch(/API version +202607, ends 2027-07-15 \(CHORUS_LINKEDIN_API_VERSION/)
    expect(text).toContain('Guide          docs/networks/tiktok.md')
  })

  test('lists scope presets with their settings', async () => {
    const instagram = await line.chorus('networks instagram', apps({ CHORUS_INSTAGRAM_LOGIN: 'facebook' }))
    expect(instagram).toMatch(/Scopes +instagram-login · .* · CHORUS_INSTAGRAM_LOGIN=instagram$/m)
    expect(instagram).toMatch(/Scopes +facebook-login · .* · CHORUS_INSTAGRAM_LOGIN=facebook · in use$/m)
    const linkedIn = await line.chorus('networks LinkedIn', apps({ CHORUS_LINKEDIN_SCOPES: 'share' }))
    expect(linkedIn).toMatch(/Scopes +share · .* · CHORUS_LINKEDIN_SCOPES=share · in use$/m)
    expect(linkedIn).not.toContain('Facebook')
    const x = await line.chorus('networks x', apps({ CHORUS_X_SCOPES: 'tweet.read users.read' }))
    expect(x).toMatch(/^X \(Twitter\): ready$/m)
    expect(x).toMatch(/Scopes +custom · .* · CHORUS_X_SCOPES · in use$/m)
  })

  test('has the verify token of the webhook and no secret', async () => {
    const text = await line.chorus('networks', apps())
    const [, token = ''] = /Verify token +(\w{64})/.exec(await line.chorus('networks Instagram', apps())) ?? []
    const { Instagram } = sandboxApps(sandbox.url)
    const { createHmac } = await import('node:crypto')
    expect(token).toBe(createHmac('sha256', Instagram.clientSecret).update('push verify token').digest('hex'))
    for (const { clientSecret } of Object.values(sandboxApps(sandbox.url))) expect(text).not.toContain(clientSecret)
  })

  test('names missing settings: public URL, credentials and webhook keys', async () => {
    const overview = await line.chorus('networks')
    expect(overview).toContain('Set CHORUS_PUBLIC_URL to the address')
    expect(overview).not.toContain('Redirect URL')
    expect(overview).toMatch(/^Facebook: not set up$/m)
    expect(overview).toMatch(/Not set +CHORUS_FACEBOOK_CLIENT_SECRET: no profile can be connected/)
    const half = await line.chorus('networks X', { CHORUS_X_CLIENT_ID: 'id' })
    expect(half).not.toContain('CHORUS_X_CLIENT_ID')
    expect(half).toContain('CHORUS_X_CLIENT_SECRET')
    expect(half).toMatch(/Not set +CHORUS_X_CONSUMER_KEY: no webhooks/)
    const setup = await line.chorus('networks Facebook', apps({ CHORUS_PUBLIC_URL: 'http://chorus.example' }))
    expect(setup).toMatch(/^Facebook: needs attention$/m)
    expect(setup).toContain('does not begin with https://')
  })

  test('shows an unknown end for unknown versions and flags ended ones', async () => {
    const unknown = await line.chorus('networks LinkedIn', apps({ CHORUS_LINKEDIN_API_VERSION: '209901' }))
    expect(unknown).toMatch(/API version +209901, end unknown \(CHORUS_LINKEDIN_API_VERSION\)/)
    expect(unknown).toMatch(/^LinkedIn: ready$/m)
    const over = await line.chorus('networks LinkedIn', apps({ CHORUS_LINKEDIN_API_VERSION: '202508' }))
    expect(over).toMatch(/^LinkedIn: needs attention$/m)
    expect(over).toContain('Version 202508 of the LinkedIn API ended on 2026-08-17.')
  })

  test('suggests the nearest name for an unknown network', async () => {
    await expect(line.chorus('networks Linkdin')).rejects.toThrow('did you mean LinkedIn?')
    await expect(line.chorus('networks Facebook X')).rejects.toThrow('chorus networks takes one network')
  })
})

describe('checks', () => {
  beforeEach(() => ownerQuery(line.databaseUrl, 'truncate credentials cascade'))

  test.each([
    ['Facebook', 'FACEBOOK'],
    ['LinkedIn', 'LINKEDIN'],
    ['TikTok', 'TIKTOK'],
  ])('%s verifies the credentials of the app', async (network, prefix) => {
    const passed = await outputOf(`networks ${network} --check`, apps())
    expect(passed).toMatchObject({ failure: undefined })
    expect(passed.text).toContain(`OK             Credentials: ${network} accepts the app's ID and secret.`)
    const wrongSecret = { [`CHORUS_${prefix}_CLIENT_SECRET`]: 'not-the-secret' }
    const failed = await outputOf(`networks ${network} --check`, apps(wrongSecret))
    expect(failed.text).toContain(`PROBLEM        Credentials: ${network} refuses the app's ID or secret.`)
    expect(failed.text).not.toContain('not-the-secret')
    expect(failed.failure).toBe('1 problem was found.')
    const unreachable = { [`CHORUS_${prefix}_HOSTS`]: 'http://127.0.0.1:9' }
    const unreachableResult = await outputOf(`networks ${network} --check`, apps(unreachable))
    expect(unreachableResult.text).toContain('Not known      Credentials: They could not be checked.')
  })

  test('X checks consumer keys, which need no login', async () => {
    const { clientId, clientSecret } = sandboxApps(sandbox.url).Twitter
    const keys = { CHORUS_X_CONSUMER_KEY: clientId, CHORUS_X_CONSUMER_SECRET: clientSecret }
    expect((await outputOf('networks X --check', apps(keys))).text).toContain("X accepts the app's ID and secret.")
    const failed = await outputOf('networks X --check', apps({ ...keys, CHORUS_X_CONSUMER_SECRET: 'wrong' }))
    expect(failed.text).toContain('Unable to verify your credentials')
    expect(failed.failure).toBe('1 problem was found.')
    for (const network of ['X', 'Instagram', 'YouTube'])
      expect((await outputOf(`networks ${network} --check`, apps())).text).toContain(
        'cannot check them without a login',
      )
  })

  test.each(['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok'])(
    'tokens and scopes of profiles on %s',
    async (network) => {
      await connect(network)
      const passed = await outputOf(`networks ${network} --check`, apps())
      expect(passed.failure).toBeUndefined()
      expect(passed.text).toMatch(/^ {2}OK {13}\S.* \(003-\S+\): .* scopes were granted/m)
    },
  )

  test.each([
    ['Facebook', 'pages_messaging (messages)', 'Disabled: direct messages.'],
    ['LinkedIn', 'w_member_social_feed (comments and likes of members)', 'Missing scopes'],
    ['YouTube', 'youtube.upload (publishing)', 'Missing scopes'],
    ['TikTok', 'video.publish (publishing)', 'Missing scopes'],
  ])('scopes not granted on %s are listed with the features they disable', async (network, missing, disabled) => {
    const scope = missing.split(' ')[0] ?? ''
    const withoutScope = network === 'YouTube' ? `https://www.googleapis.com/auth/${scope}` : scope
    for (const profile of await connect(network)) await sandbox.control('/token', { network, profile, withoutScope })
    const { text, failure } = await outputOf(`networks ${network} --check`, apps())
    expect(text).toContain(missing)
    expect(text).toContain(disabled)
    expect(failure).toMatch(/problems? w/)
  })

  test('on X, which inspects no tokens, scopes that were added after the login are missing', async () => {
    await connect('Twitter')
    const { text, failure } = await outputOf('networks X --check', apps({ CHORUS_X_SCOPES: 'tweet.read space.read' }))
    expect(text).toContain('X has no call that inspects tokens. Missing scopes: space.read.')
    expect(failure).toBe('1 problem was found.')
  })

  test.each(['Facebook', 'Instagram', 'LinkedIn', 'YouTube', 'TikTok'])(
    'a token revoked by %s is detected, and the profile is not changed',
    async (network) => {
      for (const profile of await connect(network))
        await sandbox.control('/token', { network, profile, action: 'revoke' })
      const { text, failure } = await outputOf(`networks ${network} --check`, apps())
      expect(text).toMatch(/PROBLEM +\S.* \(003-\S+\): .* Connect the profile again\./)
      expect(failure).toMatch(/problems? w/)
      const rows = await ownerQuery<{ status: string }>(line.databaseUrl, 'select status from credentials')
      expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['valid']))
    },
  )
})
