import { readKeyring } from '#kernel/secrets/keyring.ts'
import { placeAdvocacy } from '../support/advocacy.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { placeReply } from '../support/inbox.ts'
import { demoAccount, type TestService, testKeys } from '../support/service.ts'
import {
  demoBoard,
  demoConversation,
  type Example,
  type ExampleMaker,
  exportDraft,
  newAdvocate,
  newCampaign,
  newCannedResponse,
  newConversation,
  newDashboard,
  newExport,
  newIntegration,
  newLead,
  newMedia,
  newPost,
  newPostlog,
  newStream,
  newTeam,
  newUser,
  newWebhook,
  newWidget,
  newWorkflow,
  newWorkflowItem,
  widget,
} from './examples.ts'

/** Examples for the console's own operations; called by a publisher where the role allows it. */
const appExamples: Record<string, ExampleMaker> = {
  'POST /app/api/session': async (service) => ({ body: await withPassword(service) }),
  'GET /app/api/session': () => ({}),
  'DELETE /app/api/session': () => ({}),
  'GET /app/api/sessions': () => ({}),
  'DELETE /app/api/sessions': () => ({}),
  'DELETE /app/api/session/{id}': async ({ databaseUrl }) => ({
    id: await newSessionOf(databaseUrl, demoAccount, '00Ademo00000002'),
  }),
  'POST /app/api/password': async (service) => {
    const { password } = await withPassword(service)
    return { body: { present: password, password } }
  },
  'POST /app/api/password-reset': () => ({ body: { email: `nobody${numbered++}@example.com` } }),
  'POST /app/api/password-reset/preview': async (service) => ({
    body: { token: await newLinkToken(service, 'reset') },
  }),
  'POST /app/api/password-reset/choice': async (service) => ({
    body: { token: await newLinkToken(service, 'reset'), password: 'another long password' },
  }),
  'POST /app/api/invitation': () => ({ body: { email: newUser().email, role: 'read' } }),
  'POST /app/api/invitation/choice': async (service) => ({
    body: { token: await newLinkToken(service, 'invitation'), password: 'another long password' },
  }),
  'GET /app/api/network-use': () => ({}),
  'GET /app/api/network-setup': () => ({}),
  'POST /app/api/network-setup/{network}/check': () => ({ id: 'LinkedIn', shared: true }),
  'GET /app/api/conversation': () => ({ body: { view: 'open', unread: 1 } }),
  'GET /app/api/conversation/{id}': () => ({ id: demoConversation }),
  'GET /app/api/conversation/{id}/of-person': () => ({ id: demoConversation }),
  'GET /app/api/conversation/{id}/timeline': () => ({ id: demoConversation }),
  'POST /app/api/conversation/{id}/read': () => ({ id: demoConversation }),
  'POST /app/api/conversation/{id}/unread': () => ({ id: demoConversation }),
  'POST /app/api/inbox/open': () => ({}),
  'POST /app/api/inbox/read': () => ({}),
  'GET /app/api/inbox/views': () => ({}),
  'POST /app/api/inbox/views': () => ({ body: { name: 'Example', filters: { networks: ['X'] } } }),
  'PUT /app/api/inbox/views': async (service) => ({ body: { ids: [await newView(service)] } }),
  'POST /app/api/inbox/views/{id}': async (service) => ({ id: await newView(service), body: { name: 'Renamed' } }),
  'DELETE /app/api/inbox/views/{id}': async (service) => ({ id: await newView(service) }),
  'GET /app/api/invitation': () => ({}),
  'POST /app/api/invitation/{id}/send': async (service) => ({ id: await newGuest(service) }),
  'POST /app/api/invitation/{id}/link': async (service) => ({ id: await newGuest(service) }),
  'DELETE /app/api/invitation/{id}': async (service) => ({ id: await newGuest(service) }),
  'GET /app/api/user': () => ({ body: { q: 'a' } }),
  'POST /app/api/me': () => ({ body: { timezone: 'Europe/Madrid' } }),
  'GET /app/api/account': () => ({}),
  'POST /app/api/account': () => ({ body: { name: 'Northwind Outdoor' } }),
  'GET /app/api/team': () => ({}),
  'GET /app/api/team/{id}/entity': () => ({ id: '025demo00000001' }),
  'POST /app/api/user/{id}/media-library': () => ({ id: '00Ademo00000002', body: { mediaLibrary: 1 } }),
  'GET /app/api/user/{id}/consequences': () => ({ id: '00Ademo00000002' }),
  'GET /app/api/user/{id}/role': () => ({ id: '00Ademo00000002' }),
  'GET /app/api/api-key': () => ({}),
  'POST /app/api/api-key': () => ({ body: { name: 'Example' } }),
  'DELETE /app/api/api-key/{id}': async ({ databaseUrl }) => ({ id: await newKeyOf(databaseUrl, demoAccount) }),
  'GET /app/api/network': () => ({}),
  'GET /app/api/connect-offer/{id}': async ({ databaseUrl }) => ({ id: await newOffer(databaseUrl, demoAccount) }),
  'POST /app/api/connect-offer/{id}': async ({ databaseUrl }) => ({
    id: await newOffer(databaseUrl, demoAccount),
    body: { remoteIds: [] },
  }),
  'GET /app/api/credential-health': () => ({}),
  'GET /app/api/credential/{id}/health': () => ({ id: companyPage }),
  'GET /app/api/media-folder': () => ({}),
  'GET /app/api/media': () => ({ body: { unused: 1 } }),
  'POST /app/api/media/{id}': async (service) => ({ id: await newMedia(service), body: { name: 'Renamed' } }),
  'GET /app/api/media/{id}/uses': async (service) => ({ id: await newMedia(service) }),
  'GET /app/api/campaign': () => ({ body: { statuses: 'active,paused' } }),
  'POST /app/api/campaign/{id}': async (service) => ({ id: await newCampaign(service), body: { color: '#2456D6' } }),
  'GET /app/api/campaign/{id}/consequences': async (service) => ({ id: await newCampaign(service) }),
  'GET /app/api/workflow-item': () => ({ body: { view: 'waiting' } }),
  'GET /app/api/workflow-item/{id}': async (service) => ({ id: await newWorkflowItem(service) }),
  'GET /app/api/workflow-item/{id}/changes': async (service) => ({ id: await newWorkflowItem(service) }),
  'POST /app/api/workflow-item/{id}/remind': async (service) => ({ id: await newWorkflowItem(service) }),
  'POST /app/api/workflow-items': async (service) => ({
    body: { items: [{ id: await newWorkflowItem(service) }], isApprove: 1 },
  }),
  'GET /app/api/saved-view': () => ({ body: { screen: 'calendar' } }),
  'POST /app/api/saved-view': () => ({ body: { screen: 'campaigns', name: 'Example', search: 'status=paused' } }),
  'DELETE /app/api/saved-view/{id}': async (service) => ({ id: await newSavedView(service) }),
  'GET /app/api/draft': () => ({}),
  'GET /app/api/draft/{id}': async (service) => ({ id: await newDraft(service) }),
  'PUT /app/api/draft/{id}': () => ({ id: `example-${numbered++}`, body: { content: 'Hello' }, chosen: true }),
  'DELETE /app/api/draft/{id}': async (service) => ({ id: await newDraft(service) }),
  'GET /app/api/overview': () => ({}),
  'POST /app/api/calendar': () => ({ body: { from: 1_898_000_000, until: 1_903_000_000 } }),
  'GET /app/api/calendar-key': () => ({}),
  'POST /app/api/calendar-key': () => ({}),
  'DELETE /app/api/calendar-key': () => ({}),
  'POST /app/api/compose': async (service) => ({
    body: {
      campaignId: await newCampaign(service),
      startDateTime: 1_900_000_000,
      parts: [{ network: 'LinkedIn', message: 'Example', credentialIds: [companyPage] }],
    },
  }),
  // Matches the reference data.
  'POST /app/api/post/similar': () => ({
    body: { message: 'seen', credentialIds: ['003-1-seen'], startDateTime: 1_900_000_000 },
  }),
  'POST /app/api/posts': async (service) => ({
    body: { action: 'move', items: [{ id: await newPost(service), startDateTime: 1_900_000_000 }] },
  }),
  'GET /app/api/post/{id}/history': async (service) => ({ id: await newPost(service) }),
  'GET /app/api/credential/{id}/free-slots': () => ({ id: companyPage }),
  'GET /app/api/link-preview': ({ pictureUrl }) => ({ body: { url: pictureUrl || 'https://93.184.216.34/' } }),
  'GET /app/api/audit': () => ({ body: { via: 'key', _count: 25 } }),
  'GET /app/api/restricted-entity': () => ({}),
  'DELETE /app/api/restricted-entity/{entityId}': async (service) => ({ id: await newRestricted(service) }),
  'POST /app/api/user/{id}/role': async ({ admin }) => ({
    id: (await admin('POST /user', { body: newUser() })).json.User.Id,
    body: { role: 'contributor' },
  }),
  'POST /app/api/media': () => ({ body: { name: 'example.png', size: 10 } }),
  'GET /app/api/media/{id}': async ({ publisher }) => ({
    id: (await publisher('POST /app/api/media', { body: { name: 'example.png', size: 10 } })).json.Upload.Id,
  }),
  'GET /app/api/dashboard/{id}': async (service) => ({ id: await newDashboard(service) }),
  'GET /app/api/dashboard/{dashboardId}/report': async (service) => {
    const id = await newDashboard(service)
    return { id, body: { id: await newWidget(service, id) } }
  },
  'POST /app/api/dashboard': () => ({ body: { name: 'Example' } }),
  'PUT /app/api/dashboard/{id}': async (service) => ({ id: await newDashboard(service), body: { name: 'Renamed' } }),
  'DELETE /app/api/dashboard/{id}': async (service) => ({ id: await newDashboard(service) }),
  'POST /app/api/dashboard/{id}/copy': async (service) => ({ id: await newDashboard(service) }),
  'POST /app/api/dashboard/{id}/favorite': async (service) => ({
    id: await newDashboard(service),
    body: { isFavorite: 1 },
  }),
  'POST /app/api/dashboard/{id}/widget': async (service) => ({ id: await newDashboard(service), body: widget }),
  'PUT /app/api/widget/{id}': async (service) => ({
    id: await newWidget(service, await newDashboard(service)),
    body: { name: 'Renamed' },
  }),
  'DELETE /app/api/widget/{id}': async (service) => ({ id: await newWidget(service, await newDashboard(service)) }),
  'POST /app/api/report': () => ({ body: { source: 'click', measures: ['clicks'], dimension: 'campaign' } }),
  'GET /app/api/report/catalogue': () => ({}),
  'GET /app/api/post/late': () => ({}),
  'POST /app/api/post/{id}/repair': async (service) => ({ id: await newLatePost(service), body: { action: 'drop' } }),
  'POST /app/api/postlog/{id}/repair': async (service) => ({
    id: await newFailure(service),
    body: { action: 'mark-sent' },
  }),
  'POST /app/api/credential/{id}/targeting-presets': () => ({ id: companyPage, body: { name: 'Example' } }),
  'PUT /app/api/targeting-preset/{id}': async (service) => ({
    id: await newPreset(service),
    body: { name: 'Renamed' },
  }),
  'DELETE /app/api/targeting-preset/{id}': async (service) => ({ id: await newPreset(service) }),
  'POST /app/api/link/{id}/disable': async (service) => ({ id: await newLink(service) }),
  'POST /app/api/link/{id}/enable': async (service) => {
    const id = await newLink(service)
    await service.admin(`POST /app/api/link/${id}/disable`)
    return { id }
  },
  'GET /app/api/link/{id}/changes': () => ({ id: '008demo00000002' }),
  'GET /app/api/link/{id}/clicks': () => ({ id: '008demo00000002' }),
  'GET /app/api/stream/{id}/items': async (service) => ({ id: await newStream(service) }),
  'GET /app/api/link-settings': () => ({}),
  'POST /app/api/link-settings': () => ({ body: { utmTerm: 'example' } }),
  'GET /app/api/campaign/{id}/link-settings': async (service) => ({ id: await newCampaign(service) }),
  'POST /app/api/campaign/{id}/link-settings': async (service) => ({
    id: await newCampaign(service),
    body: { utmTerm: 'example' },
  }),
  'GET /app/api/conversion-tag/{id}': async (service) => ({ id: await newConversionTag(service) }),
  'POST /app/api/conversion-tag': () => ({ body: { tag: 'Example' } }),
  'PUT /app/api/conversion-tag/{id}': async (service) => ({
    id: await newConversionTag(service),
    body: { tag: 'Renamed' },
  }),
  'DELETE /app/api/conversion-tag/{id}': async (service) => ({ id: await newConversionTag(service) }),
  'GET /app/api/credential/{id}/queue-slots': () => ({ id: companyPage }),
  'PUT /app/api/credential/{id}/queue-slots': () => ({
    id: companyPage,
    body: { slots: [{ weekday: 1, time: '09:00' }] },
  }),
  'GET /app/api/workflow': () => ({}),
  'POST /app/api/workflow': () => ({ body: { name: 'Example', steps: [{ name: 'Check' }] } }),
  'PUT /app/api/workflow/{id}': async (service) => ({
    id: (await newWorkflow(service)).Id,
    body: { steps: [{ name: 'Check again' }] },
  }),
  'DELETE /app/api/workflow/{id}': async (service) => ({ id: (await newWorkflow(service)).Id }),
  'POST /app/api/boards': () => ({ body: { name: 'Example' } }),
  'GET /app/api/boards/{id}': () => ({ id: demoBoard }),
  'POST /app/api/boards/{id}': async (service) => ({ id: await newBoard(service), body: { seats: 10 } }),
  'GET /app/api/board': () => ({}),
  'GET /app/api/board/{boardId}/advocate': async (service) => ({ id: await newManagedBoard(service) }),
  'POST /app/api/board/invitation': async (service) => ({
    body: { token: await newLinkToken(service, 'invitation'), password: 'another long password' },
  }),
  'POST /app/api/board/entry-link': () => ({
    body: { email: `nobody${numbered++}@example.com`, slug: 'northwind-people' },
  }),
  'POST /app/api/board/entry': async (service) => {
    const boardId = await newBoard(service, { needsPassword: 0 })
    return { body: { token: await newLinkToken(service, 'board', await newAdvocate(service, boardId)) } }
  },
  'POST /app/api/board/sign-up': () => ({
    body: { email: `nobody${numbered++}@example.com`, slug: 'store-staff', firstName: 'Example', lastName: 'Guest' },
  }),
  'GET /app/api/boards/{boardId}/sign-up': () => ({ id: demoBoard }),
  'GET /app/api/board/{boardId}/sign-up': async (service) => ({ id: await newManagedBoard(service) }),
  'POST /app/api/lead': () => ({ body: { email: newUser().email } }),
  'GET /app/api/lead/{id}/export': async (service) => ({ id: await newLead(service) }),
  'GET /app/api/integration-types': () => ({}),
  'GET /app/api/integration/{id}': async (service) => ({ id: await newIntegration(service) }),
  'PUT /app/api/integration/{id}/settings': async (service) => ({
    id: await newIntegration(service),
    body: { accessToken: 'example', baseUrl: 'http://93.184.216.34' },
  }),
  'POST /app/api/presence': async (service) => ({ body: { id: await newPost(service), doing: 'viewing' } }),
  'GET /app/api/board/{id}/story': async (service) => ({ id: (await onBoard(service)).boardId }),
  'POST /app/api/board/{id}/offer': async (service) => {
    const { boardId, storyId } = await onBoard(service)
    return { id: boardId, body: { storyId, network: 'LinkedIn' } }
  },
  'POST /app/api/board/{id}/share': async (service) => {
    const { boardId, storyId, credentialId } = await onBoard(service)
    return { id: boardId, body: { storyId, credentialIds: credentialId, startDateTime: 1_900_000_000 } }
  },
  'GET /app/api/board/{id}/share': async (service) => ({ id: (await onBoard(service)).boardId }),
  'DELETE /app/api/board-share/{id}': async (service) => {
    const { boardId, storyId, credentialId } = await onBoard(service)
    const body = { storyId, credentialIds: credentialId, startDateTime: 1_900_000_000 }
    const { json } = await service.publisher(`POST /app/api/board/${boardId}/share`, { body })
    return { id: json.Items[0].Id }
  },
  'GET /app/api/board-profile': () => ({}),
  'DELETE /app/api/board-profile/{id}': async (service) => ({ id: (await onBoard(service)).credentialId }),
  'GET /app/api/board/{id}/leaderboard': async (service) => ({ id: (await onBoard(service)).boardId }),
  'GET /app/api/board/{id}/settings': async (service) => ({ id: (await onBoard(service)).boardId }),
  'POST /app/api/board/{id}/settings': async (service) => ({
    id: (await onBoard(service)).boardId,
    body: { wantsDigest: 0 },
  }),
  'GET /app/api/board/{id}/topic': async (service) => ({ id: (await onBoard(service)).boardId }),
  'POST /app/api/board/{id}/topic': async (service) => {
    const { boardId, topicId } = await onBoard(service)
    return { id: boardId, body: { topicIds: topicId } }
  },
  'GET /app/api/exports': () => ({}),
  'POST /app/api/exports': () => ({ body: exportDraft() }),
  'GET /app/api/exports/{id}': async (service) => ({ id: await newExport(service) }),
  'PUT /app/api/exports/{id}': async (service) => ({ id: await newExport(service), body: { hour: 9 } }),
  'DELETE /app/api/exports/{id}': async (service) => ({ id: await newExport(service) }),
  'POST /app/api/exports/{id}/run': async (service) => ({ id: await newExport(service) }),
  'GET /app/api/exports/{id}/runs': async (service) => ({ id: await newExport(service) }),
  'POST /app/api/webhook/{id}/test': async (service) => ({ id: await newWebhook(service) }),
  'POST /app/api/webhook/{id}/resend-failed': async (service) => ({
    id: await newWebhook(service),
    body: { since: '2026-01-01 00:00:00' },
  }),
  'POST /app/api/webhook/{id}/rotate-secret': async (service) => ({ id: await newWebhook(service) }),
  'POST /app/api/webhook-payload/{id}/resend': async (service) => ({
    id: await newPayload(service, demoAccount, await newWebhook(service)),
  }),
  'POST /app/api/conversations': async (service) => ({
    body: { ids: [await newConversation(service)], action: 'assign', assigneeId: '00Ademo00000002', tags: ['Example'] },
  }),
  'POST /app/api/conversation/{id}/reply': async (service) => ({
    id: await newConversation(service),
    body: { message: 'Thank you.' },
  }),
  'GET /app/api/conversation/{id}/reply': async (service) => ({ id: await newConversation(service) }),
  'POST /app/api/reply/{id}/repair': async (service) => ({
    id: await newFailedReply(service),
    body: { action: 'drop' },
  }),
  'PUT /app/api/canned-response/{id}': async (service) => ({
    id: await newCannedResponse(service),
    body: { content: 'Later.' },
  }),
  'DELETE /app/api/canned-response/{id}': async (service) => ({ id: await newCannedResponse(service) }),
}

