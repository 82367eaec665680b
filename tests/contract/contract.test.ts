import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inContractOrder } from '#areas/webhooks/webhook.api.ts'
import { registry } from '#main/registry.ts'
import { deep } from '../support/randomness.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** The contract's operations and events by group, copied verbatim; nothing here is derived from the code. */
const contract: Record<'endpoints' | 'events', Record<string, string[]>> & { legacyEvents: string[] } = JSON.parse(
  readFileSync('tests/contract/contract.json', 'utf8'),
)
const listed = Object.values(contract.endpoints).flat()
const events = Object.values(contract.events).flat()

/** Path parameters have other names here. */
const withoutParameterNames = (route: string) => route.replaceAll(/\{\w+\}/g, '{}')

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

test('all 113 endpoints are described and respond', async () => {
  expect(new Set(listed).size).toBe(113)
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> }
  const described = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => withoutParameterNames(`${verb.toUpperCase()} ${path}`)),
  )
  expect(listed.filter((route) => !described.includes(withoutParameterNames(route)))).toEqual([])
  for (const route of listed) {
    const { status, text } = await service.admin(route.replaceAll(/\{\w+\}/g, 'absent'))
    // A parameter or an entity is missing, but path and method are known.
    expect([200, 400, 404], `${route}: ${text}`).toContain(status)
    expect(text, route).not.toMatch(/nothing at this address/i)
  }
  expect((await service.admin('GET /no-such-thing')).text).toMatch(/nothing at this address/i)
})

test('all 22 events and the legacy events are in the catalogue, have a sample and can be subscribed to', async () => {
  expect(new Set(events).size).toBe(22)
  const catalogue = inContractOrder(registry.events).map(({ name }) => name)
  expect([...events, ...contract.legacyEvents].filter((name) => !catalogue.includes(name))).toEqual([])
  const { json } = await service.admin('GET /webhook/events')
  expect(json.Events.map((type: { Event: string }) => type.Event).sort()).toEqual([...events].sort())
  for (const event of [...events, ...contract.legacyEvents]) {
    const sample = await service.admin(`GET /webhook/events/${event}`)
    expect([sample.status, sample.json.Event], event).toEqual([200, event])
    const body = { event, name: `Of ${event}`, url: 'https://example.com/hook', isEnabled: 0 }
    expect((await service.admin('POST /webhook', { body })).json.Webhook, event).toMatchObject({ Event: event })
  }
})

/** Texts of all Unicode characters, and of the few that are special in forms and URLs. */
const validText = fc
  .oneof(...(['binary', 'binary-ascii'] as const).map((unit) => fc.string({ unit, minLength: 1, maxLength: 120 })))
  .filter((text) => !text.includes('\0') && text.trim() !== '' && text.isWellFormed())

test('any text is returned unchanged, whether sent as form, JSON or query', async () => {
  await fc.assert(
    fc.asyncProperty(validText, async (name) => {
      const form = encodeURIComponent(name)
      const answers = await Promise.all([
        service.admin('POST /team', { body: `name=${form}` }),
        service.admin('POST /team', { body: `name=${form.replaceAll('%20', '+')}&other[x]=1` }),
        service.admin('POST /team', { body: { name } }),
        service.admin('POST /team', { body: { NAME: name } }),
        service.admin('POST /team', { query: `name=${form}` }),
      ])
      for (const { json } of answers) expect(json.Team?.Name).toBe(name.trim())
    }),
    { numRuns: deep(20, 60), seed: 20261115 },
  )
})

const booleans: [sent: unknown, meant: boolean][] = [
  ['1', true],
  ['0', false],
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
  [true, true],
  [false, false],
]

test.each(booleans)('the boolean %j means %s in every encoding', async (sent, meant) => {
  for (const [before, options] of [
    [!meant, { body: { EmailWeekly: sent } }],
    [!meant, { body: `EmailWeekly=${sent}` }],
    [!meant, { query: `EmailWeekly=${sent}` }],
    [!meant, { query: `emailWeekly=${sent}` }],
  ] as const) {
    await service.publisher('POST /notification', { body: { EmailWeekly: before } })
    const { json } = await service.publisher('POST /notification', options)
    expect(json.Items.EmailWeekly).toBe(meant)
  }
})

test('a GET request accepts parameters in its body, and ignores an empty JSON body', async () => {
  const { request } = await import('node:http')
  const send = (body: string, contentType: string, query = ''): Promise<{ Items: unknown[]; Total: number }> =>
    new Promise((resolve, reject) => {
      const authorization = `Basic ${Buffer.from('001demo00000001:demo-key-of-the-tests').toString('base64')}`
      const headers = { authorization, 'content-type': contentType, 'content-length': Buffer.byteLength(body) }
      const call = request(`${service.url}/v2/user${query}`, { method: 'GET', headers }, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk as Buffer)
        resolve(JSON.parse(Buffer.concat(chunks).toString()))
      })
      call.on('error', reject)
      call.end(body)
    })
  expect((await send('q=rina', 'application/x-www-form-urlencoded')).Total).toBe(1)
  expect((await send('{"q": "rina"}', 'application/json')).Total).toBe(1)
  expect((await send('{"q": "rina"}', 'application/json', '?q=ada')).Total, 'the body wins').toBe(1)
  expect((await send('', 'application/json', '?q=ada')).Total).toBe(1)
})

