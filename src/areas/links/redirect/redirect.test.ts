import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { browser, insertLink, intakeOf, visit } from './links.fixture.ts'

const demoAccount = '001demo00000001'
const otherAccount = '001demo00000002'
let service: TestService
let short: string
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api,links' } })
  short = `${service.url}/l`
})
afterAll(() => service.stop())

const createLink = (hash: string, longUrl = 'https://example.com/page', more = {}) =>
  insertLink(service.databaseUrl, { hash, longUrl, ...more })
const announce = (payload: string) => ownerQuery(service.databaseUrl, `select pg_notify('links', $1)`, [payload])
const cookieOf = (response: { headers: Record<string, unknown> }) => String(response.headers['set-cookie'] ?? '')

describe('a visitor of a short link', () => {
  test('is redirected with the campaign’s parameters, and the response is not cached', async () => {
    const link = await createLink('Plain001', 'https://example.com/page?a=1&utm_source=own#part', {
      params: { utm_source: 'linkedin', utm_medium: 'social' },
    })
    const { status, headers, body } = await visit(`${short}/Plain001?ignored=1`)
    expect([status, body]).toEqual([302, ''])
    expect(headers.location).toBe('https://example.com/page?a=1&utm_source=own&utm_medium=social#part')
    expect(headers['cache-control']).toBe('private, no-store')
    expect(headers['x-robots-tag']).toBe('noindex')
    expect(headers['referrer-policy']).toBeUndefined()
    // The first click of a service may be stored after its response.
    await expect.poll(() => intakeOf(service.databaseUrl, link)).toHaveLength(1)
    const [click] = await intakeOf(service.databaseUrl, link)
    expect(click).toMatchObject({ account: demoAccount, class: 'human', reason: '', address: '127.0.0.1' })
    expect(click?.userAgent).toBe(browser)
    expect(click?.id).toMatch(/^009[0-9A-Za-z]{12}$/)
    expect(Math.abs(Number(click?.at) - Date.now())).toBeLessThan(60_000)
  })

  test('sends a user agent with quotes, commas and braces, and it is stored unchanged', async () => {
    const link = await createLink('Quotes01')
    const odd = 'Mozilla/5.0 (X; "a", \\b, {c}, NULL) Chrome/124.0.0.0 Safari/537.36 é'
    await visit(`${short}/Quotes01`, { headers: { 'user-agent': odd } })
    expect((await intakeOf(service.databaseUrl, link))[0]?.userAgent).toBe(odd)
  })

  test('finds no such link: 404, a small page', async () => {
    for (const path of ['Unknown1', 'short', 'Plain001/more', 'Plain0012', '..%2f..%2fv2']) {
      const { status, headers, body } = await visit(`${short}/${path}`)
      expect([path, status]).toEqual([path, 404])
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['x-robots-tag']).toBe('noindex')
      expect(body).toContain('There is no such link')
    }
  })

  test('finds a disabled one: 410, and nothing is stored', async () => {
    const link = await createLink('Switched')
    await ownerQuery(service.databaseUrl, 'update link_hashes set disabled = true where link = $1', [link])
    const { status, headers, body } = await visit(`${short}/Switched`)
    expect([status, headers.location]).toEqual([410, undefined])
    expect(body).toContain('switched off')
    expect(await intakeOf(service.databaseUrl, link)).toEqual([])
  })

  test('appends a plus and sees the destination, without a script and without being counted', async () => {
    const link = await createLink('Preview1', 'https://example.com/?q=%22%3E<script>alert(1)</script>&b=1')
    for (const plus of ['+', '%2B']) {
      const { status, headers, body } = await visit(`${short}/Preview1${plus}`)
      expect(status).toBe(200)
      expect(body).toContain('example.com')
      expect(body).not.toContain('<script')
      expect(body).toContain('&amp;b=1')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['x-robots-tag']).toBe('noindex')
      expect(headers['set-cookie']).toBeUndefined()
    }
    expect((await visit(`${short}/Nothing1+`)).status).toBe(404)
    expect(await intakeOf(service.databaseUrl, link)).toEqual([])
  })

  test('sends HEAD: the same response, never counted, no cookie', async () => {
    const link = await createLink('HeadOnly')
    const { status, headers } = await visit(`${short}/HeadOnly`, { method: 'HEAD' })
    expect([status, headers.location, headers['set-cookie']]).toEqual([302, 'https://example.com/page', undefined])
    await expect.poll(() => intakeOf(service.databaseUrl, link)).toMatchObject([{ class: 'head' }])
  })

  test('may only read: 405 otherwise', async () => {
    await createLink('ReadOnly')
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status, headers } = await visit(`${short}/ReadOnly`, { method })
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    }
  })

  test('finds robots.txt, which allows preview fetchers, no icon, and a page at the root', async () => {
    expect((await visit(`${short}/robots.txt`)).body).toBe('User-agent: *\nDisallow:\n')
    expect((await visit(`${short}/favicon.ico`)).status).toBe(204)
    expect((await visit(`${short}/`)).status).toBe(200)
  })

  test('passes the click id to a destination that wants it, replacing a copied one', async () => {
    await ownerQuery(
      service.databaseUrl,
      `insert into link_settings (account_id, campaign_id, modified, click_parameter) values ($1, '', now(), 'cid')`,
      [otherAccount],
    )
    await ownerQuery(
      service.databaseUrl,
      `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
       values ($1, '002other0000001', now(), now(), '', '', 'Other', 'active', '#2456D6')`,
      [otherAccount],
    )
    const link = await createLink('ClickId1', 'https://example.com/?cid=old&x=1#end', { account: otherAccount })
    const { headers } = await visit(`${short}/ClickId1`)
    const [click] = await intakeOf(service.databaseUrl, link)
    expect(headers.location).toBe(`https://example.com/?x=1&cid=${click?.id}#end`)
  })
})

