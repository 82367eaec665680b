import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Outbound, openOutbound } from '#kernel/outbound/outbound.ts'
import { CrmFault, type CrmType } from './crm.ts'
import { hubspot } from './hubspot.ts'
import { salesforce } from './salesforce.ts'
import { scriptedCrm } from './scripted-crm.fixture.ts'

/** Requests to both systems and handling of their responses, in their documented formats. */

let own: Awaited<ReturnType<typeof scriptedCrm>>
let outbound: Outbound
beforeAll(async () => {
  own = await scriptedCrm()
  outbound = openOutbound({ allow: ['127.0.0.0/8'] })
})
beforeEach(() => {
  own.crm.requests.length = 0
  own.crm.answer = () => ({})
})
afterAll(async () => {
  await outbound.close()
  await own.stop()
})

let numbered = 0
const open = (type: CrmType, settings: object, secret: object) =>
  type.open({
    outbound,
    key: `test-${numbered++}`,
    settings: { ...type.standard, baseUrl: own.url, ...settings },
    secret: { ...secret },
  })
const requests = () => own.crm.requests.map(({ method, path }) => `${method} ${path}`)
const faultOf = async (doing: Promise<unknown>): Promise<CrmFault> => {
  const error = await doing.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(CrmFault)
  return error as CrmFault
}
const requested = {
  key: 'eitcase00000001',
  remoteId: '',
  subject: 'A question',
  description: 'Words',
  owner: '',
  contactId: '',
}

