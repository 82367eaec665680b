import { idKinds } from '#main/registry.ts'
import type { Caller } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { placeItem, placeReply } from '../support/inbox.ts'
import { demoAccount, otherAccount, type TestService } from '../support/service.ts'
import { newKeyOf, newOffer, newPayload, newSessionOf } from './app-examples.ts'
import { newExport, widget } from './examples.ts'

/** One entity of every kind, by id. */
export type Things = { readonly [kind: string]: string | undefined }

/** Kinds whose visibility depends on teams; all others are visible to the whole account. */
export const scopedKinds: readonly string[] = [
  ...(['campaign', 'message', 'post', 'postlog', 'workflow', 'workflowStep', 'workflowItem'] as const),
  ...(['board', 'topic', 'story', 'customEvent', 'link', 'linkHash', 'clickedLead', 'visitor'] as const),
]

const publisher = '00Ademo00000002'
const otherUser = '00Ademo00000005'
const asiaPacific = '025demo00000002'
/** The publisher's team. */
const europe = '025demo00000001'
/** Within the date range of the calendar example. */
const startDateTime = 1_900_000_000

/** Entities visible to the whole demo account, to Asia Pacific only, and to the other account only. */
export async function furnish(service: TestService) {
  const seen = await things(service, service.admin, demoAccount, 'seen')
  const invisible = await things(service, service.admin, demoAccount, 'hidden')
  const foreign = await things(service, service.otherAdmin, otherAccount, 'others')
  for (const entity of [invisible.campaign, invisible.workflow, invisible.board])
    await expectDone(service.admin(`POST /team-entity/${entity}`, { body: { teamIds: asiaPacific } }))
  await bridge(service, seen, invisible)
  await shareWithEurope(service, seen)
  const ada = { email: 'ada.marsh@example.com', firstName: 'Ada', lastName: 'Marsh' }
  for (const { board } of [seen, invisible])
    await expectDone(service.admin('POST /advocate', { body: { boardId: board, ...ada } }))
  // A user who has created entities, and an entry of the timeline that the example reads.
  const known = { user: '00Ademo00000001', team: europe, inboxEntry: 'eatdemo00000020' }
  return { seen: { ...seen, ...known }, invisible, foreign, absent }
}

/** Well-formed ids that do not exist. */
const absent: Things = {
  ...Object.fromEntries(idKinds.map(({ name, prefix }) => [name, `${prefix}absent000000`])),
  draft: 'absent',
  credential: '003-1-absent',
  linkHash: 'absent00',
  clickedLead: 'lead-absent',
  visitor: 'visitor-absent',
}

