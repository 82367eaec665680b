import { describe, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { openLog } from '#kernel/log.ts'
import { manifests } from '#networks/manifests.ts'
import { openNetworks, setupOf } from '#networks/networks.ts'
import { nowhere } from '../../../tests/support/service.ts'
import { readSettings } from '../settings/settings.ts'
import { networkApps, warnOfVersions } from './network-apps.ts'

const appsOf = (environment: NodeJS.ProcessEnv) => networkApps(readSettings(environment))

test('an app is configured by the settings of its network', () => {
  const { Twitter, ...others } = appsOf({
    CHORUS_X_CLIENT_ID: 'id',
    CHORUS_X_CLIENT_SECRET: 'secret',
    CHORUS_X_API_VERSION: '3',
    CHORUS_X_HOSTS: 'api=http://proxy.example/x/',
    CHORUS_X_CONSUMER_KEY: 'key',
    CHORUS_X_SCOPES: 'tweet.read, users.read',
  })
  expect(Twitter).toEqual({
    clientId: 'id',
    clientSecret: 'secret',
    apiVersion: '3',
    hosts: { api: 'http://proxy.example/x', login: 'https://x.com', public: 'https://x.com' },
    scopes: ['tweet.read', 'users.read'],
    options: { tier: 'self-serve', consumerKey: 'key', consumerSecret: undefined, scopes: 'tweet.read users.read' },
  })
  expect(Object.values(others)).toEqual(Array(manifests.length - 1).fill(undefined))
})

test.each(manifests)('$network has a setting for each part of its app', ({ network, code, app, settings = {} }) => {
  const prefix = `CHORUS_${code.toUpperCase()}`
  const configured = { [`${prefix}_CLIENT_ID`]: 'id', [`${prefix}_CLIENT_SECRET`]: 'secret' }
  const known = appsOf(configured)[network]
  expect(known).toMatchObject({ clientId: 'id', clientSecret: 'secret', apiVersion: app.apiVersion, hosts: app.hosts })
  expect(Object.keys(known?.options ?? {})).toEqual(Object.keys(settings))
  const elsewhere = appsOf({ ...configured, [`${prefix}_HOSTS`]: 'http://127.0.0.1:9' })[network]
  expect(new Set(Object.values(elsewhere?.hosts ?? {}))).toEqual(new Set(['http://127.0.0.1:9']))
})

test("Instagram accounts of a Facebook page use Facebook's hosts unless settings override them", () => {
  const configured = { CHORUS_INSTAGRAM_CLIENT_ID: 'id', CHORUS_INSTAGRAM_CLIENT_SECRET: 'secret' }
  const login = { ...configured, CHORUS_INSTAGRAM_LOGIN: 'facebook' }
  expect(appsOf(login).Instagram?.hosts).toMatchObject({
    graph: 'https://graph.facebook.com',
    login: 'https://www.facebook.com',
  })
  const proxied = { ...login, CHORUS_INSTAGRAM_HOSTS: 'graph=http://proxy.example' }
  expect(appsOf(proxied).Instagram?.hosts).toMatchObject({
    graph: 'http://proxy.example',
    login: 'https://www.facebook.com',
  })
})

test.each(manifests)(
  'logins of $network request the configured scopes, by default those of its manifest',
  (manifest) => {
    const { network, code, login } = manifest
    const prefix = `CHORUS_${code.toUpperCase()}`
    const configured = { [`${prefix}_CLIENT_ID`]: 'id', [`${prefix}_CLIENT_SECRET`]: 'secret' }
    const requestedScopes = (environment: NodeJS.ProcessEnv) => {
      const connector = openNetworks(appsOf(environment), { outbound: nowhere, clock: systemClock }).connector(network)
      const url = connector?.authorizeUrl({ state: 's', redirectUri: 'https://a.example/back', verifier: 'v' }) ?? ''
      return (new URL(url).searchParams.get('scope') ?? '').split(/[ ,]/).map((scope) => scope.split('/auth/').at(-1))
    }
    expect(requestedScopes(configured)).toEqual([...login.scopes])
    expect(requestedScopes({ ...configured, [`${prefix}_SCOPES`]: 'one.scope two_scope,three:scope' })).toEqual([
      'one.scope',
      'two_scope',
      'three:scope',
    ])
  },
)

test('in the demo, networks without an app use the sandbox', () => {
  const apps = appsOf({
    CHORUS_DEMO: '1',
    CHORUS_SANDBOX_PORT: '4711',
    CHORUS_LINKEDIN_CLIENT_ID: 'id',
    CHORUS_LINKEDIN_CLIENT_SECRET: 'secret',
  })
  expect(apps.LinkedIn).toMatchObject({ clientId: 'id', hosts: { api: 'https://api.linkedin.com' } })
  expect(apps.Twitter).toMatchObject({
    clientId: 'sandbox-x-client',
    clientSecret: 'sandbox-x-secret',
    hosts: {
      api: 'http://127.0.0.1:4711/api.x.com',
      login: 'http://127.0.0.1:4711/x.com',
      public: 'http://127.0.0.1:4711/x.com',
    },
    options: { tier: 'enterprise' },
  })
})

test.each([
  [{ CHORUS_X_TIER: 'gold' }, 'CHORUS_X_TIER must be self-serve or enterprise.'],
  [
    { CHORUS_X_HOSTS: 'graph=http://a.example' },
    'CHORUS_X_HOSTS names the host "graph"; there are api, login, public.',
  ],
  [{ CHORUS_X_SCOPES: 'tweet.read <script>' }, 'CHORUS_X_SCOPES names the scope "<script>", which cannot be one.'],
  [{ CHORUS_TWITTER_CLIENT_ID: 'id' }, 'CHORUS_TWITTER_CLIENT_ID is not a setting; did you mean'],
])('rejects %j', (environment, sentence) => {
  expect(() => readSettings(environment)).toThrow(sentence)
})

describe('API versions', () => {
  const configured = { CHORUS_LINKEDIN_CLIENT_ID: 'id', CHORUS_LINKEDIN_CLIENT_SECRET: 'secret' }
  function warnings(environment: NodeJS.ProcessEnv, now: string) {
    const lines: Record<string, unknown>[] = []
    const log = openLog('info', { write: (line) => lines.push(JSON.parse(line)) })
    warnOfVersions(readSettings(environment), new Date(now), log)
    return lines
  }

  test('startup warns from 90 days before the end of a version and logs an error afterwards', () => {
    const warning = {
      network: 'LinkedIn',
      version: '202607',
      ends: '2027-07-15',
      setting: 'CHORUS_LINKEDIN_API_VERSION',
    }
    expect(warnings(configured, '2027-04-15T23:59:59Z')).toEqual([])
    expect(warnings(configured, '2027-04-16T00:00:00Z')).toMatchObject([
      {
        ...warning,
        level: 'warn',
        msg: 'Version 202607 of the LinkedIn API ends on 2027-07-15. Update Chorus, or set CHORUS_LINKEDIN_API_VERSION to a newer version.',
      },
    ])
    expect(warnings(configured, '2027-07-14T23:59:59Z')).toMatchObject([{ level: 'warn' }])
    expect(warnings(configured, '2027-07-15T00:00:00Z')).toMatchObject([
      {
        ...warning,
        level: 'error',
        msg: expect.stringContaining('Version 202607 of the LinkedIn API ended on 2027-07-15.'),
      },
    ])
  })

  test('an estimated end is marked as estimated', () => {
    const facebook = { CHORUS_FACEBOOK_CLIENT_ID: 'id', CHORUS_FACEBOOK_CLIENT_SECRET: 'secret' }
    expect(warnings(facebook, '2028-07-01T00:00:00Z')).toMatchObject([
      { msg: expect.stringContaining('Version v26.0 of the Facebook API ends about 2028-07-29.') },
    ])
  })

  test('unknown versions, networks without an app and the sandbox cause no warning', () => {
    expect(warnings({ ...configured, CHORUS_LINKEDIN_API_VERSION: '209901' }, '2030-01-01T00:00:00Z')).toEqual([])
    expect(warnings({ CHORUS_DEMO: '1' }, '2030-01-01T00:00:00Z')).toEqual([])
  })

  test.each(manifests)(
    'the manifest of $network has the end date of its default API version',
    ({ network, app, login }) => {
      const { versions, scopeUses } = setupOf(network)
      for (const scope of login.scopes) expect(scopeUses).toHaveProperty([scope])
      expect(versions).toHaveProperty([app.apiVersion, 'source'], expect.stringMatching(/^https:/))
    },
  )
})
