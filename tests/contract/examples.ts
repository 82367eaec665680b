import { ownerQuery } from '../support/database/owner.ts'
import { placeItem } from '../support/inbox.ts'
import type { TestService } from '../support/service.ts'

export interface Example {
  /** The path parameter, if the route has one. */
  id?: string
  body?: object
  /** Set if the path names something shared by all accounts. */
  shared?: true
  /** Set if the caller chooses the id in the path: the same id names a separate entity in each account. */
  chosen?: true
}

/** Creates the parameters with which a route succeeds. */
export type ExampleMaker = (service: TestService) => Promise<Example> | Example

let numbered = 0

/** An open message thread. */
export const demoConversation = 'eitdemo00000001'

/** An example for every route. A route without one fails the contract tests. */
const examples: Record<string, ExampleMaker> = {
  'GET /me': () => ({}),
  'GET /conversation': () => ({ body: { status: 'open', _count: 5 } }),
  'GET /conversation/{id}': () => ({ id: demoConversation }),
  'GET /conversation/{id}/timeline': () => ({ id: demoConversation }),
  'GET /comments': () => ({ body: { network: 'LinkedIn' } }),
  'GET /team/{id}': async (service) => ({ id: await newTeam(service) }),
  'GET /team': () => ({}),
  'POST /team': () => ({ body: { name: 'Example' } }),
  'POST /team/{id}': async (service) => ({ id: await newTeam(service), body: { name: 'Renamed' } }),
  'DELETE /team/{id}': async (service) => ({ id: await newTeam(service) }),
  'GET /team-entity/{entityId}': () => ({ id: '00Ademo00000002' }),
  'POST /team-entity/{entityId}': async (service) => ({
    id: '00Ademo00000002',
    body: { teamIds: await newTeam(service) },
  }),
  'DELETE /team-entity/{entityId}': async (service) => ({
    id: '00Ademo00000002',
    body: { teamIds: await newTeam(service) },
  }),
  'GET /user/{id}': () => ({ id: '00Ademo00000001' }),
  'GET /user': () => ({}),
  'POST /user': () => ({ body: newUser() }),
  'POST /user/{id}': () => ({ id: '00Ademo00000004', body: { firstName: 'Rina', lastName: 'Sato' } }),
  'DELETE /user/{id}': async (service) => ({
    id: (await service.admin('POST /user', { body: newUser() })).json.User.Id,
  }),
  'POST /calendar': () => ({ body: { fromDate: '2030-03-01', toDate: '2030-04-15' } }),
  'GET /calendar/custom-events': () => ({}),
  'POST /calendar/custom-events': () => ({ body: { title: 'Example', startDate: 1_800_000_000 } }),
  'PUT /calendar/custom-events': async (service) => ({ body: { id: await newEvent(service), title: 'Changed' } }),
  'DELETE /calendar/custom-events': async (service) => ({ body: { id: await newEvent(service) } }),
  'GET /board/{id}': () => ({ id: demoBoard }),
  'GET /board': () => ({}),
  'GET /board-topic': () => ({}),
  'POST /board-topic': () => ({ body: { boardId: demoBoard, name: `Example ${numbered++}` } }),
  'POST /board-topic/{id}': async (service) => ({
    id: await newTopic(service),
    body: { name: `Renamed ${numbered++}` },
  }),
  'DELETE /board-topic/{id}': async (service) => ({ id: await newTopic(service) }),
  'GET /advocate': () => ({}),
  'GET /advocate/{id}': () => ({ id: '00Ademo00000001' }),
  'POST /advocate': () => ({ body: { boardId: demoBoard, ...guest() } }),
  'POST /advocate/bulk': () => ({ body: { boardId: demoBoard, users: [guest(), {}] } }),
  'DELETE /advocate/{id}': async (service) => ({ id: await newAdvocate(service), body: { boardId: demoBoard } }),
  'GET /story/{id}': () => ({ id: '0ASdemo00000001' }),
  'GET /story': () => ({}),
  'POST /story': () => ({ body: story() }),
  'POST /story/{id}': async (service) => ({ id: await newStory(service), body: { title: 'Changed' } }),
  'DELETE /story/{id}': async (service) => ({ id: await newStory(service) }),
  'POST /board-message': async (service) => ({
    body: { boardId: boardOfMessages, messageId: await newMessage(service) },
  }),
  'DELETE /board-message': async (service) => {
    const body = { boardId: boardOfMessages, messageId: await newMessage(service) }
    await service.admin('POST /board-message', { body })
    return { body }
  },
  'GET /stream-tab': () => ({}),
  'GET /stream-tab/{id}': async (service) => ({ id: await newStreamTab(service) }),
  'POST /stream-tab': () => ({ body: { name: 'Example' } }),
  'POST /stream-tab/{id}': async (service) => ({ id: await newStreamTab(service), body: { name: 'Renamed' } }),
  'DELETE /stream-tab/{id}': async (service) => ({ id: await newStreamTab(service) }),
  'GET /stream': () => ({}),
  'POST /stream': async (service) => ({ body: { ...aStream, streamTabId: await newStreamTab(service) } }),
  'POST /stream/{id}': async (service) => ({ id: await newStream(service), body: { position: -1 } }),
  'DELETE /stream/{id}': async (service) => ({ id: await newStream(service) }),
  'GET /tag': () => ({}),
  'GET /tag/{id}': () => ({ id: '0AFdemo00000001' }),
  'POST /tag': () => ({ body: { tag: `Example ${numbered++}` } }),
  'POST /tag/{id}': async (service) => ({ id: await newTag(service), body: { tag: `Renamed ${numbered++}` } }),
  'DELETE /tag/{id}': async (service) => ({ id: await newTag(service) }),
  'GET /campaign/{id}': () => ({ id: '002demo00000001' }),
  'GET /dashboard/{id}': async (service) => ({ id: await newDashboard(service) }),
  'GET /dashboard': () => ({}),
  'GET /dashboard/{dashboardId}/report': async (service) => {
    const id = await newDashboard(service)
    return { id, body: { id: await newWidget(service, id), filter: { network: 'LinkedIn' } } }
  },
  'GET /campaign': () => ({}),
  'POST /campaign': () => ({ body: { name: 'Example' } }),
  'POST /campaign/{id}': async (service) => ({ id: await newCampaign(service), body: { status: 'paused' } }),
  'DELETE /campaign/{id}': async (service) => ({ id: await newCampaign(service) }),
  'GET /message/{id}': () => ({ id: '005demo00000001' }),
  'GET /message': () => ({ body: { campaignId: '002demo00000001' } }),
  'POST /message': () => ({ body: { network: 'LinkedIn', campaignId: '002demo00000001', message: 'Example' } }),
  'POST /message/{id}': async (service) => ({ id: await newMessage(service), body: { message: 'Changed' } }),
  'DELETE /message/{id}': async (service) => ({ id: await newMessage(service) }),
  'GET /post/{id}': async (service) => ({ id: await newPost(service) }),
  'GET /post': () => ({}),
  'POST /post': () => ({ body: post() }),
  'POST /post/{id}': async (service) => ({ id: await newPost(service), body: { status: 'draft' } }),
  'POST /post/{id}/change-campaign': async (service) => ({
    id: await newPost(service),
    body: { campaignId: '002demo00000002' },
  }),
  'DELETE /post/{id}': async (service) => ({ id: await newPost(service) }),
  'GET /postlog': async (service) => ({ body: { postId: await newPost(service) } }),
  'GET /postlog/{id}': async (service) => ({ id: await newPostlog(service) }),
  'GET /analytics/{id}': async (service) => ({ id: await newPost(service) }),
  'GET /followers/{id}': () => ({ id: '003-1-2414183' }),
  'GET /media/{id}': () => ({ id: '026demo00000001' }),
  'GET /media': () => ({}),
  'POST /media': (service) => ({ body: { resource: service.pictureUrl } }),
  'DELETE /media/{id}': async (service) => ({ id: await newMedia(service) }),
  'GET /video-validate/{id}': () => ({ id: '026demo00000005' }),
  'GET /upload/{id}': async (service) => ({ id: await newUpload(service) }),
  'GET /upload': () => ({}),
  'POST /upload': (service) => ({ body: { source: service.pictureUrl } }),
  'GET /media-folder': () => ({}),
  'GET /media-folder/{id}': () => ({ id: '035demo00000001' }),
  'POST /media-folder': () => ({ body: { name: 'Example' } }),
  'POST /media-folder/{id}': async (service) => ({ id: await newFolder(service), body: { name: 'Renamed' } }),
  'DELETE /media-folder/{id}': async (service) => ({ id: await newFolder(service) }),
  'GET /credential/{id}': () => ({ id: '003-1-2414183' }),
  'GET /credential': () => ({}),
  'PUT /credential/{id}': () => ({ id: '003-1-2414183', body: { displayName: 'Our page' } }),
  'DELETE /credential/{id}': async (service) => ({ id: await newCredential(service) }),
  'GET /credential/{id}/targeting-presets': () => ({ id: '003-1-2414184' }),
  'GET /workflow/{id}': async (service) => ({ id: (await newWorkflow(service)).Id }),
  'GET /workflow': () => ({ body: { withSteps: 1 } }),
  'GET /workflow-step/{id}': async (service) => ({ id: (await newWorkflow(service)).Steps[0].Id }),
  'GET /workflow-step': () => ({}),
  'GET /workflow-item': () => ({ body: { withHistory: 1, withAuthors: 1, withSteps: 1 } }),
  'POST /workflow-item': async (service) => ({
    body: { entityId: await newMessage(service), workflowId: (await newWorkflow(service)).Id },
  }),
  'POST /workflow-item/{id}': async (service) => ({ id: await newWorkflowItem(service), body: { isApprove: 1 } }),
  'DELETE /workflow-item/{id}': async (service) => ({ id: await newWorkflowItem(service) }),
  'GET /workflow-item-note': () => ({ body: { id: '005demo00000001' } }),
  'PUT /workflow-item-note': () => ({ body: { id: '005demo00000001', note: 'Example' } }),
  'GET /cname': () => ({}),
  'POST /cname': () => ({ body: { cname: newDomain() } }),
  'POST /cname/{id}': async (service) => ({ id: await newCname(service), body: { cname: newDomain() } }),
  'DELETE /cname/{id}': async (service) => ({ id: await newCname(service) }),
  'GET /link/{id}': () => ({ id: 'demo0001', shared: true }),
  'GET /link': () => ({ body: { hash: 'demo0001' } }),
  'POST /link/{id}': () => ({ id: '008demo00000002', body: { longUrl: 'https://example.com/elsewhere' } }),
  'GET /bi-export': () => ({}),
  'GET /bi-export/{id}': async (service) => ({ id: await newExport(service) }),
  'GET /webhook': () => ({}),
  'GET /webhook/events': () => ({}),
  'GET /webhook/events/{event}': () => ({ id: 'postSent', shared: true }),
  'GET /webhook/{id}': async (service) => ({ id: await newWebhook(service) }),
  'POST /webhook': () => ({ body: webhook() }),
  'POST /webhook/{id}': async (service) => ({ id: await newWebhook(service), body: { name: 'Renamed' } }),
  'PUT /webhook/{id}': async (service) => ({ id: await newWebhook(service), body: { isEnabled: 0 } }),
  'DELETE /webhook/{id}': async (service) => ({ id: await newWebhook(service) }),
  'GET /webhook-log/{id}': async (service) => ({ id: await newWebhook(service) }),
  'GET /notification': () => ({}),
  'GET /click': () => ({}),
  'GET /conversion-tag': () => ({}),
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
  'POST /conversation/{id}/create-case': async (service) => ({
    id: await newItem(service),
    body: { integration_id: await newCrm(service), case_description: 'Example' },
  }),
  'POST /notification': () => ({ body: { EmailDaily: 0 } }),
  'POST /conversation/{id}': async (service) => ({ id: await newConversation(service), body: { status: 'closed' } }),
  'POST /conversation/{id}/assign': async (service) => ({
    id: await newConversation(service),
    body: { assignee_id: '00Ademo00000002', note: 'Yours' },
  }),
  'POST /conversation/{id}/note': async (service) => ({ id: await newConversation(service), body: { note: 'Noted' } }),
  'POST /conversation/{id}/tag': async (service) => ({
    id: await newConversation(service),
    body: { tags: [`Example ${numbered++}`] },
  }),
  'POST /conversation/{id}/reply': async (service) => ({
    id: await newConversation(service),
    body: { message: 'Thank you.' },
  }),
  'GET /conversation-tag': () => ({}),
  'GET /conversation-tag/{id}': async (service) => ({ id: await newConversationTag(service) }),
  'POST /conversation-tag/{id}': async (service) => ({
    id: await newConversationTag(service),
    body: { tag: `Renamed ${numbered++}` },
  }),
  'DELETE /conversation-tag/{id}': async (service) => ({ id: await newConversationTag(service) }),
  'GET /canned-response': () => ({}),
  'GET /canned-response/{id}': async (service) => ({ id: await newCannedResponse(service) }),
  'POST /canned-response': () => ({ body: { name: `Example ${numbered++}`, content: 'Every day from nine to five.' } }),
}