async function things(service: TestService, as: Caller, account: string, place: string): Promise<Things> {
  const { databaseUrl, pictureUrl } = service
  const made = async (route: string, body: object, name: string): Promise<string> => {
    const { json } = await expectDone(as(route, { body }))
    return json[name].Id ?? json[name].ID
  }
  const credential = await newPage(databaseUrl, account, `003-1-${place}`)
  const tag = await made('POST /tag', { tag: place }, 'Tag')
  const campaign = await made('POST /campaign', { name: place, tagIds: tag }, 'Campaign')
  const newMessage = () =>
    made('POST /message', { network: 'LinkedIn', campaignId: campaign, message: place }, 'Message')
  const message = await newMessage()
  const planned = { messageId: message, credentialIds: credential, startDateTime }
  const post = await made('POST /post', planned, 'Post')
  const board = await made('POST /app/api/boards', { name: place }, 'Board')
  const { json } = await expectDone(as('POST /app/api/workflow', { body: { name: place, steps: [{ name: place }] } }))
  const workflow: string = json.Workflow.Id
  const webhook = await made(
    'POST /webhook',
    { event: 'postSent', name: place, url: 'https://93.184.216.34/' },
    'Webhook',
  )
  const user = { firstName: place, lastName: place, email: `${place}@example.com`, password: 'a long password' }
  const topic = await made('POST /board-topic', { boardId: board, name: place }, 'Topic')
  const dashboard = await made('POST /app/api/dashboard', { name: place }, 'Dashboard')
  const told = { title: place, description: place, campaignId: campaign, topicIds: topic, tagIds: tag }
  const conversation = await placeItem(databaseUrl, { account, credentialId: credential })
  const tagged = await expectDone(as(`POST /conversation/${conversation.id}/tag`, { body: { tags: [place] } }))
  const streamTab = await made('POST /stream-tab', { name: place }, 'StreamTab')
  const watched = { network: 'LinkedIn', credentialId: credential, type: 'page', streamTabId: streamTab }
  const outside = await published(databaseUrl, post, place)
  await ownerQuery(databaseUrl, 'update inbox_items set postlog_id = $2 where id = $1', [
    conversation.id,
    outside.postlog,
  ])
  const savedView = await made('POST /app/api/saved-view', { screen: 'calendar', name: place, search: '' }, 'View')
  await expectDone(as(`PUT /app/api/draft/draft-${place}`, { body: { content: place } }))
  return {
    draft: `draft-${place}`,
    savedView,
    streamTab,
    stream: await made('POST /stream', watched, 'Stream'),
    credential,
    tag,
    campaign,
    message,
    post,
    workflow,
    webhook,
    board,
    topic,
    ...outside,
    inboxItem: conversation.id,
    inboxEntry: conversation.entryId,
    conversationTag: tagged.json.Tags[0].Id,
    inboxReply: await placeReply(databaseUrl, account, conversation.id),
    cannedResponse: await made('POST /canned-response', { name: place, content: place }, 'CannedResponse'),
    dashboard,
    widget: await made(`POST /app/api/dashboard/${dashboard}/widget`, widget, 'Widget'),
    story: await made('POST /story', { boardId: board, ...told }, 'Item'),
    workflowStep: json.Workflow.Steps[0].Id,
    workflowItem: await made('POST /workflow-item', { entityId: await newMessage(), workflowId: workflow }, 'Data'),
    customEvent: await made(
      'POST /calendar/custom-events',
      { title: place, startDate: 1_800_000_000, campaignIds: campaign },
      'Item',
    ),
    lead: await newLead(databaseUrl, account, place),
    inboxView: await made('POST /app/api/inbox/views', { name: place, isShared: 1 }, 'View'),
    leadActivity: `0la${place}`.padEnd(15, '0'),
    integration: await made('POST /integration', { type: 'hubspot' }, 'Integration'),
    user: await made('POST /user', { ...user, role: 'read' }, 'User'),
    team: await made('POST /team', { name: place }, 'Team'),
    mediaFolder: await made('POST /media-folder', { name: place }, 'Folder'),
    media: await made('POST /media', { resource: pictureUrl }, 'Media'),
    upload: await made('POST /upload', { source: pictureUrl }, 'Upload'),
    cname: await made('POST /cname', { cname: `${place}.brand.example` }, 'Cname'),
    conversionTag: await made('POST /app/api/conversion-tag', { tag: place }, 'ConversionTag'),
    targetingPreset: await made(
      `POST /app/api/credential/${credential}/targeting-presets`,
      { name: place },
      'TargetingPreset',
    ),
    session: await newSessionOf(databaseUrl, account, account === demoAccount ? publisher : otherUser),
    apiKey: await newKeyOf(databaseUrl, account),
    connectOffer: await newOffer(databaseUrl, account),
    export: await newExport({ admin: as }),
    webhookPayload: await newPayload(service, account, webhook),
    advocateShare: await newShare(databaseUrl, account, place),
  }
}