export async function appExampleOf(route: string, service: TestService): Promise<Example> {
  const example = appExamples[route]
  if (!example) throw new Error(`tests/contract/app-examples.ts has no example for ${route}.`)
  return example(service)
}

/** Gives the demo's publisher a password. */
const withPassword = async ({ admin }: TestService) => {
  const password = 'a password of the tests'
  await admin('POST /user/00Ademo00000002', { body: { password } })
  return { email: 'pablo.reyes@example.com', password }
}

/** Invited an hour ago. */
const newGuest = async ({ admin, databaseUrl }: TestService): Promise<string> => {
  const { json } = await admin('POST /app/api/invitation', { body: { email: newUser().email, role: 'read' } })
  await ownerQuery(databaseUrl, `update users set invited = invited - interval '1 hour' where id = $1`, [json.User.Id])
  return json.User.Id
}

/** An API key of the demo's publisher, or of the other account's admin. */
export const newKeyOf = async (databaseUrl: string, account: string): Promise<string> => {
  const id = nextId('key')
  const user = account === demoAccount ? '00Ademo00000002' : '00Ademo00000005'
  await ownerQuery(
    databaseUrl,
    `insert into api_keys (account_id, id, user_id, created, name, digest) values ($1, $2, $3, now(), 'Example', sha256($2::text::bytea))`,
    [account, id, user],
  )
  return id
}