export async function exampleOf(route: string, service: TestService): Promise<Example> {
  const example = examples[route]
  if (!example) throw new Error(`tests/contract/examples.ts has no example for ${route}.`)
  return example(service)
}

const boardOfMessages = 'brddemo00000006'

/** On a board without topics. */
const story = () => ({
  boardId: 'brddemo00000004',
  title: 'Example',
  description: 'Example',
  campaignId: '002demo00000001',
})

const newStory = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /story', { body: story() })).json.Item.ID

/** Has no seat limit. */
export const demoBoard = 'brddemo00000002'

const newTopic = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /board-topic', { body: { boardId: demoBoard, name: `Example ${numbered++}` } })).json.Topic.Id

export const guest = () => ({ email: `guest${numbered++}@example.com`, firstName: 'Example', lastName: 'Guest' })

export const newAdvocate = async ({ admin }: TestService, boardId = demoBoard): Promise<string> =>
  (await admin('POST /advocate', { body: { boardId, ...guest() } })).json.Users[0].Id

export const newDashboard = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /app/api/dashboard', { body: { name: `Example ${numbered++}` } })).json.Dashboard.Id

export const widget = { name: 'Example', chartType: 'line', source: 'click', measures: ['clicks'], unit: 'day' }

export const newWidget = async ({ admin }: TestService, dashboardId: string): Promise<string> =>
  (await admin(`POST /app/api/dashboard/${dashboardId}/widget`, { body: widget })).json.Widget.Id

