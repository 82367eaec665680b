import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testSandbox } from '../../../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let baseUrl = ''
beforeAll(async () => {
  sandbox = await testSandbox()
  baseUrl = `${sandbox.url}/crm`
  service = await startTestService({ environment: { CHORUS_ROLES: 'api', CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' } })
})
afterAll(async () => {
  await service.stop()
  await sandbox.close()
})

const accessToken = 'sandbox-crm-token'
const newOne = async (type = 'sandbox-crm') =>
  (await service.admin('POST /integration', { body: { type } })).json.Integration
const tell = (id: string, body: object) => service.admin(`PUT /app/api/integration/${id}/settings`, { body })
const working = async () => {
  const { Id } = await newOne()
  expect((await tell(Id, { baseUrl, accessToken })).json.Integration.Status).toBe('valid')
  return Id as string
}
const act = (id: string, actionName: string, payload?: unknown) =>
  service.contributor('POST /integration-action', {
    body: { id, actionName, ...(payload !== undefined && { payload }) },
  })

test('an integration is created, configured, disabled and deleted', async () => {
  const made = await newOne()
  expect(made).toEqual({
    Id: expect.stringMatching(/^014\w{12}$/),
    Created: expect.any(String),
    Modified: expect.any(String),
    Status: 'invalid',
    State: 'active',
    AccountId: demoAccount,
    Type: 'sandbox-crm',
    Version: 1,
    CnameId: null,
    SettingsData: {},
  })
  const { json } = await tell(made.Id, { baseUrl: `${baseUrl}/`, accessToken })
  expect(json.Integration).toMatchObject({ Status: 'valid', StatusReason: '', Version: 2 })
  expect(json.Integration.SettingsData).toEqual({ baseUrl, organisation: 'Sandbox CRM' })
  const off = await service.admin(`POST /integration/${made.Id}`, { body: 'state=disabled' })
  expect(off.json.Integration).toMatchObject({ State: 'disabled', Status: 'valid' })
  expect((await act(made.Id, 'lead.search', { search: 'x' })).json).toEqual({
    Result: false,
    Errors: ['The integration is disabled. Switch it on first.'],
  })
  expect((await service.admin(`DELETE /integration/${made.Id}`)).json).toEqual({ Result: true })
  expect((await service.reader(`GET /integration/${made.Id}`)).status).toBe(404)
})

test('secrets are encrypted and never returned', async () => {
  const id = await working()
  const [row] = await ownerQuery<{ all: string }>(
    service.databaseUrl,
    'select integrations::text as all from integrations where id = $1',
    [id],
  )
  expect(row?.all).not.toContain(accessToken)
  const answers = await Promise.all([
    service.admin(`GET /integration/${id}`, { query: 'withAssets=1' }),
    service.admin('GET /integration'),
    service.admin(`GET /app/api/integration/${id}`),
  ])
  for (const { text } of answers) expect(text).not.toContain(accessToken)
  expect(answers[0]?.json.Integration.Assets.Credentials.length).toBeGreaterThan(3)
  expect(answers[0]?.json.Integration.Assets.Boards.length).toBeGreaterThan(1)
})

test('settings that fail are stored with the reason', async () => {
  const { Id } = await newOne()
  expect((await tell(Id, { baseUrl })).json.Integration.StatusReason).toBe('It still needs accessToken.')
  const wrong = await tell(Id, { accessToken: 'wrong' })
  expect(wrong.json.Integration).toMatchObject({
    Status: 'invalid',
    StatusReason: 'Sandbox CRM: Send your token as a bearer.',
  })
  expect((await tell(Id, { accessToken })).json.Integration.Status).toBe('valid')
  expect((await tell(Id, { baseUrl: 'http://10.1.2.3/crm', accessToken })).status).toBe(400)
  expect((await tell(Id, { baseUrl: 'ftp://example.com', accessToken })).status).toBe(400)
  expect((await tell((await newOne('mautic')).Id, { baseUrl })).status).toBe(400)
})

test('a stored secret is kept for the system and user it was given for', async () => {
  const id = await working()
  const stored = async (of: string) =>
    (await ownerQuery(service.databaseUrl, 'select * from integrations where id = $1', [of]))[0]
  const refused = async (of: string, body: object, sentence: string) => {
    const before = await stored(of)
    const { status, json } = await tell(of, body)
    expect([status, json.Errors?.API.Error]).toEqual([400, sentence])
    expect(await stored(of)).toEqual(before)
  }
  const again = 'accessToken must be given again because baseUrl changes.'
  const received: string[] = []
  const otherServer = createServer(({ headers }, response) => {
    received.push(headers.authorization ?? '')
    response.end('{}')
  })
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve))
  const elsewhere = `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}/crm`
  for (const other of [elsewhere, baseUrl.replace('127.0.0.1', 'localhost'), `${baseUrl}/other`, ''])
    await refused(id, { baseUrl: other }, again)
  expect(received).toEqual([])
  expect((await tell(id, { baseUrl: elsewhere, accessToken: 'for them' })).status).toBe(200)
  expect(received).toEqual(['Bearer for them'])
  otherServer.close()
  expect((await tell(id, { baseUrl, accessToken })).json.Integration.Status).toBe('valid')
  expect((await tell(id, { baseUrl: `${baseUrl}/` })).json.Integration.Status, 'the same address').toBe('valid')

  const { Id } = await newOne('salesforce')
  const secrets = { clientSecret: 'one', refreshToken: 'two' }
  await tell(Id, { baseUrl, clientId: 'app', ...secrets })
  await refused(Id, { clientId: 'other' }, 'clientSecret must be given again because clientId changes.')
  await refused(
    Id,
    { clientId: 'other', clientSecret: 'three' },
    'refreshToken must be given again because clientId changes.',
  )
  expect((await tell(Id, { clientId: 'other', clientSecret: 'three', refreshToken: '' })).status).toBe(200)
  expect((await tell(Id, { clientId: 'third', clientSecret: 'four' })).status, 'it has no other any more').toBe(200)
})

test('lists are filtered by type, and every type name of the contract is accepted', async () => {
  for (const type of ['cd', 'ga', 'pardot', 'netresults', 'mautic', 'facebook', 'salesforce', 'hubspot']) {
    const { Id } = await newOne(type)
    const { json } = await service.reader('GET /integration', { query: `type=${type}&_count=50` })
    expect(json.Items.map((one: { Id: string }) => one.Id)).toContain(Id)
    expect(new Set(json.Items.map((one: { Type: string }) => one.Type))).toEqual(new Set([type]))
  }
  expect((await service.reader('GET /integration', { query: 'type=other' })).status).toBe(400)
  expect(
    (await service.admin('POST /integration', { body: { type: 'hubspot', cnameId: '0CNnobody000001' } })).status,
  ).toBe(400)
  expect((await service.publisher('POST /integration', { body: { type: 'hubspot' } })).status).toBe(403)
})

test('actions reach the external system; a known person is linked with the lead, and the link can be replaced', async () => {
  const id = await working()
  const email = 'ida.fell@walkers.example'
  const lead = (await service.contributor('POST /app/api/lead', { body: { email, name: 'Ida Fell' } })).json.Lead
  const made = await act(id, 'lead.create', JSON.stringify({ data: { email, company: 'Fells' } }))
  expect(made.json).toMatchObject({
    Result: true,
    IntegrationAction: { email, company: 'Fells', id: expect.any(String) },
  })
  const remote: string = made.json.IntegrationAction.id
  const linked = { IntegrationID: id, RemoteIdentifier: email, LinkedLeadId: remote, IntegrationType: 'sandbox-crm' }
  expect((await service.reader(`GET /lead/${lead.Id}`)).json.Lead.RemoteLeads).toEqual([linked])
  expect((await act(id, 'lead.getByEmail', { email: email.toUpperCase() })).json.IntegrationAction.id).toBe(remote)
  expect((await act(id, 'lead.getById', { id: remote })).json.IntegrationAction.email).toBe(email)
  expect((await act(id, 'lead.search', { search: 'fells' })).json.IntegrationAction.total).toBe(1)
  expect(
    (await act(id, 'lead.update', { id: remote, data: { company: 'Tarns' } })).json.IntegrationAction.company,
  ).toBe('Tarns')
  const replace = (linkedRecordId: string) =>
    service.contributor('POST /lead-link-replace', {
      body: { integrationId: id, linkedRecordId, newLinkedRecordId: 'record-2' },
    })
  expect((await replace(remote)).json).toEqual({ Result: true })
  expect((await replace(remote)).status).toBe(400)
  expect((await service.reader(`GET /lead/${lead.Id}`)).json.Lead.RemoteLeads[0].LinkedLeadId).toBe('record-2')
})

test('errors of actions are a list of messages', async () => {
  const id = await working()
  const errors = async (...action: Parameters<typeof act>) => {
    const { status, json } = await act(...action)
    return [status, json.Errors]
  }
  expect(await errors(id, 'lead.getByEmail')).toEqual([400, ['Missing required field: email']])
  expect(await errors(id, 'lead.create', { data: 'text' })).toEqual([400, ['data must be an object.']])
  expect(await errors(id, 'lead.explode', {})).toEqual([
    400,
    [expect.stringContaining('There is no action "lead.explode"')],
  ])
  expect(await errors(id, 'toString', {})).toEqual([400, [expect.stringContaining('There is no action')]])
  expect(await errors(id, 'lead.getById', { id: 'nobody' })).toEqual([404, ['Sandbox CRM: There is no such record.']])
  expect(await errors('014nobody000001', 'lead.getById', { id: '1' })).toEqual([
    400,
    [expect.stringContaining('names no integration')],
  ])
  expect((await act(id, 'lead.getById', 'no JSON')).status).toBe(400)
  await sandbox.control('/fault', { network: 'CRM', fault: 'server-error' })
  const broken = await act(id, 'lead.search', { search: 'x' })
  expect([broken.status, broken.headers.get('retry-after')]).toEqual([503, '30'])
  await sandbox.control('/fault', { network: 'CRM', fault: 'token-revoked' })
  expect(await errors(id, 'lead.search', { search: 'x' })).toEqual([
    400,
    ['Sandbox CRM: The token is not valid any more.'],
  ])
  const { Integration } = (await service.reader(`GET /app/api/integration/${id}`)).json
  expect(Integration).toMatchObject({
    Status: 'invalid',
    StatusReason: 'Sandbox CRM: The token is not valid any more.',
  })
  expect(await errors(id, 'lead.search', { search: 'x' })).toEqual([400, [expect.stringContaining('not valid')]])
})
