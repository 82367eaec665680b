import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { abilities } from '#kernel/permissions.ts'
import { type Caller, type CallResult, sessionCaller } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { demoBoard, type Example } from './examples.ts'
import { addressOf, callerFor, exampleFor, operations, routeOf } from './operations.ts'

/** What the audit log says of every operation that changes something: once if it was done, never if it was refused. */

const admin = { id: '00Ademo00000001', email: 'ada.marsh@example.com', password: 'nine ferries leave at once' }
const publisher = '00Ademo00000002'

let service: TestService
let cookie = ''
let atConsole: Caller
beforeAll(async () => {
  service = await startTestService({ picture: true })
  await service.admin(`POST /user/${admin.id}`, { body: { email: admin.email, password: admin.password } })
  const response = await fetch(`${service.url}/app/api/session`, { method: 'POST', body: new URLSearchParams(admin) })
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  atConsole = sessionCaller(service.url, cookie)
})
afterAll(() => service.stop())

interface Row {
  accountId: string
  userId: string
  via: string
  viaId: string
  address: string
  operation: string
  entityId: string
  fields: string[]
  refused: boolean
}

const deeds = (after = '') =>
  ownerQuery<Row & { id: string }>(
    service.databaseUrl,
    `select id, account_id as "accountId", user_id as "userId", via, via_id as "viaId", address, operation,
      entity_id as "entityId", fields, refused from deeds where id > $1 order by id`,
    [after],
  )

/** What was written down while something was done: ids are in the order of time. */
async function writtenBy(work: () => Promise<unknown>): Promise<Row[]> {
  const [before] = await ownerQuery<{ last: string | null }>(service.databaseUrl, 'select max(id) as last from deeds')
  await work()
  return deeds(before?.last ?? '')
}

const changing = operations.filter(({ method, readsOnly }) => method !== 'GET' && !readsOnly)
const call = (as: Caller, route: string, { id = '', body }: Example) =>
  as(route.replace(/\{\w+\}/, id), body ? { body } : {})

/** What is changed where neither the address nor the answer names it: by the caller, or by nobody but the account itself. */
const unnamed: { readonly [route: string]: string } = {
  'POST /notification': admin.id,
  'POST /app/api/me': publisher,
  'POST /app/api/password': publisher,
  'DELETE /app/api/sessions': publisher,
  'POST /app/api/calendar-key': publisher,
  'DELETE /app/api/calendar-key': publisher,
  'PUT /app/api/inbox/views': publisher,
  'POST /app/api/inbox/open': publisher,
  'POST /app/api/inbox/read': publisher,
  'DELETE /app/api/session': demoAccount,
  'POST /app/api/link-settings': demoAccount,
  'POST /app/api/conversations': demoAccount,
  'POST /advocate': demoBoard,
  'POST /advocate/bulk': demoBoard,
}
/** Anybody may ask for a link for any address: that changes nothing. What somebody is writing concerns nobody else. */
const unlisted = [
  ...['POST /app/api/password-reset', 'POST /app/api/board/entry-link', 'POST /app/api/board/sign-up'],
  ...['PUT /app/api/draft/{id}', 'DELETE /app/api/draft/{id}'],
]
/** What people do to get in, with the id of what begins by it. */
const entrances: { readonly [route: string]: string } = {
  'POST /app/api/session': 'password',
  'POST /app/api/password-reset/choice': 'link',
  'POST /app/api/invitation/choice': 'link',
  'POST /app/api/board/invitation': 'link',
  'POST /app/api/board/entry': 'link',
}

/** What needs no parameters. */
const freely = ['POST /notification', 'POST /app/api/link-settings', 'POST /app/api/me']

/** All that was sent, and the secrets that were shown. */
const told: string[] = []

function remember(value: unknown) {
  if (typeof value === 'string') told.push(value)
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(remember)
}

function idIn({ json }: CallResult): string | undefined {
  const made = Object.values(json as object).find((value) => value?.Id ?? value?.ID)
  return made?.Id ?? made?.ID
}

async function latestSession(): Promise<string> {
  const [row] = await ownerQuery<{ id: string }>(service.databaseUrl, 'select max(id) as id from sessions')
  return row?.id ?? ''
}

async function expectedId(route: string, { id, body }: Example, answer: CallResult) {
  if (route === 'POST /app/api/session') return latestSession()
  if (route in entrances) return answer.json.UserId
  if (route === 'POST /app/api/compose') return answer.json.Items[0].Post.Id
  if (route === 'POST /app/api/workflow-items' || route === 'POST /app/api/posts') return answer.json.Items[0].Id
  if (route.endsWith(' /board-message')) return (body as { messageId: string }).messageId
  if (route === 'POST /lead-link-replace') return (body as { integrationId: string }).integrationId
  return id ?? (body as { id?: string } | undefined)?.id ?? unnamed[route] ?? idIn(answer)
}

/** Does it once, and demands one row that says so. */
async function expectOne(endpoint: Endpoint, example: Example, as: Caller, route: string, who: Partial<Row>) {
  remember(example.body)
  let answer: CallResult | undefined
  const rows = await writtenBy(async () => {
    answer = await call(as, route, example)
  })
  expect(answer?.status, answer?.text).toBe(200)
  remember(answer?.json.Secret ?? answer?.json.Webhook?.Secret ?? answer?.json.ApiKey?.Key)
  const operation = routeOf(endpoint)
  if (unlisted.includes(operation)) return expect(rows).toEqual([])
  const row = { accountId: demoAccount, address: '127.0.0.1', operation, refused: false, ...who }
  const entityId = await expectedId(operation, example, answer as CallResult)
  expect(entityId).toEqual(expect.stringMatching(/^\w{3}/))
  const fields = operation in entrances ? [] : Object.keys(example.body ?? {}).sort()
  expect(rows).toEqual([{ ...row, id: expect.stringMatching(/^0dd/), entityId, fields }])
  if (operation in entrances) expect(rows[0]?.userId).toBe(answer?.json.UserId)
}