describe('Salesforce', () => {
  const crm = (settings = {}, secret = {}) =>
    open(salesforce, { clientId: 'app', ...settings }, { clientSecret: 'secret', ...secret })
  const signIn = { access_token: 'token-1', instance_url: 'https://elsewhere.example' }
  const withTokenEndpoint = (answer: typeof own.crm.answer): typeof own.crm.answer => {
    return (call) => (call.path === '/services/oauth2/token' ? { body: signIn } : answer(call))
  }

  test('signs in once with the app’s credentials, and the token is sent to the given URL only', async () => {
    own.crm.answer = withTokenEndpoint(() => ({ body: { Id: '00Q1', Email: 'Kim@Example.com' } }))
    const { actions } = crm()
    const { record, person } = (await actions['lead.getById']?.run({ id: "00Q1'/x" })) ?? {}
    expect([record, person]).toEqual([
      { Id: '00Q1', Email: 'Kim@Example.com' },
      { id: '00Q1', email: 'Kim@Example.com' },
    ])
    await actions['contact.getById']?.run({ id: '003' })
    expect(requests()).toEqual([
      'POST /services/oauth2/token',
      "GET /services/data/v62.0/sobjects/Lead/00Q1'/x",
      'GET /services/data/v62.0/sobjects/Contact/003',
    ])
    const [door, call] = own.crm.requests
    expect(door?.body).toEqual({ grant_type: 'client_credentials', client_id: 'app', client_secret: 'secret' })
    expect(call?.authorization).toBe('Bearer token-1')
  })

  test('signs in with a refresh token if there is one', async () => {
    own.crm.answer = withTokenEndpoint(() => ({}))
    await crm({}, { refreshToken: 'r' }).check()
    expect(own.crm.requests[0]?.body).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r' })
    expect(requests()[1]).toBe('GET /services/data/v62.0/limits')
  })

  test('a rejected token is renewed once', async () => {
    let refused = 0
    own.crm.answer = withTokenEndpoint(() =>
      refused++ === 1 ? { status: 401, body: [{ errorCode: 'INVALID_SESSION_ID', message: 'Expired' }] } : {},
    )
    const { actions } = crm()
    await actions['lead.getById']?.run({ id: '1' })
    await actions['lead.getById']?.run({ id: '2' })
    expect(requests().filter((one) => one.startsWith('POST'))).toHaveLength(2)
    own.crm.answer = withTokenEndpoint(() => ({ status: 401, body: [{ message: 'Expired' }] }))
    expect((await faultOf(actions['lead.getById']?.run({ id: '3' }) ?? Promise.resolve())).kind).toBe('signIn')
  })

  test('search texts cannot escape their quotes', async () => {
    own.crm.answer = withTokenEndpoint(() => ({ body: { records: [] } }))
    await crm().actions['lead.search']?.run({ search: "100%_' OR Name != '\\" })
    expect(requests().at(-1)).toContain(String.raw`Name LIKE '%100\%\_\' OR Name != \'\\%'`)
    const fault = await faultOf(
      crm().actions['lead.getByEmail']?.run({ email: "o'neil@example.com" }) ?? Promise.resolve(),
    )
    expect(fault.kind).toBe('absent')
    expect(requests().at(-1)).toContain(String.raw`Email = 'o\'neil@example.com'`)
  })

  test('a case with a key field is upserted; without, it is found by its subject and changed', async () => {
    own.crm.answer = withTokenEndpoint(() => ({ status: 201, body: { id: '500A', success: true } }))
    const saved = await crm({ caseKey: 'Chorus_Key__c' }).saveCase({ ...requested, owner: '005', contactId: '003' })
    expect(saved).toEqual({ remoteId: '500A', url: `${own.url}/lightning/r/Case/500A/view` })
    expect(requests().at(-1)).toBe('PATCH /services/data/v62.0/sobjects/Case/Chorus_Key__c/eitcase00000001')
    expect(own.crm.requests.at(-1)?.body).toEqual({
      Subject: 'A question',
      Description: 'Words',
      Origin: 'Social',
      OwnerId: '005',
      ContactId: '003',
    })
    own.crm.answer = withTokenEndpoint(({ method }) =>
      method === 'GET' ? { body: { records: [{ Id: '500B' }] } } : { status: 204 },
    )
    expect((await crm().saveCase(requested)).remoteId).toBe('500B')
    expect(requests().slice(-2)).toEqual([
      "GET /services/data/v62.0/query?q=SELECT Id FROM Case WHERE Subject LIKE '%[eitcase00000001]' LIMIT 1",
      'PATCH /services/data/v62.0/sobjects/Case/500B',
    ])
    own.crm.answer = withTokenEndpoint(({ method }) => ({ body: method === 'GET' ? { records: [] } : { id: '500C' } }))
    expect((await crm().saveCase(requested)).remoteId).toBe('500C')
  })

  test.each([
    [400, { error: 'invalid_client', error_description: 'bad secret' }, 'signIn', 'Salesforce: bad secret'],
    [
      400,
      [{ errorCode: 'REQUIRED_FIELD_MISSING', message: 'LastName is missing' }],
      'refused',
      'Salesforce: LastName is missing',
    ],
    [403, [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'Too many' }], 'later', 'Salesforce: Too many'],
    [404, [{ errorCode: 'NOT_FOUND', message: 'Gone' }], 'absent', 'Salesforce: Gone'],
    [500, 'no JSON', 'later', 'Salesforce: it answered 500.'],
    [429, {}, 'later', 'Salesforce: it answered 429.'],
  ] as const)('%s %j is classified', async (status, body, kind, message) => {
    own.crm.answer = () => ({ status, body, headers: { 'retry-after': '7' } })
    const fault = await faultOf(crm().check())
    expect([fault.kind, fault.message, fault.retryAfter]).toEqual([kind, message, 7])
  })
})

