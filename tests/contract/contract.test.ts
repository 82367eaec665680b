import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventTypes } from '#areas/events/catalogue/catalogue.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** What the interface lists by group, word for word; nothing in it is made from the code. */
const contract: Record<'endpoints' | 'events', Record<string, string[]>> & { legacyEvents: string[] } = JSON.parse(
  readFileSync('tests/contract/contract.json', 'utf8'),
)
const listed = Object.values(contract.endpoints).flat()
const events = Object.values(contract.events).flat()

/** What stands for an id has other names here. */
const nameless = (route: string) => route.replaceAll(/\{\w+\}/g, '{}')

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

test('every one of its 113 endpoints is described and answers', async () => {
  expect(new Set(listed).size).toBe(113)
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> }
  const described = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => nameless(`${verb.toUpperCase()} ${path}`)),
  )
  expect(listed.filter((route) => !described.includes(nameless(route)))).toEqual([])
  for (const route of listed) {
    const { status, text } = await service.admin(route.replaceAll(/\{\w+\}/g, 'absent'))
    // Something is missing or nothing is there, but the address and the verb are known.
    expect([200, 400, 404], `${route}: ${text}`).toContain(status)
    expect(text, route).not.toMatch(/nothing at this address/i)
  }
  expect((await service.admin('GET /no-such-thing')).text).toMatch(/nothing at this address/i)
})

test('every one of its 22 events is in the catalogue, has a sample and can be subscribed to; the older ones too', async () => {
  expect(new Set(events).size).toBe(22)
  const catalogue = eventTypes.map(({ name }) => name as string)
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