test.each(['/canned-response', '/lead', '/dashboard'])(
  'GET %s accepts the page sizes 25, 50 and 100 and no others',
  async (path) => {
    for (const size of [25, 50, 100])
      expect((await service.reader(`GET ${path}`, { query: `_count=${size}` })).status, `${size}`).toBe(200)
    for (const size of [1, 10, 24, 30, 101, 200]) {
      const { status, json } = await service.reader(`GET ${path}`, { query: `_count=${size}` })
      expect([status, json]).toEqual([
        400,
        {
          Result: false,
          Errors: { API: { Error: `Page size ${size} is not valid. Use 25, 50 or 100.` } },
        },
      ])
    }
  },
)

test('a parameter with the exact name takes precedence over names in another case', async () => {
  const { json } = await service.admin('POST /team', { body: 'NAME=Other&name=Exact&Name=Third' })
  expect(json.Team.Name).toBe('Exact')
})

test('a repeated parameter that takes one value responds 400', async () => {
  const { status, json } = await service.admin('POST /team', { body: 'name=One&name=Two' })
  expect([status, json.Errors.API.Error]).toEqual([400, 'name must be given once.'])
})

/** A part of a multipart body, in the formats of several HTTP clients. */
const part = (name: string, value: string, more = '') =>
  `--limit\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`

async function sendMultipart(route: string, body: string, contentType = 'multipart/form-data; boundary=limit') {
  const [method = '', path] = route.split(' ')
  const authorization = `Basic ${Buffer.from('001demo00000001:demo-key-of-the-tests').toString('base64')}`
  const headers = { authorization, 'content-type': contentType }
  const response = await fetch(`${service.url}/v2${path}`, { method, headers, body })
  return { status: response.status, json: JSON.parse(await response.text()) }
}

test('a multipart form without files is parsed like a form, with any text', async () => {
  await fc.assert(
    fc.asyncProperty(validText, async (name) => {
      const { json } = await sendMultipart('POST /team', `${part('name', name)}--limit--\r\n`)
      expect(json.Team?.Name).toBe(name.trim())
    }),
    { numRuns: deep(10, 30), seed: 20261116 },
  )
}, 60_000)

test('a multipart form accepts lists in every form encoding', async () => {
  const made = await Promise.all(['Multi', 'Part'].map((name) => service.admin('POST /team', { body: { name } })))
  const teams: string[] = made.map(({ json }) => json.Team.Id)
  const [one = '', two = ''] = teams
  const encodings = [
    part('teamIds[]', one) + part('teamIds[]', two),
    part('teamIds[0]', one) + part('teamIds[1]', two),
    part('teamIds', one) + part('teamIds', two),
    part('teamIds', teams.join(',')),
    part('teamIds', JSON.stringify(teams)),
  ]
  for (const encoded of encodings) {
    const contentType = 'multipart/form-data; charset=utf-8; boundary="limit"'
    const route = 'POST /team-entity/002demo00000001'
    const { status, json } = await sendMultipart(route, `ignored\r\n${encoded}--limit--`, contentType)
    expect([status, json.Result], JSON.stringify(json)).toEqual([200, true])
    const { Items } = (await service.admin('GET /team-entity/002demo00000001')).json
    expect(JSON.stringify(Items)).toContain(one)
    expect(JSON.stringify(Items)).toContain(two)
  }
})

test('a multipart form with a file responds 400 and names the upload endpoints', async () => {
  const file = part('media', 'bytes', '; filename="a.png"')
  const { status, json } = await sendMultipart('POST /team', `${part('name', 'x')}${file}--limit--\r\n`)
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringMatching(/\/app\/api\/media.*POST \/upload/)])
})

test.each([
  ['no boundary', part('name', 'x'), 'multipart/form-data'],
  ['another boundary', part('name', 'x'), 'multipart/form-data; boundary=other'],
  ['no end', part('name', 'x'), undefined],
  ['no name', '--limit\r\n\r\nx\r\n--limit--', undefined],
  ['too many parts', `${part('name', 'x').repeat(3000)}--limit--`, undefined],
  ['a boundary without parts between', '--limit\r\n'.repeat(50_000), undefined],
])('a multipart form with %s responds 400', async (_what, body, contentType) => {
  const { status, json } = await sendMultipart('POST /team', body, contentType)
  expect([status, json.Result]).toEqual([400, false])
})