describe('HubSpot', () => {
  const crm = (settings = {}) => open(hubspot, settings, { accessToken: 'pat' })

  test('people are found by id, by email address and by text', async () => {
    own.crm.answer = () => ({ body: { id: '51', properties: { email: 'kim@example.com' } } })
    const { actions } = crm()
    const found = await actions['lead.getByEmail']?.run({ email: 'kim+a@example.com' })
    expect(found?.person).toEqual({ id: '51', email: 'kim@example.com' })
    await actions['contact.getById']?.run({ id: '51' })
    await actions['contact.search']?.run({ search: 'kim' })
    await actions['contact.create']?.run({ data: { email: 'kim@example.com' } })
    await actions['contact.update']?.run({ id: '51', data: { lastname: 'Walker' } })
    expect(requests()).toEqual([
      'GET /crm/v3/objects/contacts/kim+a@example.com?idProperty=email',
      'GET /crm/v3/objects/contacts/51',
      'POST /crm/v3/objects/contacts/search',
      'POST /crm/v3/objects/contacts',
      'PATCH /crm/v3/objects/contacts/51',
    ])
    expect(own.crm.requests.map(({ authorization }) => authorization)).toEqual(Array(5).fill('Bearer pat'))
    expect(own.crm.requests.at(-1)?.body).toEqual({ properties: { lastname: 'Walker' } })
  })

  test('a ticket with a unique property is upserted, otherwise searched; its URL is returned', async () => {
    own.crm.answer = ({ path }) => ({ body: path.endsWith('upsert') ? { results: [{ id: '9' }] } : {} })
    const settings = { caseKey: 'chorus_key', portalId: '77', uiDomain: 'app.hubspot.com' }
    const saved = await crm(settings).saveCase({ ...requested, contactId: '51' })
    expect(saved).toEqual({ remoteId: '9', url: 'https://app.hubspot.com/contacts/77/ticket/9' })
    expect(own.crm.requests[0]?.body.inputs[0]).toMatchObject({ idProperty: 'chorus_key', id: requested.key })
    expect(requests()[1]).toBe('PUT /crm/v4/objects/tickets/9/associations/default/contacts/51')
    own.crm.answer = ({ path }) => ({ body: path.endsWith('search') ? { results: [{ id: '10' }] } : {} })
    expect((await crm().saveCase(requested)).remoteId).toBe('10')
    expect(requests().at(-1)).toBe('PATCH /crm/v3/objects/tickets/10')
    expect((await crm().saveCase({ ...requested, remoteId: '11' })).remoteId).toBe('11')
    own.crm.answer = ({ path }) => ({ body: path.endsWith('search') ? { results: [] } : { id: '12' } })
    expect((await crm().saveCase(requested)).remoteId).toBe('12')
    expect(own.crm.requests.at(-1)?.body.properties).toMatchObject({ hs_pipeline: '0', hs_pipeline_stage: '1' })
  })

  test('account details are stored, and errors are classified', async () => {
    own.crm.answer = () => ({ body: { portalId: 77, uiDomain: 'app-eu1.hubspot.com' } })
    expect(await crm().check()).toEqual({ portalId: '77', uiDomain: 'app-eu1.hubspot.com' })
    own.crm.answer = () => ({ status: 401, body: { status: 'error', message: 'Token expired', category: 'EXPIRED' } })
    expect(await faultOf(crm().check())).toMatchObject({ kind: 'signIn', message: 'HubSpot: Token expired' })
    own.crm.answer = () => ({ status: 429, body: { message: 'Slow down', category: 'RATE_LIMITS' } })
    expect(await faultOf(crm().check())).toMatchObject({ kind: 'later' })
  })

  test('an unreachable or endless server is a temporary fault', async () => {
    own.crm.answer = () => ({ body: 'x'.repeat(2_000_000) })
    expect((await faultOf(crm().check())).kind).toBe('later')
    const unreachable = open(hubspot, { baseUrl: 'http://127.0.0.1:9' }, { accessToken: 'pat' })
    expect((await faultOf(unreachable.check())).kind).toBe('later')
    const refused = open(hubspot, { baseUrl: 'http://10.0.0.1' }, { accessToken: 'pat' })
    expect((await faultOf(refused.check())).kind).toBe('refused')
  })
})