describe('visitors', () => {
  test('a person gets a cookie for a year, and is the same visitor with it', async () => {
    const link = await createLink('Cookies1')
    const first = await visit(`${short}/Cookies1`)
    expect(cookieOf(first)).toMatch(/^chorus_visitor=[\w-]{22}; Max-Age=31536000; Path=\/l; HttpOnly; SameSite=Lax$/)
    const id = cookieOf(first).slice('chorus_visitor='.length).split(';')[0] as string
    const again = await visit(`${short}/Cookies1`, { headers: { cookie: `a=b; chorus_visitor=${id}; c=d` } })
    expect(again.headers['set-cookie']).toBeUndefined()
    const clicks = await intakeOf(service.databaseUrl, link)
    expect(clicks.map(({ visitor }) => visitor)).toEqual([id, id])
  })

  test('a second click before the cookie arrives is the same visitor, another browser is another', async () => {
    const link = await createLink('Twice001')
    await visit(`${short}/Twice001`)
    await visit(`${short}/Twice001`)
    await visit(`${short}/Twice001`, { headers: { 'user-agent': `${browser} Edg/124.0.0.0` } })
    const visitors = (await intakeOf(service.databaseUrl, link)).map(({ visitor }) => visitor)
    expect(visitors[0]).toBe(visitors[1])
    expect(visitors[0]).not.toBe(visitors[2])
  })

  test('an invalid cookie is ignored', async () => {
    const link = await createLink('Forged01')
    for (const cookie of [
      'chorus_visitor=short',
      `chorus_visitor=${'x'.repeat(23)}`,
      `not_chorus_visitor=${'x'.repeat(22)}`,
    ]) {
      expect(cookieOf(await visit(`${short}/Forged01`, { headers: { cookie } }))).toContain('chorus_visitor=')
    }
    for (const { visitor } of await intakeOf(service.databaseUrl, link)) expect(visitor).not.toContain('xxx')
  })

  test('do not track means no cookie, unless the account decides otherwise', async () => {
    const link = await createLink('DoNotTrk')
    const id = 'A'.repeat(22)
    for (const header of ['dnt', 'sec-gpc']) {
      const response = await visit(`${short}/DoNotTrk`, { headers: { [header]: '1', cookie: `chorus_visitor=${id}` } })
      expect([response.status, response.headers['set-cookie']]).toEqual([302, undefined])
    }
    const clicks = await intakeOf(service.databaseUrl, link)
    expect(clicks.map((click) => click.class)).toEqual(['human', 'human'])
    expect(new Set(clicks.map(({ visitor }) => visitor)).size).toBe(1)
    expect(clicks[0]?.visitor).not.toBe(id)
    expect(clicks[0]?.visitor).toMatch(/^[\w-]{22}$/)

    await ownerQuery(
      service.databaseUrl,
      `insert into link_settings (account_id, campaign_id, modified, respects_do_not_track) values ($1, '', now(), false)
       on conflict (account_id, campaign_id) do update set respects_do_not_track = false`,
      [demoAccount],
    )
    await announce('')
    await expect
      .poll(async () => cookieOf(await visit(`${short}/DoNotTrk`, { headers: { dnt: '1' } })))
      .toContain('chorus_visitor=')
    await ownerQuery(service.databaseUrl, 'delete from link_settings where account_id = $1', [demoAccount])
    await announce('')
  })

  test('bots, previews and prefetches are stored with their class and get no cookie', async () => {
    const link = await createLink('Classes1')
    const kinds: [string, Record<string, string>][] = [
      ['bot', { 'user-agent': 'curl/8.5.0' }],
      [
        'preview',
        { 'user-agent': 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)' },
      ],
      ['prefetch', { 'sec-purpose': 'prefetch;prerender' }],
      ['bot', { 'user-agent': '' }],
    ]
    for (const [, headers] of kinds) {
      const response = await visit(`${short}/Classes1`, { headers })
      expect([response.status, response.headers['set-cookie']]).toEqual([302, undefined])
    }
    const clicks = await intakeOf(service.databaseUrl, link)
    expect(clicks.map((click) => click.class)).toEqual(kinds.map(([kind]) => kind))
    for (const { reason } of clicks) expect(reason).not.toBe('')
  })

  test('a forwarded address is trusted from a trusted proxy only, and https enables third-party cookies', async () => {
    const link = await createLink('Proxied1')
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9', 'x-forwarded-proto': 'https' }
    await visit(`${short}/Proxied1`, { headers })
    const behind = await startTestService({
      databaseUrl: service.databaseUrl,
      environment: {
        CHORUS_ROLES: 'links',
        CHORUS_TRUSTED_PROXIES: '127.0.0.1',
        CHORUS_PUBLIC_URL: 'https://go.example',
      },
    })
    const response = await visit(`${behind.url}/l/Proxied1`, { host: 'go.example', headers })
    expect(cookieOf(response)).toContain('; SameSite=None; Secure')
    const plain = await visit(`${behind.url}/l/Proxied1`, {
      host: 'go.example',
      headers: { ...headers, 'x-forwarded-proto': 'http' },
    })
    expect(plain.status).toBe(403)
    await behind.stop()
    const addresses = (await intakeOf(service.databaseUrl, link)).map(({ address }) => address)
    expect(addresses).toEqual(['127.0.0.1', '203.0.113.9'])
  })
})

