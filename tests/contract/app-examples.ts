import { ownerQuery } from '../support/owner.ts'
import { demoAccount, type TestService } from '../support/service.ts'
import {
  type Example,
  type ExampleMaker,
  newCampaign,
  newPost,
  newPostlog,
  newTeam,
  newUser,
  newWebhook,
  newWorkflow,
} from './examples.ts'

/** The same for what the console may do beyond the contract; done by a publisher where the role allows it. */
const appExamples: Record<string, ExampleMaker> = {
  'GET /app/restricted-entity': () => ({}),
  'DELETE /app/restricted-entity/{entityId}': async (service) => ({ id: await newRestricted(service) }),
  'POST /app/user/{id}/role': async ({ admin }) => ({
    id: (await admin('POST /user', { body: newUser() })).json.User.Id,
    body: { role: 'contributor' },
  }),
  'POST /app/media': () => ({ body: { name: 'example.png', size: 10 } }),
  'GET /app/media/{id}': async ({ publisher }) => ({
    id: (await publisher('POST /app/media', { body: { name: 'example.png', size: 10 } })).json.Upload.Id,
  }),
  'GET /app/post/late': () => ({}),
  'POST /app/post/{id}/late': async (service) => ({ id: await newLatePost(service), body: { action: 'drop' } }),
  'POST /app/postlog/{id}/mark-sent': async (service) => ({ id: await newFailure(service) }),
  'POST /app/postlog/{id}/send-again': async (service) => ({ id: await newFailure(service) }),
  'POST /app/credential/{id}/targeting-presets': () => ({ id: companyPage, body: { name: 'Example' } }),
  'PUT /app/targeting-preset/{id}': async (service) => ({ id: await newPreset(service), body: { name: 'Renamed' } }),
  'DELETE /app/targeting-preset/{id}': async (service) => ({ id: await newPreset(service) }),
  'POST /app/link/{id}/disable': async (service) => ({ id: await newLink(service) }),
  'POST /app/link/{id}/enable': async (service) => {
    const id = await newLink(service)
    await service.admin(`POST /app/link/${id}/disable`)
    return { id }
  },
  'GET /app/link/{id}/changes': () => ({ id: '008demo00000002' }),
  'GET /app/link/{id}/clicks': () => ({ id: '008demo00000002' }),
  'GET /app/link-settings': () => ({}),
  'POST /app/link-settings': () => ({ body: { utmTerm: 'example' } }),
  'GET /app/campaign/{id}/link-settings': async (service) => ({ id: await newCampaign(service) }),
  'POST /app/campaign/{id}/link-settings': async (service) => ({
    id: await newCampaign(service),
    body: { utmTerm: 'example' },
  }),
  'GET /app/conversion-tag/{id}': async (service) => ({ id: await newConversionTag(service) }),
  'POST /app/conversion-tag': () => ({ body: { tag: 'Example' } }),
  'PUT /app/conversion-tag/{id}': async (service) => ({
    id: await newConversionTag(service),
    body: { tag: 'Renamed' },
  }),
  'DELETE /app/conversion-tag/{id}': async (service) => ({ id: await newConversionTag(service) }),
  'GET /app/credential/{id}/queue-slots': () => ({ id: companyPage }),
  'PUT /app/credential/{id}/queue-slots': () => ({
    id: companyPage,
    body: { slots: [{ weekday: 1, time: '09:00' }] },
  }),
  'POST /app/workflow': () => ({ body: { name: 'Example', steps: [{ name: 'Check' }] } }),
  'PUT /app/workflow/{id}': async (service) => ({
    id: (await newWorkflow(service)).Id,
    body: { steps: [{ name: 'Check again' }] },
  }),
  'DELETE /app/workflow/{id}': async (service) => ({ id: (await newWorkflow(service)).Id }),
  'POST /app/webhook/{id}/test': async (service) => ({ id: await newWebhook(service) }),
  'POST /app/webhook/{id}/resend-failed': async (service) => ({
    id: await newWebhook(service),
    body: { since: '2026-01-01 00:00:00' },
  }),
  'POST /app/webhook/{id}/rotate-secret': async (service) => ({ id: await newWebhook(service) }),
  'POST /app/webhook-payload/{id}/resend': async (service) => ({
    id: await newPayload(service, demoAccount, await newWebhook(service)),
  }),
}

export async function appExampleOf(route: string, service: TestService): Promise<Example> {
  const example = appExamples[route]
  if (!example) throw new Error(`tests/support/app-examples.ts has no example for ${route}.`)
  return example(service)
}

const companyPage = '003-1-2414184'

let numbered = 0
const nextId = (prefix: string) => `${prefix}ex${String(numbered++).padStart(10, '0')}`

const newRestricted = async (service: TestService): Promise<string> => {
  const [team, campaign] = [await newTeam(service), await newCampaign(service)]
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: team } })
  await service.admin(`DELETE /team/${team}`)
  return campaign
}

const newLatePost = async (service: TestService): Promise<string> => {
  const id = await newPost(service)
  await ownerQuery(service.databaseUrl, `update sends set state = 'late', due = null where content_id = $1`, [id])
  return id
}

const newFailure = async (service: TestService): Promise<string> => {
  const id = await newPostlog(service)
  await ownerQuery(
    service.databaseUrl,
    `update sends set state = 'failed', due = null where content_id = (select post_id from postlogs where id = $1)`,
    [id],
  )
  return id
}

const newPreset = async ({ admin }: TestService): Promise<string> =>
  (await admin(`POST /app/credential/${companyPage}/targeting-presets`, { body: { name: 'Example' } })).json
    .TargetingPreset.Id

const newConversionTag = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /app/conversion-tag', { body: { tag: 'Example' } })).json.ConversionTag.Id

/** Links are made when something is published, so that a row of its own stands in for one. */
const newLink = async ({ databaseUrl }: TestService): Promise<string> => {
  const id = nextId('008')
  await ownerQuery(
    databaseUrl,
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
    select account_id, $1, now(), now(), right($1, 8), campaign_id, message_id, credential_id, network, long_url, long_url
    from links where id = '008demo00000002'`,
    [id],
  )
  return id
}

/** What was sent to a webhook. */
export const newPayload = async ({ databaseUrl }: TestService, account: string, webhook: string): Promise<string> => {
  const [payload, event] = [nextId('0WB'), nextId('0EV')]
  await ownerQuery(
    databaseUrl,
    `insert into events (account_id, id, created, type, data) values ($1, $2, now(), 'postSent', '[]')`,
    [account, event],
  )
  await ownerQuery(
    databaseUrl,
    `insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded, response_code, execution_time, error)
    values ($1, $2, $3, $4, $5, now(), 1, true, 200, 0, '')`,
    [account, nextId('0WC'), webhook, payload, event],
  )
  return payload
}