/** Inserted as a row: only logins create profiles. */
async function newPage(databaseUrl: string, account: string, id: string): Promise<string> {
  await ownerQuery(
    databaseUrl,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
    values ($1, $2, now(), now(), '', 'LinkedIn', $2, 'page', $2, $2, '', 'valid')`,
    [account, id],
  )
  return id
}

/** A lead with an activity. */
async function newLead(databaseUrl: string, account: string, place: string): Promise<string> {
  const [id, activity] = [`0ld${place}`, `0la${place}`].map((one) => one.padEnd(15, '0'))
  await ownerQuery(
    databaseUrl,
    `with made as (
      insert into leads (account_id, id, created, modified, email) values ($1, $2, now(), now(), $2 || '@example.com') returning *)
    insert into lead_activities (account_id, id, lead_id, activity_date, type, source)
    select account_id, $3, id, now(), 'click', $3 from made`,
    [account, id, activity],
  )
  return id ?? ''
}

/** Another user's share. */
async function newShare(databaseUrl: string, account: string, place: string): Promise<string> {
  const id = `0sh${place}`.padEnd(15, '0')
  await ownerQuery(
    databaseUrl,
    `insert into shares (account_id, id, created, modified, user_id, board_id, story_id, message_id, campaign_id, credential_id, network, type, message, start_date_time, status)
    values ($1, $2, now(), now(), '00Aelse00000000', '', '', '', '', '', 'Twitter', '', '', now(), 'pending')`,
    [account, id],
  )
  return id
}

/** Inserted as rows: results of a published post, which only networks and visitors create. */
async function published(databaseUrl: string, post: string, place: string) {
  const [postlog, link, click] = [`007${place}`, `008${place}`, `009${place}`].map((id) => id.padEnd(15, '0'))
  const linkHash = place.padEnd(8, '0')
  const insert = (text: string, values: unknown[]) => ownerQuery(databaseUrl, text, [post, ...values])
  await insert(
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status)
    select account_id, $2, now(), now(), id, campaign_id, message_id, credential_ids[1], network, 'success' from posts where id = $1`,
    [postlog],
  )
  await insert(
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, post_id, credential_id, network, original_url, long_url)
    select account_id, $2, now(), now(), $3, campaign_id, message_id, id, credential_ids[1], network, 'https://example.com', 'https://example.com'
    from posts where id = $1`,
    [link, linkHash],
  )
  await insert(clicked, [click, link, `visitor-${place}`, `lead-${place}`])
  return { postlog, link, linkHash, visitor: `visitor-${place}`, clickedLead: `lead-${place}` }
}

const clicked = `insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id, lead_id)
  select account_id, $2, now(), $3, campaign_id, message_id, id, credential_ids[1], network, 'human', $4, $5 from posts where id = $1`

/** Visible entities that refer to invisible ones: the only way to find something invisible. */
async function bridge({ admin, databaseUrl }: TestService, seen: Things, invisible: Things) {
  const { campaign } = seen
  const planned = { messageId: invisible.message, credentialIds: invisible.credential, startDateTime }
  const { json } = await expectDone(admin('POST /post', { body: planned }))
  const moved = json.Post.Id
  await expectDone(admin(`POST /post/${moved}/change-campaign`, { body: { campaignId: campaign } }))
  await ownerQuery(databaseUrl, clicked, [moved, '009bridge000000', seen.link, 'visitor-bridge', 'lead-bridge'])
  await expectDone(
    admin('POST /calendar/custom-events', {
      body: { title: 'Both', startDate: 1_800_000_000, campaignIds: `${campaign},${invisible.campaign}` },
    }),
  )
  await expectDone(admin('POST /workflow-item', { body: { entityId: seen.post, workflowId: invisible.workflow } }))
}

/** A post visible through the team of its campaign. */
async function shareWithEurope({ admin }: TestService, { message, credential }: Things) {
  const made = await expectDone(admin('POST /campaign', { body: { name: 'Shared' } }))
  const campaignId: string = made.json.Campaign.Id
  await expectDone(admin(`POST /team-entity/${campaignId}`, { body: { teamIds: europe } }))
  const planned = { messageId: message, credentialIds: credential, startDateTime }
  const { json } = await expectDone(admin('POST /post', { body: planned }))
  await expectDone(admin(`POST /post/${json.Post.Id}/change-campaign`, { body: { campaignId } }))
}

async function expectDone(answering: ReturnType<Caller>) {
  const answer = await answering
  if (answer.status !== 200) throw new Error(answer.text)
  return answer
}