describe('a domain', () => {
  test('of its own: every path belongs to short links, none elsewhere', async () => {
    await createLink('OwnHost1')
    const own = await startTestService({
      databaseUrl: service.databaseUrl,
      environment: {
        CHORUS_ROLES: 'api,links',
        CHORUS_PUBLIC_URL: 'http://chorus.example',
        CHORUS_SHORT_URL: 'http://go.example',
      },
    })
    expect((await visit(`${own.url}/OwnHost1`, { host: 'go.example' })).status).toBe(302)
    expect((await visit(`${own.url}/OwnHost1`, { host: 'GO.example.:8080' })).status).toBe(302)
    expect((await visit(`${own.url}/v2/me`, { host: 'go.example' })).status).toBe(404)
    expect((await visit(`${own.url}/v2/me`, { host: 'go.example' })).body).toContain('no such link')
    expect((await visit(`${own.url}/v2/me`, { host: 'chorus.example' })).status).toBe(401)
    expect((await visit(`${own.url}/l/OwnHost1`, { host: 'chorus.example' })).status).toBe(404)
    expect((await visit(`${own.url}/v2/me`, { host: 'elsewhere.example' })).status).toBe(401)
    await own.stop()
  })

  test('of an account: served once announced, with that account’s links only', async () => {
    await createLink('Custom01')
    await insertLink(service.databaseUrl, { hash: 'Foreign1', longUrl: 'https://evil.example/', account: otherAccount })
    const at = (path: string) => visit(`${service.url}${path}`, { host: 'Links.Brand.example' })
    expect((await at('/v2/me')).status).toBe(401)
    await ownerQuery(service.databaseUrl, `insert into short_hosts values ('links.brand.example', $1, '0CN')`, [
      demoAccount,
    ])
    await announce('host:links.brand.example')
    await expect.poll(async () => (await at('/Custom01')).status).toBe(302)
    expect((await at('/Foreign1')).status).toBe(404)
    expect((await at('/v2/me')).status).toBe(404)
    expect(cookieOf(await at('/Custom01'))).toContain('; Path=/; ')
    await ownerQuery(service.databaseUrl, 'delete from short_hosts')
    await announce('host:links.brand.example')
    await expect.poll(async () => (await at('/Custom01')).status).toBe(404)
    expect((await visit(`${short}/Custom01`)).status).toBe(302)
  })

  test('that is unknown is rejected by a links-only process, which shows its health and nothing else', async () => {
    const linksOnly = await startTestService({
      databaseUrl: service.databaseUrl,
      environment: { CHORUS_ROLES: 'links', CHORUS_PUBLIC_URL: 'http://chorus.example' },
    })
    await createLink('LinkOnly')
    expect((await visit(`${linksOnly.url}/l/LinkOnly`, { host: 'chorus.example' })).status).toBe(302)
    expect((await visit(`${linksOnly.url}/l/LinkOnly`)).status).toBe(302)
    expect((await visit(`${linksOnly.url}/l/LinkOnly`, { host: 'unknown.example' })).status).toBe(421)
    expect((await visit(`${linksOnly.url}/`, { host: 'unknown.example' })).status).toBe(421)
    for (const host of [undefined, 'chorus.example', 'unknown.example']) {
      expect((await visit(`${linksOnly.url}/healthz`, host ? { host } : {})).status).toBe(200)
    }
    for (const path of ['/v2/me', '/docs', '/openapi.json', '/app/api/queue']) {
      expect([path, (await visit(`${linksOnly.url}${path}`)).status]).toEqual([path, 404])
    }
    const metrics = (await visit(`${linksOnly.url}/metrics`)).body
    expect(metrics).toMatch(
      /http_server_request_duration_seconds_count\{method="GET",route="short\/\{hash\}",status="302"\} 2/,
    )
    expect(metrics).toContain('clicks_uncounted_total 0')
    await linksOnly.stop()
  })
})

