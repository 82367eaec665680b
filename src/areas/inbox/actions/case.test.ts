import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testSandbox } from '../../../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { quickJobs, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { insertMessage } from '../message.fixture.ts'

let service: TestService
let sandbox: Awaited<ReturnType<typeof testSandbox>>
/** Offset of the service's clock. */
let clockOffset = 0
let integration = ''
beforeAll(async () => {
  sandbox = await testSandbox()
  service = await startTestService({
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' },
    clock: { now: () => new Date(Date.now() + clockOffset) },
    pollingIntervals: quickJobs,
  })
  integration = await newCrm()
})
beforeEach(() => sandbox.call('/__sandbox/faults', { method: 'DELETE', token: 'sandbox' }))
afterAll(async () => {
  await service.stop()
  await sandbox.close()
})

async function newCrm(): Promise<string> {
  const { json } = await service.admin('POST /integration', { body: { type: 'sandbox-crm' } })
  const body = { baseUrl: `${sandbox.url}/crm`, accessToken: 'sandbox-crm-token' }
  await service.admin(`PUT /app/api/integration/${json.Integration.Id}/settings`, { body })
  return json.Integration.Id
}

const robin = { personId: '7001', personName: 'Robin Field', text: 'My boots have a hole.' }
const newItem = () => insertMessage(service.databaseUrl, robin)
const ask = (item: string, body: object = {}) =>
  service.contributor(`POST /conversation/${item}/create-case`, { body: { integration_id: integration, ...body } })
const cases = async (item: string) =>
  (await sandbox.control('/crm')).body.records.filter((one: { key: string }) => one.key === item)
const timeline = (item: string) =>
  ownerQuery<{ details: { status: string; error?: string }; url: string; content: string; created_by: string }>(
    service.databaseUrl,
    `select details, url, content, created_by from inbox_entries where item_id = $1 and type = 'case' order by id`,
    [item],
  )
const statuses = async (item: string) => (await timeline(item)).map(({ details }) => details.status)

test('a case is created in the external system, and changed when requested again', async () => {
  const item = await newItem()
  expect((await ask(item, { case_description: 'A hole', case_owner: 'sam', contact_id: 'c-1' })).json).toEqual({
    Result: true,
  })
  await expect.poll(() => statuses(item)).toEqual(['saved'])
  const [made] = await cases(item)
  expect(made.fields).toEqual({
    subject: 'Robin Field on LinkedIn',
    description: 'A hole',
    owner: 'sam',
    contactId: 'c-1',
  })
  const [entry] = await timeline(item)
  expect(entry).toMatchObject({
    url: `${sandbox.url}/crm/cases/${made.id}`,
    content: 'A hole',
    created_by: '00Ademo00000003',
  })
  expect((await fetch(entry?.url ?? '')).status).toBe(200)
  await ask(item, { case_owner: 'kim' })
  await expect.poll(() => statuses(item)).toEqual(['saved', 'saved'])
  const after = await cases(item)
  expect(after).toHaveLength(1)
  expect(after[0]).toMatchObject({ id: made.id, saves: 2, fields: { owner: 'kim', description: 'A hole' } })
})

test('a lost response, an outage and a rate limit result in one case', async () => {
  const item = await newItem()
  for (const fault of ['lost-answer', 'server-error', 'rate-limit'])
    await sandbox.control('/fault', { network: 'CRM', fault })
  await ask(item)
  for (let left = 3; left > 0; left--) {
    await expect.poll(async () => (await sandbox.control('/faults')).body.faults.length).toBe(left - 1)
    clockOffset += 3_600_000
  }
  await expect.poll(() => statuses(item)).toEqual(['saved'])
  expect(await cases(item)).toHaveLength(1)
  // Without a description the case contains the message.
  expect((await cases(item))[0].fields.description).toBe(robin.text)
})

test('a rejection is in the timeline with what to do, and a revoked login invalidates the integration', async () => {
  const [refused, locked] = [await newItem(), await newItem()]
  await sandbox.control('/fault', {
    network: 'CRM',
    fault: 'answer',
    answer: { status: 422, body: { error: 'No such owner.' } },
  })
  await ask(refused)
  await expect.poll(() => statuses(refused)).toEqual(['failed'])
  expect((await timeline(refused))[0]?.details.error).toBe(
    'Sandbox CRM: No such owner. Mend what it says, then ask for the case again.',
  )
  await sandbox.control('/fault', { network: 'CRM', fault: 'token-revoked' })
  await ask(locked)
  await expect.poll(() => statuses(locked)).toEqual(['failed'])
  expect((await service.reader(`GET /integration/${integration}`)).json.Integration.Status).toBe('invalid')
  expect((await ask(locked)).status).toBe(400)
  integration = await newCrm()
})

test('without an active integration the request is rejected', async () => {
  const item = await newItem()
  const { json } = await service.admin('POST /integration', { body: { type: 'mautic' } })
  const off = await newCrm()
  await service.admin(`POST /integration/${off}`, { body: 'state=disabled' })
  const foreign = (await service.otherAdmin('POST /integration', { body: { type: 'hubspot' } })).json.Integration.Id
  for (const integration_id of [json.Integration.Id, off, foreign, '014nobody000001'])
    expect((await ask(item, { integration_id })).status).toBe(400)
  expect((await service.contributor(`POST /conversation/${item}/create-case`)).status).toBe(400)
  expect((await ask(item, { case_description: 'x'.repeat(10_001) })).status).toBe(400)
  expect((await ask('eitnobody000001')).status).toBe(404)
  expect(
    (await service.reader(`POST /conversation/${item}/create-case`, { body: { integration_id: integration } })).status,
  ).toBe(403)
  expect(await timeline(item)).toEqual([])
})

test('concurrent requests result in one case with the last values', async () => {
  const item = await newItem()
  await Promise.all(Array.from({ length: 8 }, (_, number) => ask(item, { case_description: `Version ${number}` })))
  await expect.poll(async () => (await statuses(item)).filter((one) => one === 'saved').length).toBe(8)
  const [row] = await ownerQuery<{ description: string }>(
    service.databaseUrl,
    'select description from inbox_cases where item_id = $1',
    [item],
  )
  const made = await cases(item)
  expect(made).toHaveLength(1)
  expect(made[0].fields.description).toBe(row?.description)
})
