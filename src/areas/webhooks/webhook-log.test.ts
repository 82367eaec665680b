import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const newCampaign = async (name: string): Promise<string> =>
  (await service.admin('POST /campaign', { body: { name } })).json.Campaign.Id

const europe = '025demo00000001'
const asiaPacific = '025demo00000002'

interface Sent {
  scopes: string[] | null
  data: object
}

/** Adds log entries of a webhook, newest last. */
async function send(webhook: string, ...events: Sent[]) {
  for (const [index, { scopes, data }] of events.entries()) {
    const id = `0EVtold${String(index).padStart(8, '0')}`
    await ownerQuery(
      service.databaseUrl,
      `insert into events (account_id, id, created, type, scopes, data) values ($1, $2, now(), 'postSent', $3, $4)`,
      [demoAccount, id, scopes, JSON.stringify([data])],
    )
    await ownerQuery(
      service.databaseUrl,
      `insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded, response_code, execution_time, error)
      values ($1, $2, $3, $2, $4, now(), 1, true, 200, 0, '')`,
      [demoAccount, `0WCtold${String(index).padStart(8, '0')}`, webhook, id],
    )
  }
}

test('every role can read webhooks and their log, without secrets and without payloads its teams must not see', async () => {
  const draft = { event: 'postSent', name: 'Told', url: 'https://93.184.216.34/' }
  const { Secret, ...webhook } = (await service.admin('POST /webhook', { body: draft })).json.Webhook
  expect(Secret).toMatch(/^whsec_/)
  const [open, ours, othersCampaign] = [
    await newCampaign('Open'),
    await newCampaign('Ours'),
    await newCampaign('Theirs'),
  ]
  await service.admin(`POST /team-entity/${ours}`, { body: { teamIds: europe } })
  await service.admin(`POST /team-entity/${othersCampaign}`, { body: { teamIds: asiaPacific } })
  await send(
    webhook.Id,
    { scopes: [open], data: { Name: 'open', CampaignId: othersCampaign } },
    { scopes: [ours], data: { Name: 'ours' } },
    { scopes: [othersCampaign], data: { Name: 'theirs' } },
    { scopes: [open, othersCampaign], data: { Name: 'open and theirs' } },
    { scopes: [ours, othersCampaign], data: { Name: 'of both teams' } },
    { scopes: [], data: { Name: 'of nothing' } },
    { scopes: null, data: { Name: 'nobody knows' } },
  )
  const seenBy = [
    { who: service.publisher, names: ['open', 'ours', 'of nothing'] },
    { who: service.reader, names: ['open', 'theirs', 'open and theirs', 'of nothing'] },
    { who: service.contributor, names: ['open', 'of nothing'] },
    {
      who: service.admin,
      names: ['open', 'ours', 'theirs', 'open and theirs', 'of both teams', 'of nothing', 'nobody knows'],
    },
  ]
  for (const { who, names } of seenBy) {
    expect((await who(`GET /webhook/${webhook.Id}`)).json.Webhook).toEqual(webhook)
    expect((await who('GET /webhook')).text).not.toMatch(/secret/i)
    expect((await who('GET /webhook/events')).status).toBe(200)
    const { Items, Total } = (await who(`GET /webhook-log/${webhook.Id}`)).json
    expect(Total).toBe(7)
    const payloads: { data?: [{ Name: string }] }[] = Items.map(({ Payload }: { Payload: object }) => Payload)
    expect(payloads.flatMap(({ data = [] }) => data.map(({ Name }: { Name: string }) => Name)).reverse()).toEqual(names)
  }
})