/** Inserted as a row: only a login at a network creates one. It gives access to no profile here. */
export const newOffer = async (databaseUrl: string, account: string): Promise<string> => {
  const id = nextId('0co')
  const user = account === demoAccount ? '00Ademo00000001' : '00Ademo00000005'
  const grants = readKeyring(testKeys).encrypt('[]', `connect offer/${account}/${id}`)
  await ownerQuery(
    databaseUrl,
    `insert into connect_offers (account_id, id, created, created_by, network, grants) values ($1, $2, now(), $3, 'LinkedIn', $4)`,
    [account, id, user, grants],
  )
  return id
}

/** A session of a different user each time, since sessions are only created by signing in. */
export const newSessionOf = async (databaseUrl: string, account: string, user: string): Promise<string> => {
  const id = nextId('0ss')
  await ownerQuery(
    databaseUrl,
    `insert into sessions (account_id, id, user_id, created, last_used, ends, address, agent, digest)
    values ($1, $2, $3, now(), now(), now() + interval '1 day', '', '', sha256($2::text::bytea))`,
    [account, id, user],
  )
  return id
}

/** Inserted as a row: the token is sent by email only. */
const newLinkToken = async ({ admin, databaseUrl }: TestService, purpose: string, user?: string): Promise<string> => {
  const Id = user ?? (await admin('POST /user', { body: newUser() })).json.User.Id
  const secret = String(numbered++).padStart(43, 'x')
  await ownerQuery(
    databaseUrl,
    `insert into sign_in_links (account_id, user_id, purpose, created, ends, digest)
    values ($1, $2, $3, now(), now() + interval '1 hour', sha256($4::text::bytea))`,
    [demoAccount, Id, purpose, secret],
  )
  return `${demoAccount}.${secret}`
}

