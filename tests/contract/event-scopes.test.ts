import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storyHelpers } from '#areas/advocacy/story/story.fixture.ts'
import { type Inbox, profiles, startInbox } from '#areas/inbox/ingest/ingest.fixture.ts'
import { browser } from '#areas/links/redirect/links.fixture.ts'
import { registry } from '#main/registry.ts'
import { until } from '../support/publishing.ts'

/**
 * Every event type, caused as users and visitors do, in a campaign, board or workflow of one team: the webhook log shows the payload only
 * to members of the team and to admins.
 */

const europe = '025demo00000001'
const openCampaign = '002demo00000001'
/** A board without topics; with topics a story would need one. */
const openBoard = 'brddemo00000002'
const openMessageBoard = 'brddemo00000006'
const openWorkflow = 'cwfdemo00000001'
const pablo = '00Ademo00000002'

let inbox: Inbox
/** By event type. */
const webhooks = new Map<string, string>()
/** Entities visible to Europe only, and a post in its campaign that was published on Facebook. */
let campaign: string
let board: string
let boardWithTopics: string
let messageBoard: string
let workflow: string
let post: { id: string; remoteId: string }

beforeAll(async () => {
  inbox = await startInbox(3600)
  await inbox.subscribed()
  const stories = storyHelpers(inbox)
  campaign = await made('POST /campaign', { name: 'Restricted' }, 'Campaign')
  board = await made('POST /app/api/boards', { name: 'Restricted' }, 'Board')
  boardWithTopics = await made('POST /app/api/boards', { name: 'Restricted, with topics' }, 'Board')
  messageBoard = (await stories.board({ kind: 'messages' })).id
  workflow = await stories.workflow()
  for (const entity of [campaign, board, boardWithTopics, messageBoard, workflow]) await restrict(entity)
  for (const { name: event } of registry.events)
    webhooks.set(event, await made('POST /webhook', { event, name: event, url: inbox.receiver.url }, 'Webhook'))
  post = await published()
})
afterAll(() => inbox.stop())

let numbered = 0
const unique = (words: string) => `${words} ${numbered++}`

async function made(route: string, body: object, name: string): Promise<string> {
  const { status, json } = await inbox.admin(route, { body })
  if (status !== 200) throw new Error(`${route}: ${JSON.stringify(json)}`)
  return json[name].Id ?? json[name].ID
}

const restrict = (entity: string) => inbox.admin(`POST /team-entity/${entity}`, { body: { teamIds: europe } })

const message = (campaignId: string) =>
  made('POST /message', { network: 'Facebook', campaignId, message: unique('Forty walks') }, 'Message')

async function planned(campaignId: string): Promise<string> {
  const startDateTime = Math.floor(Date.now() / 1000) + 86_400
  const body = { messageId: await message(campaignId), credentialIds: profiles.facebook, startDateTime }
  return made('POST /post', body, 'Post')
}

async function published() {
  const text = { message: unique('Forty walks: https://www.example.com/walks'), campaignId: campaign }
  const { Id: id } = await inbox.post('Facebook', profiles.facebook, text)
  await until(async () => (await inbox.admin(`GET /post/${id}`)).json.Post.Status === 'complete')
  const { json } = await inbox.admin(`GET /post/${id}`, { query: 'postlogs=1' })
  return { id, remoteId: json.Post.Postlogs[0].RemoteId as string }
}

const story = (place: object) =>
  made(
    'POST /story',
    { title: unique('Story'), description: 'What it is about.', campaignId: openCampaign, ...place },
    'Item',
  )

const submitted = (entityId: string, workflowId: string) =>
  made('POST /workflow-item', { entityId, workflowId }, 'Data')

async function decided(isApprove: 0 | 1, workflowId: string, entityId: string) {
  const id = await submitted(entityId, workflowId)
  await inbox.admin(`POST /workflow-item/${id}`, { body: { isApprove, note: 'Decided' } })
  return id
}

const stranger = () => ({ id: `75000000000${String(numbered++).padStart(5, '0')}`, name: 'Robin Field' })

interface Conversation {
  id: string
  remoteId: string
  from: { id: string; name: string }
}

