import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import { exampleId } from '../../../tests/contract/examples.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, type TestService } from '../../../tests/support/service.ts'

export const contract: AreaContract = {
  examples: {
    'GET /webhook': () => ({}),
    'GET /webhook/events': () => ({}),
    'GET /webhook/events/{event}': () => ({ id: 'postSent', shared: true }),
    'GET /webhook/{id}': async (service) => ({ id: await newWebhook(service) }),
    'POST /webhook': () => ({ body: webhook() }),
    'POST /webhook/{id}': async (service) => ({ id: await newWebhook(service), body: { name: 'Renamed' } }),
    'PUT /webhook/{id}': async (service) => ({ id: await newWebhook(service), body: { isEnabled: 0 } }),
    'DELETE /webhook/{id}': async (service) => ({ id: await newWebhook(service) }),
    'GET /webhook-log/{id}': async (service) => ({ id: await newWebhook(service) }),
    'POST /app/api/webhook/{id}/test': async (service) => ({ id: await newWebhook(service) }),
    'POST /app/api/webhook/{id}/resend-failed': async (service) => ({
      id: await newWebhook(service),
      body: { since: '2026-01-01 00:00:00' },
    }),
    'POST /app/api/webhook/{id}/rotate-secret': async (service) => ({ id: await newWebhook(service) }),
    'POST /app/api/webhook-payload/{id}/resend': async (service) => ({
      id: await newPayload(service, demoAccount, await newWebhook(service)),
    }),
  },
  entities: {
    webhook: ({ made, name }) =>
      made('POST /webhook', { event: 'postSent', name, url: 'https://93.184.216.34/' }, 'Webhook'),
    webhookPayload: async ({ service, account, entity }) => newPayload(service, account, await entity('webhook')),
  },
  listPlans: {
    rows: ({ each }) => [
      `insert into webhooks (account_id, id, created, modified, created_by, name, description, event, url, is_enabled, is_hidden, secret)
      select account_id, '0WAb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Hook ' || (n * 7919 % 10000), '', case n % 50 when 0 then 'postSent' else 'newLead' end, 'https://example.com', true, false, '' from ${each}`,
      `insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded, response_code, execution_time, error)
      select account_id, '0WCb' || lpad(n::text, 11, '0'), '0WAb' || lpad((n % 100 + 1)::text, 11, '0'), '', '', now() - n * interval '1 minute', 1, true, 200, 0.1, '' from ${each}`,
    ],
    lists: (orders) => ({
      '/webhook': [
        '',
        ...orders('name', 'description', 'lastExecutionDate', 'isEnabled', 'created', 'modified'),
        'event=postSent',
        'name=hook1',
        '_page=100',
      ],
      '/webhook-log/0WAb00000000007': ['', '_page=2', ...orders('created')],
    }),
    sorted: ['from "webhooks"'],
  },
}

const webhook = () => ({ event: 'postSent', name: 'Example', url: 'https://93.184.216.34/hook' })

const newWebhook = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /webhook', { body: webhook() })).json.Webhook.Id

/** A delivered webhook payload. */
const newPayload = async ({ databaseUrl }: TestService, account: string, webhook: string): Promise<string> => {
  const [payload, event] = [exampleId('0WB'), exampleId('0EV')]
  await ownerQuery(
    databaseUrl,
    `insert into events (account_id, id, created, type, data) values ($1, $2, now(), 'postSent', '[]')`,
    [account, event],
  )
  await ownerQuery(
    databaseUrl,
    `insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded, response_code, execution_time, error)
    values ($1, $2, $3, $4, $5, now(), 1, true, 200, 0, '')`,
    [account, exampleId('0WC'), webhook, payload, event],
  )
  return payload
}