export const newTeam = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /team', { body: { name: 'Example' } })).json.Team.Id

const newEvent = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /calendar/custom-events', { body: { title: 'Example', startDate: 1_800_000_000 } })).json.Item.ID

const newStreamTab = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /stream-tab', { body: { name: 'Example' } })).json.StreamTab.Id

const aStream = { network: 'Facebook', credentialId: '003-1-100200300400501', type: 'ownpage' }

export const newStream = async (service: TestService): Promise<string> => {
  const body = { ...aStream, streamTabId: await newStreamTab(service) }
  return (await service.admin('POST /stream', { body })).json.Stream.Id
}

const newTag = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /tag', { body: { tag: `Example ${numbered++}` } })).json.Tag.Id

export const newCampaign = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /campaign', { body: { name: 'Example' } })).json.Campaign.Id

const newMessage = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /message', { body: { network: 'LinkedIn', campaignId: '002demo00000001', message: 'Example' } }))
    .json.Message.Id

const post = () => ({ messageId: '005demo00000001', credentialIds: '003-1-2414183', startDateTime: 1_900_000_000 })

export const newPost = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /post', { body: post() })).json.Post.Id

/** Inserted as a row: only networks create entries. */
export const newPostlog = async (service: TestService): Promise<string> => {
  const id = `007example${String(numbered++).padStart(5, '0')}`
  await ownerQuery(
    service.databaseUrl,
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status)
    select account_id, $1, now(), now(), id, campaign_id, message_id, credential_ids[1], network, 'success' from posts where id = $2`,
    [id, await newPost(service)],
  )
  return id
}

export const newMedia = async ({ admin, pictureUrl }: TestService): Promise<string> =>
  (await admin('POST /media', { body: { resource: pictureUrl } })).json.Media.Id

const newUpload = async ({ admin, pictureUrl }: TestService): Promise<string> =>
  (await admin('POST /upload', { body: { source: pictureUrl } })).json.Upload.Id

const newFolder = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /media-folder', { body: { name: 'Example' } })).json.Folder.Id

/** Inserted as a row: only logins create profiles. */
const newCredential = async ({ databaseUrl }: TestService): Promise<string> => {
  const id = `003-1-example${numbered++}`
  await ownerQuery(
    databaseUrl,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
    values ('001demo00000001', $1, now(), now(), '', 'Xing', $1, 'page', 'Example', 'example', '', 'valid')`,
    [id],
  )
  return id
}

