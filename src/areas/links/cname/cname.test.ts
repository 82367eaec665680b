import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startDnsServer } from '../../../../tests/support/dns-server.ts'
import { demoAccount, quickJobs, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'

const day = 24 * 60 * 60 * 1000
let now = Date.now()
const clock = { now: () => new Date(now) }

let dns: Awaited<ReturnType<typeof startDnsServer>>
let service: TestService
let folder: TemporaryFolder
beforeAll(async () => {
  dns = await startDnsServer({
    'go.example.com': { cname: 'short.example' },
    'far.example.com': { cname: 'one.cdn.example' },
    'one.cdn.example': { cname: 'Short.Example' },
    'wrong.example.com': { cname: 'elsewhere.example' },
    'address.example.com': { a: '93.184.216.34' },
    'intranet.example.com': { a: '10.20.30.40' },
    'inside.example.com': { cname: 'db.internal.example' },
    'db.internal.example': { a: '192.168.1.7' },
    'ring.example.com': { cname: 'ring2.example.com' },
    'ring2.example.com': { cname: 'ring.example.com' },
    'broken.example.com': 'SERVFAIL',
    'silent.example.com': 'silence',
    'xn--mnchen-3ya.example': { cname: 'short.example' },
    '*.brand.example': { cname: 'short.example' },
  })
  folder = await temporaryFolder()
  const environment = {
    CHORUS_SHORT_URL: 'https://short.example',
    CHORUS_DNS_SERVER: dns.address,
    CHORUS_DATA_DIR: folder.path,
    CHORUS_ROLES: 'api,worker',
  }
  service = await startTestService({ clock, environment, pollingIntervals: quickJobs })
})
afterAll(async () => {
  await service.stop()
  await dns.close()
  await folder.remove()
})

const add = (cname: string, as = service.admin) => as('POST /cname', { body: { cname } })
const served = async (host: string) =>
  (
    await ownerQuery<{ account: string }>(service.databaseUrl, 'select account from short_hosts where host = $1', [
      host,
    ])
  )[0]?.account
let numbered = 0
const newName = () => `name${numbered++}.brand.example`

test('a domain that points to the short host is accepted and served', async () => {
  const { status, json } = await add(' GO.Example.com. ')
  expect([status, json]).toEqual([
    200,
    {
      Result: true,
      Cname: {
        Id: expect.stringMatching(/^0CN/),
        Created: expect.any(String),
        Modified: expect.any(String),
        AccountId: demoAccount,
        Name: 'go.example.com',
      },
    },
  ])
  expect(await served('go.example.com')).toBe(demoAccount)
  const list = (await service.reader('GET /cname')).json
  expect([list.Total, list.Items]).toEqual([1, [json.Cname]])
  expect((await service.otherAdmin('GET /cname')).json).toEqual({ Result: true, Items: [], Total: 0 })
})

test('a domain can point there over several aliases, and be in another script', async () => {
  expect((await add('far.example.com')).json.Cname.Name).toBe('far.example.com')
  expect((await add('München.example')).json.Cname.Name).toBe('xn--mnchen-3ya.example')
})

test.each([
  ['wrong.example.com', 'it points at elsewhere.example.'],
  ['address.example.com', 'it has none.'],
  ['intranet.example.com', 'no record was found.'],
  ['inside.example.com', 'no record was found.'],
  ['absent.example.com', 'no record was found.'],
  ['ring.example.com', 'it points at ring2.example.com, then at ring.example.com.'],
])('%s does not point here: the response says what was found', async (name, found) => {
  const { status, json } = await add(name)
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining(`points at short.example; ${found}`)])
  expect(await served(name)).toBeUndefined()
})

test.each(['broken.example.com', 'silent.example.com'])(
  '%s: a DNS failure can be retried',
  async (name) => {
    const { status, json, headers } = await add(name)
    expect([status, headers.get('retry-after')]).toEqual([503, '60'])
    expect(json.Errors.API.Error).toContain('Nothing was changed; try again in a minute.')
  },
  40_000,
)

test.each([
  'https://go.example.com',
  'go.example.com/path',
  'go.example.com:443',
  '127.0.0.1',
  '::1',
  '1.2.3',
  '0x7f.1',
  'localhost',
  'go_.example.com',
  '-go.example.com',
  'go..example.com',
  'a b.example.com',
  `${'a'.repeat(64)}.example.com`,
  `${'abcdefghi.'.repeat(25)}example`,
  'short.example',
])('%s is rejected without a lookup', async (name) => {
  const before = dns.queries()
  const { status, json } = await add(name)
  expect([status, json.Result]).toEqual([400, false])
  expect(dns.queries()).toBe(before)
})