/** A comment of an external user on the restricted post, after it has reached the inbox. */
async function commented(text = unique('Is it open on Sunday?')): Promise<Conversation> {
  const from = stranger()
  const told = { from, text, kind: 'comment', postRemoteId: post.remoteId }
  const { remoteId } = await inbox.inject(profiles.facebook, 'Facebook', told)
  const { id } = await inbox.item(profiles.facebook, text)
  return { id, remoteId, from }
}

/** Webhooks use another form of an item's id. */
const markOf = ({ id }: Conversation) => `eitm${id.slice(3)}`

const acting = (path: string, body: object) => async () => {
  const conversation = await commented()
  const { status, json } = await inbox.admin(`POST /conversation/${conversation.id}${path}`, { body })
  if (status !== 200) throw new Error(JSON.stringify(json))
  return markOf(conversation)
}

async function answered() {
  const conversation = await commented()
  const { from, remoteId: parentId } = conversation
  await inbox.inject(profiles.facebook, 'Facebook', { from, text: unique('And on Monday?'), kind: 'reply', parentId })
  return markOf(conversation)
}

async function wroteTwice() {
  const from = stranger()
  const texts = [unique('A direct message'), unique('Another direct message')]
  for (const text of texts) {
    await inbox.inject(profiles.facebook, 'Facebook', { from, text, kind: 'message' })
    await inbox.settled()
  }
  return texts[1] as string
}

/** A visitor who leaves their email address under the restricted post. */
async function leadFound() {
  const email = `robin.${process.pid}.${numbered++}@example.com`
  await commented(`Write to ${email}, please.`)
  return email
}

/** Visitors follow the link of the restricted post and reach a page with a conversion tag. */
async function converted() {
  const tag = await made('POST /app/api/conversion-tag', { tag: unique('Sign-up') }, 'ConversionTag')
  const links = await inbox.admin('GET /link', { query: '_count=100' })
  const { Hash } = links.json.Items.find((link: { PostId: string }) => link.PostId === post.id)
  const headers = { 'user-agent': browser }
  const visit = await fetch(`${inbox.url}/l/${Hash}`, { redirect: 'manual', headers })
  const cookie = visit.headers.get('set-cookie')?.split(';')[0] ?? ''
  await fetch(`${inbox.url}/l/conversion.gif?tag=${tag}`, { headers: { ...headers, cookie } })
  return tag
}

/** Triggers of an event by its scope; each returns a text that identifies the payload. */
interface Causes {
  campaign?: () => Promise<string>
  board?: () => Promise<string>
  workflow?: () => Promise<string>
  /** Has no scope, even if it was caused by the restricted campaign where possible. */
  nothing?: () => Promise<string>
}