test('a process without the role has no short links', async () => {
  await createLink('NoRole01')
  const api = await startTestService({ databaseUrl: service.databaseUrl, environment: { CHORUS_ROLES: 'api' } })
  expect((await visit(`${api.url}/l/NoRole01`)).status).toBe(404)
  expect((await visit(`${api.url}/v2/me`)).status).toBe(401)
  await api.stop()
})

test('a changed or disabled link takes effect in every process at once', async () => {
  const link = await createLink('Changes1', 'https://example.com/old')
  const other = await startTestService({ databaseUrl: service.databaseUrl, environment: { CHORUS_ROLES: 'links' } })
  const both = [service.url, other.url]
  const seen = () =>
    Promise.all(
      both.map(async (url) => {
        const { status, headers } = await visit(`${url}/l/Changes1`)
        return headers.location ?? status
      }),
    )
  expect(await seen()).toEqual(['https://example.com/old', 'https://example.com/old'])
  const change = async (call: string, body = {}) => {
    expect((await service.admin(`POST ${call}`, { body })).status).toBe(200)
  }
  await change(`/link/${link}`, { longUrl: 'https://example.com/new' })
  await expect.poll(seen).toEqual(['https://example.com/new', 'https://example.com/new'])
  await change(`/app/api/link/${link}/disable`)
  await expect.poll(seen).toEqual([410, 410])
  await change(`/app/api/link/${link}/enable`)
  await expect.poll(seen).toEqual(['https://example.com/new', 'https://example.com/new'])
  await other.stop()
})

test('an unknown hash is queried once a second, however often it is guessed', async () => {
  const before = await visit(`${short}/Guessed1`)
  expect(before.status).toBe(404)
  await createLink('Guessed1')
  expect((await visit(`${short}/Guessed1`)).status).toBe(404)
  await expect.poll(async () => (await visit(`${short}/Guessed1`)).status).toBe(302)
})

test('concurrent clicks are stored together, each with its own id', async () => {
  const link = await createLink('Together')
  const userAgents = Array.from({ length: 120 }, (_, number) => `${browser} v${number}`)
  const response = await Promise.all(
    userAgents.map((userAgent) => visit(`${short}/Together`, { headers: { 'user-agent': userAgent } })),
  )
  expect(new Set(response.map(({ status }) => status))).toEqual(new Set([302]))
  const clicks = await intakeOf(service.databaseUrl, link)
  expect(clicks.map((click) => click.userAgent).sort()).toEqual(userAgents.sort())
  expect(new Set(clicks.map(({ id }) => id)).size).toBe(120)
  expect(new Set(clicks.map(({ visitor }) => visitor)).size).toBe(120)
})

test('a stopping process answers open connections, stores their clicks, and closes them', async () => {
  const link = await createLink('Draining')
  const other = await startTestService({ databaseUrl: service.databaseUrl, environment: { CHORUS_ROLES: 'links' } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const first = await visit(`${other.url}/l/Draining`, { agent })
  expect(first.headers.connection).toBe('keep-alive')
  const stopped = other.stop()
  const last = await visit(`${other.url}/l/Draining`, { agent, headers: { 'user-agent': `${browser} last` } })
  expect([last.status, last.headers.connection]).toEqual([302, 'close'])
  await stopped
  agent.destroy()
  expect((await intakeOf(service.databaseUrl, link)).length).toBe(2)
})