export const newWorkflow = async ({ admin }: TestService) =>
  (await admin('POST /app/api/workflow', { body: { name: 'Example', steps: [{ name: 'Check', approverIds }] } })).json
    .Workflow

/** The two users who may approve. */
const approverIds = '00Ademo00000001,00Ademo00000002'

export const newWorkflowItem = async (service: TestService): Promise<string> => {
  const body = { entityId: await newMessage(service), workflowId: (await newWorkflow(service)).Id }
  return (await service.admin('POST /workflow-item', { body })).json.Data.Id
}

export const newLead = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /app/api/lead', { body: { email: `lead${numbered++}@example.com` } })).json.Lead.Id

/** Inserted as a row: only external users cause activities. */
const newActivity = async (service: TestService): Promise<string> => {
  const id = `0laexample${String(numbered++).padStart(5, '0')}`
  await ownerQuery(
    service.databaseUrl,
    `insert into lead_activities (account_id, id, lead_id, activity_date, type, source)
    select account_id, $1, id, now(), 'click', $1 from leads where id = $2`,
    [id, await newLead(service)],
  )
  return id
}

export const newIntegration = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /integration', { body: { type: 'hubspot' } })).json.Integration.Id

/** One that responds. */
const newCrm = async ({ admin, crmUrl }: TestService): Promise<string> => {
  const id: string = (await admin('POST /integration', { body: { type: 'sandbox-crm' } })).json.Integration.Id
  const body = { baseUrl: crmUrl, accessToken: 'sandbox-crm-token' }
  await admin(`PUT /app/api/integration/${id}/settings`, { body })
  return id
}

