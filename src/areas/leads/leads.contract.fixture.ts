import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import type { Scene } from '../../../tests/contract/event-scene.ts'
import { newUser, serial } from '../../../tests/contract/examples.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, type TestService } from '../../../tests/support/service.ts'

export const contract: AreaContract = {
  examples: {
    'GET /lead': () => ({}),
    'GET /lead/{id}': async (service) => ({ id: await newLead(service) }),
    'DELETE /lead/{id}': async (service) => ({ id: await newLead(service) }),
    'GET /lead-activity': () => ({}),
    'DELETE /lead-activity/{id}': async (service) => ({ id: await newActivity(service) }),
    'POST /lead-link-replace': async (service) => {
      const { integrationId, linkedRecordId } = await newLink(service)
      return { body: { integrationId, linkedRecordId, newLinkedRecordId: `${linkedRecordId}-new` } }
    },
    'GET /integration': () => ({}),
    'GET /integration/{id}': async (service) => ({ id: await newIntegration(service), body: { withAssets: 1 } }),
    'POST /integration': () => ({ body: { type: 'hubspot' } }),
    'POST /integration/{id}': async (service) => ({ id: await newIntegration(service), body: { state: 'disabled' } }),
    'DELETE /integration/{id}': async (service) => ({ id: await newIntegration(service) }),
    'POST /integration-action': async (service) => ({
      body: { id: await newCrm(service), actionName: 'lead.search', payload: { search: 'Example' } },
    }),
    'POST /app/api/lead': () => ({ body: { email: newUser().email } }),
    'GET /app/api/lead/{id}/export': async (service) => ({ id: await newLead(service) }),
    'GET /app/api/integration-types': () => ({}),
    'GET /app/api/integration/{id}': async (service) => ({ id: await newIntegration(service) }),
    'PUT /app/api/integration/{id}/settings': async (service) => ({
      id: await newIntegration(service),
      body: { accessToken: 'example', baseUrl: 'http://93.184.216.34' },
    }),
  },
  audit: {
    'POST /lead-link-replace': { entity: ({ example }) => (example.body as { integrationId: string }).integrationId },
  },
  entities: {
    lead: async ({ query, account, name }) => {
      const id = `0ld${name}`.padEnd(15, '0')
      await query(
        `insert into leads (account_id, id, created, modified, email) values ($1, $2, now(), now(), $2 || '@example.com')`,
        [account, id],
      )
      return id
    },
    leadActivity: async ({ query, account, name, entity }) => {
      const id = `0la${name}`.padEnd(15, '0')
      await query(activityOf, [account, id, await entity('lead')])
      return id
    },
    integration: ({ made }) => made('POST /integration', { type: 'hubspot' }, 'Integration'),
  },
  causes: {
    newLead: { nothing: leadFound },
    newLeadActivity: { campaign: leadFound },
  },
  listPlans: {
    rows: ({ each }) => [
      `insert into leads (account_id, id, created, modified, email, name)
      select account_id, '0ldb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), case when n % 4 > 0 then 'lead' || n || '@example.com' else '' end, 'Lead ' || (n * 7919 % 10000) from ${each}`,
      `insert into lead_profiles (account_id, lead_id, network, remote_id, created)
      select account_id, '0ldb' || lpad(n::text, 11, '0'), 'Twitter', n::text, now() from ${each}`,
      `insert into lead_activities (account_id, id, lead_id, activity_date, type, source)
      select account_id, '0lab' || lpad(n::text, 11, '0'), '0ldb' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 minute', 'click', n::text from ${each}`,
      `insert into integrations (account_id, id, created, modified, created_by, type, status, state)
      select account_id, '014b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'salesforce' else 'hubspot' end, 'valid', 'active' from ${each}`,
      `insert into lead_references (account_id, lead_id, integration_id, linked_lead_id)
      select account_id, '0ldb' || lpad(n::text, 11, '0'), '014b' || lpad((n % 100 + 1)::text, 11, '0'), n::text from ${each}`,
    ],
    lists: (orders) => ({
      '/app/api/integration-types': [''],
      '/lead': [
        '',
        '_page=5',
        '_count=100',
        'all_leads=1',
        'search=lead1',
        'search=lead1&all_leads=1',
        ...orders('created').flatMap((order) => [order, `${order}&all_leads=1`]),
      ],
      '/lead-activity': ['', '_page=5', 'leadId=0ldb00000000007', ...orders('activityDate')].concat(
        orders('activityDate').map((order) => `${order}&leadId=0ldb00000000007`),
      ),
      '/integration': ['', '_page=2', ...orders('created')].concat(
        orders('created').map((order) => `${order}&type=salesforce`),
      ),
    }),
  },
}

const newLead = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /app/api/lead', { body: { email: `lead${serial()}@example.com` } })).json.Lead.Id

const activityOf = `insert into lead_activities (account_id, id, lead_id, activity_date, type, source)
  values ($1, $2, $3, now(), 'click', $2)`

/** Inserted as a row: only external users cause activities. */
async function newActivity(service: TestService): Promise<string> {
  const id = `0laexample${String(serial()).padStart(5, '0')}`
  await ownerQuery(service.databaseUrl, activityOf, [demoAccount, id, await newLead(service)])
  return id
}

const newIntegration = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /integration', { body: { type: 'hubspot' } })).json.Integration.Id

/** One that responds. */
export const newCrm = async ({ admin, crmUrl }: TestService): Promise<string> => {
  const id: string = (await admin('POST /integration', { body: { type: 'sandbox-crm' } })).json.Integration.Id
  const body = { baseUrl: crmUrl, accessToken: 'sandbox-crm-token' }
  await admin(`PUT /app/api/integration/${id}/settings`, { body })
  return id
}

/** Inserted as a row: links come from responses of external systems. */
const newLink = async (service: TestService) => {
  const integrationId = await newIntegration(service)
  const linkedRecordId = `record-${serial()}`
  await ownerQuery(
    service.databaseUrl,
    `insert into lead_references (account_id, lead_id, integration_id, linked_lead_id)
    select account_id, id, $1, $2 from leads where id = $3`,
    [integrationId, linkedRecordId, await newLead(service)],
  )
  return { integrationId, linkedRecordId }
}

/** A visitor who leaves their email address under the restricted post. */
async function leadFound({ commented, unique }: Scene) {
  const email = `${unique(`robin.${process.pid}`).replace(' ', '.')}@example.com`
  await commented(`Write to ${email}, please.`)
  return email
}
