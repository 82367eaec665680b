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

/** What was sent to a webhook, newest last. */
async function send(webhook: string, ...payloads: object[]) {
  for (const [index, data] of payloads.entries()) {
    const id = `0EVtold${String(index).padStart(8, '0')}`
    await ownerQuery(
      service.databaseUrl,
      `insert into events (account_id, id, created, type, data) values ($1, $2, now(), 'postSent', $3)`,
      [demoAccount, id, JSON.stringify([data])],
    )
    await ownerQuery(
      service.databaseUrl,
      `insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded, response_code, execution_time, error)
      values ($1, $2, $3, $2, $4, now(), 1, true, 200, 0, '')`,
      [demoAccount, `0WCtold${String(index).padStart(8, '0')}`, webhook, id],
    )
  }
}

test('every role can read webhooks and their log, without secrets and without entities its teams must not see', async () => {
  const draft = { event: 'postSent', name: 'Told', url: 'https://93.184.216.34/' }
  const { Secret, ...webhook } = (await service.admin('POST /webhook', { body: draft })).json.Webhook
  expect(Secret).toMatch(/^whsec_/)
  const [open, hidden] = [await newCampaign('Open'), await newCampaign('Hidden')]
  const message = { network: 'LinkedIn', campaignId: hidden, message: 'Secret' }
  const { Id: messageId } = (await service.admin('POST /message', { body: message })).json.Message
  await service.admin(`POST /team-entity/${hidden}`, { body: { teamIds: '025demo00000002' } })
  await send(
    webhook.Id,
    { CampaignId: open, Id: '004gone00000000' },
    { CampaignId: hidden, Id: '004gone00000000' },
    { CampaignId: open, MessageId: messageId },
    { PostID: '004gone00000000' },
    { LeadId: 'somebody' },
  )
  for (const as of [service.publisher, service.contributor]) {
    expect((await as(`GET /webhook/${webhook.Id}`)).json.Webhook).toEqual(webhook)
    expect((await as('GET /webhook')).text).not.toMatch(/secret/i)
    expect((await as('GET /webhook/events')).status).toBe(200)
    const { Items, Total } = (await as(`GET /webhook-log/${webhook.Id}`)).json
    expect(Total).toBe(5)
    expect(Items.map(({ Payload }: { Payload: { data?: [object] } }) => Payload.data?.[0]).reverse()).toEqual([
      { CampaignId: open, Id: '004gone00000000' },
      undefined,
      undefined,
      undefined,
      { LeadId: 'somebody' },
    ])
  }
  const { Items } = (await service.admin(`GET /webhook-log/${webhook.Id}`)).json
  expect(Items.every(({ Payload }: { Payload: { data?: object } }) => Payload.data)).toBe(true)
})