/** Inserted as a row: only networks create conversations. */
const newItem = async ({ databaseUrl }: TestService): Promise<string> => {
  const id = `eitexample${String(numbered++).padStart(5, '0')}`
  await ownerQuery(databaseUrl, placedItem, ['001demo00000001', id, '003-1-2414183'])
  return id
}

const placedItem = `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, remote_key,
    event_date, last_activity, person_id, person_name, text)
  values ($1, $2, now(), now(), $3, 'LinkedIn', 'Post', 'owned', 'comment:' || $2, now(), now(), $2, 'Example', 'Example')`

/** Inserted as a row: links come from responses of external systems. */
const newLink = async (service: TestService) => {
  const integrationId = await newIntegration(service)
  const linkedRecordId = `record-${numbered++}`
  await ownerQuery(
    service.databaseUrl,
    `insert into lead_remotes (account_id, lead_id, integration_id, linked_lead_id)
    select account_id, id, $1, $2 from leads where id = $3`,
    [integrationId, linkedRecordId, await newLead(service)],
  )
  return { integrationId, linkedRecordId }
}

const newDomain = () => `example${numbered++}.brand.example`

const newCname = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /cname', { body: { cname: newDomain() } })).json.Cname.Id

const webhook = () => ({ event: 'postSent', name: 'Example', url: 'https://93.184.216.34/hook' })

/** Makes no external call before it is run. */
export const exportDraft = () => ({
  type: 'Posts',
  destinationType: 'email',
  status: 'inactive',
  destination: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Marsh' },
})

export const newExport = async ({ admin }: Pick<TestService, 'admin'>): Promise<string> =>
  (await admin('POST /app/api/exports', { body: exportDraft() })).json.Export.Id

export const newWebhook = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /webhook', { body: webhook() })).json.Webhook.Id

export const newUser = () => ({
  firstName: 'Example',
  lastName: 'User',
  email: `example${numbered++}@example.com`,
  password: 'a long password',
  role: 'read',
  timezone: 'UTC',
})

/** Inserted as rows: only networks create conversations. */
export const newConversation = async ({ databaseUrl }: TestService): Promise<string> =>
  (await placeItem(databaseUrl)).id

async function newConversationTag(service: TestService): Promise<string> {
  const body = { tags: [`Example ${numbered++}`] }
  const { json } = await service.admin(`POST /conversation/${await newConversation(service)}/tag`, { body })
  return json.Tags[0].Id
}

export async function newCannedResponse({ admin }: TestService): Promise<string> {
  const { json } = await admin('POST /canned-response', { body: { name: `Example ${numbered++}`, content: 'Soon.' } })
  return json.CannedResponse.ID
}