/** Asks for it without credentials, as who may not, in another account, and without what it needs. */
async function expectNone(endpoint: Endpoint, example: Example, as: Caller, route: string) {
  const mayRead = (abilities[endpoint.needs] as readonly string[]).includes('read')
  const rows = await writtenBy(async () => {
    const stranger = await fetch(service.url + addressOf(endpoint, 'x'), { method: endpoint.method })
    expect(stranger.status).toBeGreaterThanOrEqual(400)
    if (!mayRead) expect((await call(service.reader, route, example)).status).toBe(403)
    if (example.id && !example.chosen) expect((await call(service.otherAdmin, route, example)).status).toBe(404)
    else if (example.body && !freely.includes(route))
      expect((await call(as, route, { ...example, body: {} })).status).toBe(400)
  })
  expect(rows).toEqual([])
}

describe.each(changing.map((endpoint) => [routeOf(endpoint), endpoint] as const))('%s', (route, endpoint) => {
  test('is not told when it is refused, and once when it is done', async () => {
    const as = callerFor(endpoint, service)
    const example = await exampleFor(endpoint, service)
    await expectNone(endpoint, example, as, route)
    const key = {
      via: 'key',
      viaId: expect.stringMatching(/^key/),
      userId: as === service.admin ? admin.id : publisher,
    }
    const by = entrances[route]
    await expectOne(endpoint, example, as, route, by ? { via: by, viaId: '', userId: expect.any(String) } : key)
  })
})

describe.each(['POST /team', 'PUT /credential/{id}', 'DELETE /post/{id}', 'POST /app/api/user/{id}/role'])(
  '%s by a session',
  (route) => {
    test('is told under the same name, with the session', async () => {
      const endpoint = changing.find((one) => routeOf(one) === route) as Endpoint
      const door = route.includes('/app/api') ? route : route.replace(' ', ' /app/api/v2')
      const who = { via: 'session', viaId: expect.stringMatching(/^0ss/), userId: admin.id }
      await expectOne(endpoint, await exampleFor(endpoint, service), atConsole, door, who)
    })
  },
)

test('a file that is sent in pieces is told when it becomes an asset', async () => {
  const bytes = Buffer.from(await (await fetch(service.pictureUrl)).arrayBuffer())
  const begun = await atConsole('POST /app/api/media', { body: { name: 'picture.png', size: bytes.length } })
  const address = `${service.url}/app/api/media/${begun.json.Upload.Id}`
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'x-chorus-console': '1' }
  const put = async (from: number, to: number) =>
    (await fetch(`${address}?offset=${from}`, { method: 'PUT', headers, body: bytes.subarray(from, to) })).json()
  const half = bytes.length >> 1
  expect(await writtenBy(() => put(0, half))).toEqual([])
  let mediaId = ''
  const rows = await writtenBy(async () => {
    mediaId = ((await put(half, bytes.length)) as { MediaId: string }).MediaId
  })
  expect(mediaId).toMatch(/^026/)
  expect(rows).toMatchObject([{ operation: 'PUT /app/api/media/{id}', entityId: mediaId, via: 'session' }])
})

test('what is asked for twice with one Idempotency-Key is told once', async () => {
  const options = { body: { name: 'Once' }, headers: { 'idempotency-key': 'audit-7f3a9c1e' } }
  told.push('audit-7f3a9c1e')
  const rows = await writtenBy(async () => {
    const [one, two] = [await service.admin('POST /team', options), await service.admin('POST /team', options)]
    expect(two.text).toBe(one.text)
  })
  expect(rows.map(({ operation }) => operation)).toEqual(['POST /team'])
})

test('what is undone in the middle of its transaction is not told', async () => {
  const rows = await writtenBy(async () => {
    expect((await service.admin(`DELETE /user/${admin.id}`)).status, 'the last admin').toBe(409)
  })
  expect(rows).toEqual([])
})

test('nothing that was sent stands in the log: no password, secret, token or key, and no words either', async () => {
  expect((await writtenBy(() => service.admin('GET /app/api/audit'))).length, 'reading is not told').toBe(0)
  const rows = await deeds()
  const ids = new Set(rows.flatMap(({ entityId, userId }) => [entityId, userId]))
  const secrets = [demoKey, cookie.split('=')[1] ?? '', cookie.split('.')[1] ?? '', admin.password, admin.email]
  const words = [...secrets, ...told].filter((word) => word.length >= 8 && !ids.has(word))
  expect(words.filter((word) => word.includes('password')).length, 'passwords were sent').toBeGreaterThan(3)
  expect(told.filter((word) => word.startsWith('whsec_')).length, 'secrets were shown').toBeGreaterThan(1)
  const log = JSON.stringify(await ownerQuery(service.databaseUrl, 'select deeds::text as row from deeds'))
  expect(rows.length).toBeGreaterThan(100)
  expect(words.filter((word) => log.includes(word))).toEqual([])
})