const causes: { readonly [name: string]: Causes } = {
  newAdvocacyMessage: {
    board: async () => {
      const messageId = await message(openCampaign)
      await inbox.admin('POST /board-message', { body: { boardId: messageBoard, messageId } })
      return messageId
    },
    campaign: async () => {
      const messageId = await message(campaign)
      await inbox.admin('POST /board-message', { body: { boardId: openMessageBoard, messageId } })
      return messageId
    },
  },
  newAdvocacyStory: {
    board: () => story({ boardId: board }),
    campaign: () => story({ boardId: openBoard, campaignId: campaign }),
    workflow: () => story({ boardId: openBoard, workflowId: workflow }),
  },
  newAdvocacyTopic: {
    board: () => made('POST /board-topic', { boardId: boardWithTopics, name: unique('Topic') }, 'Topic'),
  },
  postCreated: { campaign: () => planned(campaign) },
  postModified: {
    campaign: async () => {
      const id = await planned(campaign)
      await inbox.admin(`POST /post/${id}/change-campaign`, { body: { campaignId: openCampaign } })
      return id
    },
  },
  postDeleted: {
    campaign: async () => {
      const id = await planned(campaign)
      await inbox.admin(`DELETE /post/${id}`)
      return id
    },
  },
  postSent: { campaign: async () => post.id },
  newInboxItem: { campaign: async () => markOf(await commented()) },
  newCommentOnInboxItem: { campaign: answered },
  newDirectMessageOnInboxItem: { nothing: wroteTwice },
  inboxItemReplied: { campaign: acting('/reply', { message: 'Every day.' }) },
  newNoteOnInboxItem: { campaign: acting('/note', { note: 'Known' }) },
  newInboxItemAssignment: { campaign: acting('/assign', { assignee_id: pablo }) },
  inboxItemStatusChange: { campaign: acting('', { status: 'closed' }) },
  inboxItemTagChange: { campaign: acting('/tag', { tags: ['sunday'] }) },
  newLead: { nothing: leadFound },
  newLeadActivity: { campaign: leadFound },
  newConversion: { campaign: converted },
  newApprovalItem: {
    campaign: async () => submitted(await planned(campaign), openWorkflow),
    board: async () => submitted(await story({ boardId: board, isDraft: 1 }), openWorkflow),
    workflow: async () => submitted(await planned(openCampaign), workflow),
  },
  approvalItemApproved: {
    campaign: async () => decided(1, openWorkflow, await planned(campaign)),
    board: async () => decided(1, openWorkflow, await story({ boardId: board, isDraft: 1 })),
    workflow: async () => decided(1, workflow, await planned(openCampaign)),
  },
  approvalItemRejected: {
    campaign: async () => decided(0, openWorkflow, await planned(campaign)),
    board: async () => decided(0, openWorkflow, await story({ boardId: board, isDraft: 1 })),
    workflow: async () => decided(0, workflow, await planned(openCampaign)),
  },
  newCampaign: {
    campaign: async () => {
      const id = await made('POST /campaign', { name: unique('Restricted afterwards') }, 'Campaign')
      await restrict(id)
      return id
    },
  },
  newConversation: { campaign: async () => markOf(await commented()) },
  conversationUpdated: { campaign: answered, nothing: wroteTwice },
  newNoteOnConversation: { campaign: acting('/note', { note: 'Known' }) },
  newAssignment: { campaign: acting('/assign', { assignee_id: pablo }) },
  conversationStatusUpdated: { campaign: acting('', { status: 'closed' }) },
  newEngagementItem: { campaign: async () => markOf(await commented()) },
  updatedEngagementItem: { campaign: answered, nothing: wroteTwice },
}

interface Entry {
  WebhookPayloadId: string
  Payload: { event?: string; data?: object[] }
}

/** The webhook log entry of a payload as seen by a user; undefined until it is logged. */
async function logged(who: Inbox['admin'], event: string, payloadId: string): Promise<Entry['Payload'] | undefined> {
  const { json } = await who(`GET /webhook-log/${webhooks.get(event)}`, { query: '_count=100' })
  return json.Items.find((entry: Entry) => entry.WebhookPayloadId === payloadId)?.Payload
}

/** Waits for the request at the receiver. */
const delivered = (event: string, mark: string) =>
  until(async () => inbox.receiver.calls.find(({ body }) => body.includes(mark) && JSON.parse(body).event === event))

const titles = {
  campaign: 'of a campaign is shown to the campaign’s team',
  board: 'of a board is shown to the board’s team',
  workflow: 'of a workflow is shown to the workflow’s team',
  nothing: 'of none of them is shown to everybody',
} satisfies { [concerned in keyof Causes]: string }

describe.each(registry.events.map(({ name }) => name))('%s', (event) => {
  test('has causes to check', () => expect(causes).toHaveProperty(event))

  const cases = Object.entries(causes[event] ?? {}) as [keyof Causes, () => Promise<string>][]

  test.each(cases.map(([concerned, cause]) => [titles[concerned], concerned, cause] as const))(
    '%s',
    async (_title, concerned, cause) => {
      const call = await delivered(event, await cause())
      const payloadId = String(call.headers['webhook-id'])
      const sent = JSON.parse(call.body)
      await until(() => logged(inbox.admin, event, payloadId))
      for (const who of [inbox.admin, inbox.publisher]) expect(await logged(who, event, payloadId)).toEqual(sent)
      for (const who of [inbox.reader, inbox.contributor])
        expect(await logged(who, event, payloadId)).toEqual(concerned === 'nothing' ? sent : {})
    },
  )
})
