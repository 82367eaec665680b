import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badUrls } from '#kernel/outbound/bad-urls.fixture.ts'
import { canary } from '#kernel/outbound/receivers.fixture.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { deep, randomness } from '../../../tests/support/randomness.ts'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

const publicAddress = async () => [{ address: '93.184.216.34', family: 4 as const }]

let service: TestService
beforeAll(async () => {
  service = await startTestService({ lookup: publicAddress, environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const draft = (name: string, more: object = {}) => ({
  event: 'postSent',
  name,
  url: 'https://example.com/hook',
  ...more,
})
const create = async (name: string, more: object = {}) => {
  const { status, json } = await service.admin('POST /webhook', { body: draft(name, more) })
  expect([status, json.Result]).toEqual([200, true])
  return json.Webhook
}

describe('a webhook', () => {
  test('is created with the contract’s fields; its secret is shown once and stored encrypted', async () => {
    const made = await create('First', { description: 'Tells the CRM' })
    expect(made).toEqual({
      Id: expect.stringMatching(/^0WA\w{12}$/),
      Name: 'First',
      Description: 'Tells the CRM',
      Event: 'postSent',
      Url: 'https://example.com/hook',
      LastExecutionDate: '-',
      IsEnabled: 1,
      IsHidden: 0,
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      Modified: made.Created,
      Secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const { Secret, ...shown } = made
    const got = await service.admin(`GET /webhook/${made.Id}`)
    expect(got.json).toEqual({ Result: true, Webhook: shown })
    const [row] = await ownerQuery<{ secret: string }>(
      service.databaseUrl,
      `select secret from webhooks where id = '${made.Id}'`,
    )
    expect(row?.secret).toMatch(/^v1:k\w+:/)
    expect(row?.secret).not.toContain(Secret.slice(6, 20))
  })

  test('shows its secret to a replayed request, whose stored response is encrypted', async () => {
    const call = { body: draft('Replayed'), headers: { 'idempotency-key': 'webhook-1' } }
    const first = await service.admin('POST /webhook', call)
    const again = await service.admin('POST /webhook', call)
    expect(again.text).toBe(first.text)
    const stored = await ownerQuery<{ answer: string }>(service.databaseUrl, 'select answer from idempotency_keys')
    expect(stored).toHaveLength(1)
    expect(stored[0]?.answer).not.toContain('whsec_')
  })

  test.each(['POST', 'PUT'])('is updated by %s, field by field', async (verb) => {
    const { Id, Modified, Secret: _, ...rest } = await create(`Changing by ${verb}`)
    const changed = await service.admin(`${verb} /webhook/${Id}`, { body: { description: 'New', isEnabled: 0 } })
    expect(changed.json.Webhook).toEqual({
      Id,
      ...rest,
      Description: 'New',
      IsEnabled: 0,
      Modified: expect.any(String),
    })
    const cleared = await service.admin(`${verb} /webhook/${Id}`, { body: 'description=&event=newLead&isHidden=1' })
    expect(cleared.json.Webhook).toMatchObject({ Description: '', Event: 'newLead', IsEnabled: 0, IsHidden: 1 })
    expect(Modified).toBeDefined()
  })

  test('is deleted permanently', async () => {
    const { Id } = await create('Short-lived')
    expect((await service.admin(`DELETE /webhook/${Id}`)).json).toEqual({ Result: true })
    expect((await service.admin(`GET /webhook/${Id}`)).status).toBe(404)
    expect((await service.admin(`GET /webhook-log/${Id}`)).status).toBe(404)
  })

  test('is refused with an error message when a field is missing or invalid', async () => {
    for (const [body, sentence] of [
      [{ name: 'x', url: 'https://example.com' }, /^Missing value for parameter event/],
      [{ event: 'postSent', url: 'https://example.com' }, /^Missing value for parameter name/],
      [{ event: 'postSent', name: 'x' }, /^Missing value for parameter url/],
      [draft('x', { event: 'postSend' }), /event must be one of/],
      [draft('x', { url: 'ftp://example.com' }), /url must be an address.*http/],
      [draft('x', { isEnabled: 'maybe' }), /isEnabled must be 1, 0, true or false/],
    ] as const) {
      const { status, json } = await service.admin('POST /webhook', { body })
      expect([status, json.Errors.API.Error]).toEqual([400, expect.stringMatching(sentence)])
    }
  })

  test('takes no URL with a user name or password, new or changed', async () => {
    const { Id } = await create('Plain')
    for (const url of ['https://ada:hunter2@example.com/hook', 'https://ada@example.com/hook'])
      for (const route of ['POST /webhook', `POST /webhook/${Id}`, `PUT /webhook/${Id}`]) {
        const { status, text, json } = await service.admin(route, { body: draft('x', { url }) })
        expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining('user name or password')])
        expect(text).not.toContain('hunter2')
      }
    expect((await service.admin(`GET /webhook/${Id}`)).json.Webhook.Url).toBe('https://example.com/hook')
  })

  test('can be created for a legacy event type', async () => {
    expect(await create('Old', { event: 'newConversation' })).toMatchObject({ Event: 'newConversation' })
  })
})

describe('the list', () => {
  test('filters by event and name, sorts by every field, and pages in the contract’s sizes', async () => {
    for (const name of ['beta list', 'Alpha list', 'gamma list']) await create(name, { event: 'newCampaign' })
    const names = async (query: string) =>
      (await service.admin('GET /webhook', { query })).json.Items.map(({ Name }: { Name: string }) => Name)
    expect(await names('event=newCampaign')).toEqual(['Alpha list', 'beta list', 'gamma list'])
    expect(await names('event=newCampaign&_order=name,0')).toEqual(['gamma list', 'beta list', 'Alpha list'])
    expect(await names('event=newCampaign&name=ETA')).toEqual(['beta list'])
    for (const field of ['description', 'lastExecutionDate', 'isEnabled', 'created', 'modified'])
      for (const direction of [0, 1])
        expect(await names(`event=newCampaign&_order=${field},${direction}`)).toHaveLength(3)
    const page = await service.admin('GET /webhook', { query: '_count=25&_page=1' })
    expect(page.json).toMatchObject({ Result: true, Items: [], Total: expect.any(Number) })
    expect((await service.admin('GET /webhook', { query: '_count=10' })).json.Errors.API.Error).toBe(
      'Page size 10 is not valid. Use 20, 25, 50 or 100.',
    )
    expect((await service.admin('GET /webhook', { query: '_order=url,1' })).status).toBe(400)
    expect((await service.admin('GET /webhook', { query: 'event=nothing' })).status).toBe(400)
  })
})

describe('event types', () => {
  test('are listed without legacy ones, each with a sample', async () => {
    const { json } = await service.admin('GET /webhook/events')
    const names = json.Events.map(({ Event }: { Event: string }) => Event)
    expect(names).toHaveLength(22)
    expect(names).not.toContain('newConversation')
    for (const name of [...names, 'newConversation', 'newEngagementItem']) {
      const { json: sample } = await service.admin(`GET /webhook/events/${name}`)
      expect(sample).toMatchObject({ Result: true, Event: name, Sample: expect.anything() })
    }
    expect((await service.admin('GET /webhook/events/newAdvocacyTopic')).json.Sample).toBeInstanceOf(Array)
    expect((await service.admin('GET /webhook/events/nothing')).status).toBe(404)
  })
})

describe('addresses', () => {
  test('in private networks are refused wherever a URL is accepted, and never called', async () => {
    const trap = await canary(['127.0.0.1', '127.0.0.2', '::1'])
    const { Id } = await create('Honest')
    const urls = badUrls(trap.port)
    expect(urls.length).toBeGreaterThan(300)
    // The kernel's tests check that each of them is refused; here a random sample is tried, each URL on a random endpoint.
    const random = randomness(20261115)
    for (const url of urls.filter(() => random() < deep(0.15, 1))) {
      const updates = [
        ['POST /webhook', draft('Evil', { url })],
        [`POST /webhook/${Id}`, { url }],
        [`PUT /webhook/${Id}`, { url }],
      ] as const
      const [route, body] = updates[Math.floor(random() * updates.length)] as (typeof updates)[number]
      const { status, text } = await service.admin(route, { body })
      expect([url, route, status], text).toEqual([url, route, 400])
    }
    expect(trap.hits()).toBe(0)
    await trap.stop()
  })

  test('that are public are accepted with any host and path', async () => {
    const hosts = ['example.com', 'hooks.example.org', 'münchen.example', '93.184.216.34', '[2606:2800:220:1::1]']
    const paths = ['', '/', '/hook', '/a/b?c=d', '/ünïcode', '/hook#part', ':443/x', ':8443/', '?a=1', '/%7Euser']
    for (const [place, host] of hosts.entries())
      for (const [index, path] of paths.entries())
        if (index % deep(hosts.length, 1) === place % deep(hosts.length, 1))
          await create('Good', { url: `https://${host}${path}` })
  })

  test('with a name that does not resolve are accepted and checked at every call', async () => {
    const other = await startTestService({
      databaseUrl: service.databaseUrl,
      lookup: () => Promise.reject(new Error('SERVFAIL')),
      environment: { CHORUS_ROLES: 'api' },
    })
    expect((await other.admin('POST /webhook', { body: draft('Later') })).status).toBe(200)
    await other.stop()
  })
})
