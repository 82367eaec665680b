import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { defaultBatchLimits } from '#kernel/database/across-accounts.ts'
import type { Database } from '#kernel/database/database.ts'
import { type Listener, openListener } from '#kernel/database/listener.ts'
import { openLog } from '#kernel/log.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { startReceiver } from '../../../tests/support/external-servers.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { startFanOut } from './fan-out.ts'

let service: TestService
let database: Database
let listener: Listener
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api', CHORUS_OUTBOUND_ALLOW: '127.0.0.1' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 2 })
  listener = await openListener(service.databaseUrl)
})
afterAll(async () => {
  await listener.close()
  await database.close()
  await service.stop()
})

const query = (text: string, values: unknown[] = []) => ownerQuery(service.databaseUrl, text, values)
const ofAll = `insert into event_queue (account, id) select $1, 'evtbacklog' || n from generate_series(1, $2::int) n`

test('a backlog of events in one account does not delay another account', async () => {
  await query('delete from event_queue')
  await query(ofAll, [demoAccount, 2_000])
  await query(ofAll, [otherAccount, 1])
  const order: string[] = []
  const forAccount: Database['forAccount'] = (account) => {
    order.push(account)
    return database.forAccount(account)
  }
  const fanning = startFanOut({
    database: { ...database, forAccount },
    listener,
    clock: systemClock,
    log: openLog('silent'),
    limits: defaultBatchLimits,
    scanInterval: 1_000,
    onWoken: () => {},
    onAccountError: (_account, error) => {
      throw error
    },
  })
  await expect.poll(() => query('select from event_queue')).toEqual([])
  await fanning.stop()
  expect(order.indexOf(otherAccount)).toBeLessThanOrEqual(1)
  expect(order.filter((account) => account === demoAccount).length).toBeGreaterThanOrEqual(4)
})

describe('a webhook receives events emitted while it is enabled', () => {
  const happen = async (name: string, by = service) => {
    expect((await by.admin('POST /campaign', { body: { name } })).status).toBe(200)
  }
  const subscribe = async (url: string, by = service): Promise<string> => {
    const body = { event: 'newCampaign', name: 'CRM', url }
    return (await by.admin('POST /webhook', { body })).json.Webhook.Id
  }
  const enable = (id: string, isEnabled: 0 | 1) => service.admin(`POST /webhook/${id}`, { body: { isEnabled } })
  const resendFailed = async (id: string): Promise<number> => {
    const route = `POST /app/api/webhook/${id}/resend-failed`
    return (await service.admin(route, { body: { since: '2020-01-01 00:00:00' } })).json.Payloads
  }
  const environment = { CHORUS_ROLES: 'api', CHORUS_OUTBOUND_ALLOW: '127.0.0.1' }

  /** Collects the names of campaigns a receiver gets after a worker has started and processed everything. */
  async function openReceiver() {
    const receiver = await startReceiver()
    return {
      url: receiver.url,
      stop: receiver.stop,
      async arrived() {
        const worker = await startTestService({
          databaseUrl: service.databaseUrl,
          environment: { ...environment, CHORUS_ROLES: 'worker' },
        })
        const left = `select id from event_queue union all select id from webhook_deliveries where due is not null`
        await expect.poll(() => query(left)).toEqual([])
        await worker.stop()
        return receiver.calls.map(({ body }) => JSON.parse(body).data[0].Name).sort()
      },
    }
  }

  test('but none that were queued before, until they are resent', async () => {
    const receiver = await openReceiver()
    await happen('before it was created')
    const id = await subscribe(receiver.url)
    await happen('enabled')
    await enable(id, 0)
    await happen('while it was disabled')
    await enable(id, 1)
    await happen('enabled again')
    expect(await receiver.arrived()).toEqual(['enabled', 'enabled again'])
    expect(await resendFailed(id)).toBe(2)
    expect(await receiver.arrived()).toEqual([
      'before it was created',
      'enabled',
      'enabled again',
      'while it was disabled',
    ])
    await service.admin(`DELETE /webhook/${id}`)
    await receiver.stop()
  })

  test('each once, also if missed events are resent while others are still queued', async () => {
    const receiver = await openReceiver()
    await happen('missed')
    const id = await subscribe(receiver.url)
    await happen('queued')
    // It has not received the events of the previous test either.
    expect(await resendFailed(id)).toBeGreaterThanOrEqual(1)
    const delivered = await receiver.arrived()
    expect(delivered.filter((name) => ['missed', 'queued'].includes(name))).toEqual(['missed', 'queued'])
    await service.admin(`DELETE /webhook/${id}`)
    await receiver.stop()
  })

  test('also if the clocks of hosts differ', async () => {
    const fastClock = await startTestService({
      databaseUrl: service.databaseUrl,
      environment,
      clock: { now: () => new Date(Date.now() + 3_600_000) },
    })
    const receiver = await openReceiver()
    await happen('earlier, by the clock that is ahead', fastClock)
    const late = await subscribe(receiver.url)
    expect(await receiver.arrived()).toEqual([])
    await service.admin(`DELETE /webhook/${late}`)
    const early = await subscribe(receiver.url, fastClock)
    await happen('later, by the clock that is behind')
    expect(await receiver.arrived()).toEqual(['later, by the clock that is behind'])
    await service.admin(`DELETE /webhook/${early}`)
    await fastClock.stop()
    await receiver.stop()
  })

  test('of its current type only since it was set', async () => {
    const receiver = await openReceiver()
    const body = { event: 'newLead', name: 'CRM', url: receiver.url }
    const { Id: id } = (await service.admin('POST /webhook', { body })).json.Webhook
    await happen('of another type')
    await service.admin(`POST /webhook/${id}`, { body: { event: 'newCampaign' } })
    await happen('of its type')
    expect(await receiver.arrived()).toEqual(['of its type'])
    await service.admin(`DELETE /webhook/${id}`)
    await receiver.stop()
  })
})
