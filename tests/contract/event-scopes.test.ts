import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { areas, registry } from '#main/registry.ts'
import type { Caller } from '../support/caller.ts'
import { until } from '../support/publishing.ts'
import { byName, fixtureOf } from './collected-contracts.ts'
import { type Causes, openScene, type Scene } from './event-scene.ts'

/**
 * Every event type, caused as users and visitors do, in a campaign, board or workflow of one team: the webhook log shows the payload only
 * to members of the team and to admins.
 */

let scene: Scene
/** By event type. */
const webhooks = new Map<string, string>()

beforeAll(async () => {
  scene = await openScene()
  const { url } = scene.service.receiver
  for (const { name: event } of registry.events)
    webhooks.set(event, await scene.made('POST /webhook', { event, name: event, url }, 'Webhook'))
  await scene.publish()
})
afterAll(() => scene.service.stop())

const causes = byName(({ causes }) => causes)

interface Entry {
  WebhookPayloadId: string
  Payload: { event?: string; data?: object[] }
}

/** The webhook log entry of a payload as seen by a user; undefined until it is logged. */
async function logged(who: Caller, event: string, payloadId: string): Promise<Entry['Payload'] | undefined> {
  const { json } = await who(`GET /webhook-log/${webhooks.get(event)}`, { query: '_count=100' })
  return json.Items.find((entry: Entry) => entry.WebhookPayloadId === payloadId)?.Payload
}

/** Waits for the request at the receiver. */
const delivered = (event: string, mark: string) =>
  until(async () =>
    scene.service.receiver.calls.find(({ body }) => body.includes(mark) && JSON.parse(body).event === event),
  )

const titles = {
  campaign: 'of a campaign is visible to the campaign’s team',
  board: 'of a board is visible to the board’s team',
  workflow: 'of a workflow is visible to the workflow’s team',
  nothing: 'without a scope is visible to all users',
} satisfies { [scope in keyof Causes]: string }

describe.each(registry.events.map(({ name }) => name))('%s', (event) => {
  test('has a cause in a contract fixture', () => {
    const area = areas.find(({ events = [] }) => events.some(({ name }) => name === event))
    const { length } = Object.keys(causes.get(event) ?? {})
    expect(length, `add how ${event} is caused to ${fixtureOf(area?.name ?? '')}`).toBeGreaterThan(0)
  })

  const cases = Object.entries(causes.get(event) ?? {}) as [keyof Causes, NonNullable<Causes[keyof Causes]>][]

  test.each(cases.map(([scope, cause]) => [titles[scope], scope, cause] as const))(
    '%s',
    async (_title, scope, cause) => {
      const { admin, publisher, reader, contributor } = scene.service
      const call = await delivered(event, await cause(scene))
      const payloadId = String(call.headers['webhook-id'])
      const sent = JSON.parse(call.body)
      await until(() => logged(admin, event, payloadId))
      for (const who of [admin, publisher]) expect(await logged(who, event, payloadId)).toEqual(sent)
      for (const who of [reader, contributor])
        expect(await logged(who, event, payloadId)).toEqual(scope === 'nothing' ? sent : {})
    },
  )
})