/** A board that the publisher manages as a member, with a story to share and a profile of their own. */
const onBoard = async ({ url, databaseUrl }: TestService) => {
  const place = placeAdvocacy({ url, databaseUrl, account: demoAccount, keys: testKeys, control: async () => ({}) })
  const user = '00Ademo00000002'
  const boardId = await place.board()
  await place.advocate(boardId, { role: 'manager', user })
  const topicId = await place.topic(boardId, 'Example')
  const storyId = await place.story(boardId, {
    topicIds: [topicId],
    network: 'LinkedIn',
    variants: ['Example'],
    // Independent of the service's clock.
    published: new Date(1_700_000_000_000),
    expires: new Date(1_950_000_000_000),
  })
  const credentialId = `003-1-own${numbered++}`
  await ownerQuery(
    databaseUrl,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status, board_only)
    values ($1, $2, now(), now(), $3, 'LinkedIn', $2, 'member', 'Own', 'own', '', 'valid', true)`,
    [demoAccount, credentialId, user],
  )
  return { boardId, topicId, storyId, credentialId }
}

const newBoard = async ({ admin }: TestService, settings: object = {}): Promise<string> =>
  (await admin('POST /app/api/boards', { body: { name: 'Example', ...settings } })).json.Board.Id

/** A board managed by the demo's publisher. */
const newManagedBoard = async (service: TestService): Promise<string> => {
  const id = await newBoard(service, { defaultRole: 'manager' })
  const publisher = { email: 'pablo.reyes@example.com', firstName: 'Pablo', lastName: 'Reyes' }
  await service.admin('POST /advocate', { body: { boardId: id, ...publisher } })
  await ownerQuery(service.databaseUrl, 'update board_members set accepted = now() where board_id = $1', [id])
  return id
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
  (await admin(`POST /app/api/credential/${companyPage}/targeting-presets`, { body: { name: 'Example' } })).json
    .TargetingPreset.Id

/** A draft of the publisher. */
async function newDraft({ publisher }: TestService): Promise<string> {
  const id = `draft-${numbered++}`
  await publisher(`PUT /app/api/draft/${id}`, { body: { content: 'Hello' } })
  return id
}

const newSavedView = async ({ publisher }: TestService): Promise<string> =>
  (
    await publisher('POST /app/api/saved-view', {
      body: { screen: 'calendar', name: `Example ${numbered++}`, search: '' },
    })
  ).json.View.Id

const newView = async ({ publisher }: TestService): Promise<string> =>
  (await publisher('POST /app/api/inbox/views', { body: { name: 'Example' } })).json.View.Id

const newConversionTag = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /app/api/conversion-tag', { body: { tag: 'Example' } })).json.ConversionTag.Id

/** Inserted as a row: links are created at publishing time. */
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

/** A delivered webhook payload. */
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

/** A reply that was not delivered, independent of running workers. */
async function newFailedReply(service: TestService): Promise<string> {
  return placeReply(service.databaseUrl, demoAccount, await newConversation(service))
}