test('a domain belongs to one account, once', async () => {
  const name = newName()
  expect((await add(name)).status).toBe(200)
  const again = await add(name)
  expect([again.status, again.json.Errors.API.Error]).toEqual([409, `The account has ${name} already.`])
  const other = await add(name, service.otherAdmin)
  expect([other.status, other.json.Errors.API.Error]).toEqual([
    409,
    expect.stringContaining('in use by another account'),
  ])
  expect((await service.otherAdmin('GET /cname')).json.Total).toBe(0)
})

test('a domain can be replaced', async () => {
  const [name, next] = [newName(), newName()]
  const { Id } = (await add(name)).json.Cname
  const { status, json } = await service.admin(`POST /cname/${Id}`, { body: { cname: next } })
  expect([status, json.Cname.Id, json.Cname.Name]).toEqual([200, Id, next])
  expect([await served(name), await served(next)]).toEqual([undefined, demoAccount])
  expect((await service.admin(`POST /cname/${Id}`, { body: { cname: 'wrong.example.com' } })).status).toBe(400)
  expect(await served(next)).toBe(demoAccount)
  expect((await add(name, service.otherAdmin)).status).toBe(200)
  expect((await service.admin(`POST /cname/${Id}`, { body: { cname: name } })).status).toBe(409)
})

test('a removed domain is free, and new links no longer use it', async () => {
  const name = newName()
  const { Id } = (await add(name)).json.Cname
  const { json } = await service.admin('POST /app/api/link-settings', { body: { cnameId: Id } })
  expect(json.LinkSettings.ShortUrl).toBe(`https://${name}`)
  expect((await service.admin(`DELETE /cname/${Id}`)).json).toEqual({ Result: true })
  expect(await served(name)).toBeUndefined()
  expect((await service.admin('GET /app/api/link-settings')).json.LinkSettings.CnameId).toBeNull()
  expect((await service.admin(`DELETE /cname/${Id}`)).status).toBe(404)
  expect((await add(name, service.otherAdmin)).status).toBe(200)
})

test('only admins change domains', async () => {
  for (const as of [service.publisher, service.contributor, service.reader]) {
    expect((await add(newName(), as)).status).toBe(403)
    expect((await as('DELETE /cname/0CNabsent000000')).status).toBe(403)
  }
})

test('without a short host name no domain can be added', async () => {
  const local = await startTestService({
    databaseUrl: service.databaseUrl,
    environment: { CHORUS_ROLES: 'api', CHORUS_DNS_SERVER: dns.address },
  })
  const { status, json } = await add('go.example.com', local.admin)
  await local.stop()
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining('CHORUS_SHORT_URL')])
})

async function mailsAbout(name: string): Promise<string[]> {
  const outbox = join(folder.path, 'outbox')
  const files = await readdir(outbox).catch(() => [])
  const mails = await Promise.all(files.map((file) => readFile(join(outbox, file), 'utf8')))
  return mails.filter((mail) => mail.includes(`Short links under ${name}`))
}

test('domains are checked daily: the second failure disables one, a success enables it again', async () => {
  const name = newName()
  const { Id } = (await add(name)).json.Cname
  const domainStates = async () =>
    (
      await ownerQuery<{ problem: string; checked: Date }>(
        service.databaseUrl,
        'select problem, checked from cnames where id = $1',
        [Id],
      )
    )[0]
  const nextDay = async () => {
    now += day + 60_000
    const at = new Date(now)
    await expect.poll(async () => ((await domainStates())?.checked ?? 0) >= at).toBe(true)
  }
  dns.set(name, { cname: 'elsewhere.example' })
  await nextDay()
  expect([(await domainStates())?.problem, await served(name)]).toEqual([
    expect.stringContaining('elsewhere.example'),
    demoAccount,
  ])
  dns.set(name, 'SERVFAIL')
  const previous = dns.queries()
  now += day + 60_000
  await expect.poll(() => dns.queries() - previous).toBeGreaterThan(3)
  expect(await served(name)).toBe(demoAccount)
  dns.set(name, { cname: 'elsewhere.example' })
  await nextDay()
  expect(await served(name)).toBeUndefined()
  await expect.poll(async () => (await mailsAbout(name)).length).toBe(1)
  await nextDay()
  expect((await mailsAbout(name)).length).toBe(1)
  dns.set(name, { cname: 'short.example' })
  await nextDay()
  expect([(await domainStates())?.problem, await served(name)]).toEqual(['', demoAccount])
})
