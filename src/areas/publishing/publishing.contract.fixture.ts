import type { AreaContract, Entities } from '../../../tests/contract/area-contract.ts'
import { type Place, startDateTime } from '../../../tests/contract/area-contract.ts'
import { demoCompanyPage, demoPage, demoPublisher, serial } from '../../../tests/contract/examples.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import type { TestService } from '../../../tests/support/service.ts'
import { newMedia } from '../media/media.contract.fixture.ts'

/** The demo publisher's team. */
const europe = '025demo00000001'

export const contract: AreaContract = {
  examples: {
    'POST /calendar': () => ({ body: { fromDate: '2030-03-01', toDate: '2030-04-15' } }),
    'GET /calendar/custom-events': () => ({}),
    'POST /calendar/custom-events': () => ({ body: { title: 'Example', startDate: 1_800_000_000 } }),
    'PUT /calendar/custom-events': async (service) => ({ body: { id: await newEvent(service), title: 'Changed' } }),
    'DELETE /calendar/custom-events': async (service) => ({ body: { id: await newEvent(service) } }),
    'GET /tag': () => ({}),
    'GET /tag/{id}': () => ({ id: '0AFdemo00000001' }),
    'POST /tag': () => ({ body: { tag: `Example ${serial()}` } }),
    'POST /tag/{id}': async (service) => ({ id: await newTag(service), body: { tag: `Renamed ${serial()}` } }),
    'DELETE /tag/{id}': async (service) => ({ id: await newTag(service) }),
    'GET /campaign/{id}': () => ({ id: '002demo00000001' }),
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
    'GET /app/api/credential-health': () => ({}),
    'GET /app/api/credential/{id}/health': () => ({ id: demoCompanyPage }),
    'GET /app/api/media/{id}/uses': async (service) => ({ id: await newMedia(service) }),
    'GET /app/api/campaign': () => ({ body: { statuses: 'active,paused' } }),
    'POST /app/api/campaign/{id}': async (service) => ({ id: await newCampaign(service), body: { color: '#2456D6' } }),
    'GET /app/api/campaign/{id}/consequences': async (service) => ({ id: await newCampaign(service) }),
    'POST /app/api/calendar': () => ({ body: { from: 1_898_000_000, until: 1_903_000_000 } }),
    'GET /app/api/calendar-key': () => ({}),
    'POST /app/api/calendar-key': () => ({}),
    'DELETE /app/api/calendar-key': () => ({}),
    'POST /app/api/compose': async (service) => ({
      body: {
        campaignId: await newCampaign(service),
        startDateTime: 1_900_000_000,
        parts: [{ network: 'LinkedIn', message: 'Example', credentialIds: [demoCompanyPage] }],
      },
    }),
    'POST /app/api/post/similar': () => ({
      body: { message: 'seen', credentialIds: ['003-1-seen'], startDateTime: 1_900_000_000 },
    }),
    'POST /app/api/posts': async (service) => ({
      body: { action: 'move', items: [{ id: await newPost(service), startDateTime: 1_900_000_000 }] },
    }),
    'GET /app/api/post/{id}/history': async (service) => ({ id: await newPost(service) }),
    'GET /app/api/credential/{id}/free-slots': () => ({ id: demoCompanyPage }),
    'GET /app/api/post/late': () => ({}),
    'POST /app/api/post/{id}/repair': async (service) => ({ id: await newLatePost(service), body: { action: 'drop' } }),
    'POST /app/api/postlog/{id}/repair': async (service) => ({
      id: await newFailure(service),
      body: { action: 'mark-sent' },
    }),
    'GET /app/api/credential/{id}/queue-slots': () => ({ id: demoCompanyPage }),
    'PUT /app/api/credential/{id}/queue-slots': () => ({
      id: demoCompanyPage,
      body: { slots: [{ weekday: 1, time: '09:00' }] },
    }),
  },
  audit: {
    'POST /app/api/calendar-key': { entity: demoPublisher },
    'DELETE /app/api/calendar-key': { entity: demoPublisher },
    'POST /app/api/compose': { entity: ({ answer }) => answer.json.Items[0].Post.Id },
    'POST /app/api/posts': { entity: ({ answer }) => answer.json.Items[0].Id },
  },
  entities: {
    tag: ({ made, name }) => made('POST /tag', { tag: name }, 'Tag'),
    campaign: async ({ made, name, entity }) =>
      made('POST /campaign', { name, tagIds: await entity('tag') }, 'Campaign'),
    message: newMessageOf,
    post: async ({ made, entity }) =>
      made(
        'POST /post',
        { messageId: await entity('message'), credentialIds: await entity('credential'), startDateTime },
        'Post',
      ),
    // Inserted as a row: only networks create entries.
    postlog: async ({ query, name, entity }) => {
      const id = `007${name}`.padEnd(15, '0')
      await query(postlogOf, [id, await entity('post')])
      return id
    },
    customEvent: async ({ made, name, entity }) =>
      made(
        'POST /calendar/custom-events',
        { title: name, startDate: 1_800_000_000, campaignIds: await entity('campaign') },
        'Item',
      ),
  },
  scopedKinds: ['campaign', 'message', 'post', 'postlog', 'customEvent'],
  scopes: ['campaign'],
  bridge: async (service, seen, invisible) => {
    await newMovedPost(service, seen, invisible)
    await service.admin('POST /calendar/custom-events', {
      body: { title: 'Both', startDate: 1_800_000_000, campaignIds: `${seen.campaign},${invisible.campaign}` },
    })
    // A post visible through the team of its campaign.
    const shared = await newCampaign(service)
    await service.admin(`POST /team-entity/${shared}`, { body: { teamIds: europe } })
    await newMovedPost(service, { campaign: shared }, seen)
  },
  causes: {
    postCreated: { campaign: ({ planned, restricted }) => planned(restricted.campaign) },
    postModified: {
      campaign: async ({ service, planned, restricted, open }) => {
        const id = await planned(restricted.campaign)
        await service.admin(`POST /post/${id}/change-campaign`, { body: { campaignId: open.campaign } })
        return id
      },
    },
    postDeleted: {
      campaign: async ({ service, planned, restricted }) => {
        const id = await planned(restricted.campaign)
        await service.admin(`DELETE /post/${id}`)
        return id
      },
    },
    postSent: { campaign: async ({ post }) => post.id },
    newCampaign: {
      campaign: async ({ made, unique, restrict }) => {
        const id = await made('POST /campaign', { name: unique('Restricted afterwards') }, 'Campaign')
        await restrict(id)
        return id
      },
    },
  },
  listPlans: {
    rows: ({ each }) => [
      `insert into tags (account_id, id, created, modified, created_by, tag)
      select account_id, '0AFb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tag ' || (n * 7919 % 10000) from ${each}`,
      `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
      select account_id, '002b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', 'Campaign ' || (n * 7919 % 10000), case n % 50 when 0 then 'paused' else 'active' end, '#000000' from ${each}`,
      `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message)
      select account_id, '005b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', '002b' || lpad((n % 100 + 1)::text, 11, '0'), case n % 5 when 0 then 'Twitter' else 'LinkedIn' end, 'status-update', 'Text' from ${each}`,
      `insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
      select account_id, '004b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now() - n * interval '1 second', '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), '', case n % 50 when 0 then 'error' when 1 then 'pending' else 'complete' end, 'Approved', case n % 50 when 0 then 'Board' else 'API' end, false, '002b' || lpad((n % 100 + 1)::text, 11, '0'), '005b' || lpad((n % 1000 + 1)::text, 11, '0'), 'LinkedIn', now() - n * interval '1 hour', '{003-9-7}' from ${each}`,
      `insert into post_counts (account_id, campaign_id, created_by, source, status, posts)
      select account_id, campaign_id, created_by, source, status, count(*) from posts group by 1, 2, 3, 4, 5 on conflict do nothing`,
      `insert into first_comments (account_id, id, post_id, text)
      select account_id, '0fcb' || right(id, 11), id, 'First' from posts where id like '004b%'`,
      `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status)
      select account_id, '007b' || right(id, 11), now(), now(), id, campaign_id, message_id, '003-9-7', network, 'success' from posts where id like '004b%'`,
      `insert into message_media (account_id, message_id, position, media_id)
      select account_id, id, 0, '026b' || right(id, 11) from messages where id like '005b%'`,
      `insert into entity_tags (account_id, entity_id, tag_id)
      select account_id, case n % 2 when 0 then '002b' else '005b' end || lpad(n::text, 11, '0'), '0AFb' || lpad((n % 100 + 1)::text, 11, '0') from ${each}`,
      `insert into custom_events (account_id, id, created, modified, created_by, title, start_date_time, end_date_time)
      select account_id, '0CEb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now() - n * interval '1 second', '', 'Event', now() - n * interval '1 hour', now() - (n - 1) * interval '1 hour' from ${each}`,
      `insert into custom_event_campaigns (account_id, event_id, campaign_id)
      select account_id, '0CEb' || lpad(n::text, 11, '0'), '002b' || lpad(n::text, 11, '0') from ${each}`,
      `insert into sends (account_id, content_id, credential_id, kind, group_id, network, state, planned)
      select account_id, id, '003-9-7', 'first-comment', campaign_id, network, 'sent', start_date_time from posts where id like '004b%'`,
    ],
    lists: (orders) => ({
      '/app/api/post/late': [''],
      'POST /calendar': [
        {},
        { campaigns: ['002b00000000007'] },
        { credentials: ['003-9-7'] },
        { messages: ['005b00000000007'] },
        { postSources: ['Board'] },
        { statuses: ['error'] },
        { users: ['00Ab00000000007'] },
        { networks: ['X'] },
        { campaignTags: ['0AFb00000000007'] },
        { messageTags: ['0AFb00000000007'] },
        { teams: ['025b00000000007'] },
        { hasFirstComment: true },
        { hasFirstComment: false },
        { promotion: ['organic'] },
        { showArchived: true },
        {
          campaigns: ['002b00000000007'],
          statuses: ['complete'],
          messageTags: ['0AFb00000000007'],
          hasFirstComment: true,
        },
      ].map(calendar),
      'POST /app/api/calendar': [
        'from=1790000000&until=1795000000',
        'from=1790000000&until=1795000000&find=words',
        `from=1790000000&until=1795000000&filters=${encodeURIComponent('{"statuses":["error"]}')}`,
        `from=1790000000&until=1795000000&filters=${encodeURIComponent('{"tags":["0AFb00000000007"],"teams":["025b00000000007"]}')}`,
      ],
      'POST /app/api/post/similar': ['message=words&credentialIds=003-9-7'],
      '/app/api/post/004b00000000007/history': [''],
      '/app/api/credential/003-9-7/free-slots': [''],
      '/calendar/custom-events': [
        '',
        '_page=50',
        'before=1700000000',
        ...orders('created', 'modified', 'startDateTime'),
      ],
      '/tag': ['', '_page=50', 'q=tag1', ...orders('tag', 'created', 'lastUsed')],
      '/app/api/campaign': [
        '',
        '_page=2',
        'q=campaign1',
        'statuses=paused',
        'statuses=active,paused',
        'tagIds=0AFb00000000007',
        'teamIds=025b00000000007',
        ...orders('created', 'name', 'status'),
      ],
      '/campaign': ['', '_page=50', 'q=campaign1', 'status=paused', ...orders('created', 'name', 'status')],
      '/message': [
        'campaignId=002b00000000007',
        'campaignId=002b00000000007&network=x',
        'ids=005b00000000007,005b00000000008',
      ],
      '/post': [
        '',
        '_page=50',
        '_count=100',
        'withPostlogs=1',
        'messageId=005b00000000007',
        'campaignId=002b00000000007',
        ...['pending', 'complete', 'error'].map((status) => `status=${status}`),
        'createdBy=00Ab00000000007',
        'source=API',
        'source=Board',
        'status=error&campaignId=002b00000000007',
        ...orders('created', 'modified', 'startDateTime').flatMap((order) => [
          order,
          `${order}&after=2026-01-01 00:00:00&before=2026-10-01 00:00:00`,
          ...['campaignId=002b00000000007', 'messageId=005b00000000007', 'status=pending', 'source=Board'].map(
            (filter) => `${order}&${filter}`,
          ),
          `${order}&createdBy=00Ab00000000007`,
        ]),
      ],
      '/app/api/media/026b00000000007/uses': [''],
      '/app/api/credential-health': [''],
      '/app/api/credential/003-9-7/health': [''],
      '/app/api/campaign/002b00000000007/consequences': [''],
    }),
    sorted: [
      // The few posts that are late.
      '(select content_id from sends',
      'from "tags"',
      '"post_id" in ',
      // Rows of one message or one user: an index for each order would slow down every write.
      '"message_id" = ',
      '"created_by" = ',
      '"end_date_time" >= ',
      '"campaign_id" in (select',
      // The calendar’s filters leave a few of the posts of some weeks.
      'campaigns.id = posts.campaign_id',
      // The few posts of messages with the same text.
      'm.words = ',
    ],
  },
  notified: [
    { kind: 'post', table: 'posts', unseen: [] },
    // `ending`: whether the end of the campaign is still to be processed.
    { kind: 'campaign', table: 'campaigns', unseen: ['ending', 'link_id'] },
    { kind: 'event', table: 'custom_events', unseen: [] },
  ],
}

const newEvent = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /calendar/custom-events', { body: { title: 'Example', startDate: 1_800_000_000 } })).json.Item.ID

const newTag = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /tag', { body: { tag: `Example ${serial()}` } })).json.Tag.Id

export const newCampaign = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /campaign', { body: { name: 'Example' } })).json.Campaign.Id

export const newMessage = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /message', { body: { network: 'LinkedIn', campaignId: '002demo00000001', message: 'Example' } }))
    .json.Message.Id

/** Another message of the place's campaign each time. */
export async function newMessageOf({ made, name, entity }: Place): Promise<string> {
  const campaignId = await entity('campaign')
  return made('POST /message', { network: 'LinkedIn', campaignId, message: name }, 'Message')
}

const post = () => ({ messageId: '005demo00000001', credentialIds: demoPage, startDateTime })

export const newPost = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /post', { body: post() })).json.Post.Id

/** A post of the invisible message and profile, moved to the visible campaign. */
export async function newMovedPost({ admin }: TestService, { campaign }: Entities, of: Entities): Promise<string> {
  const body = { messageId: of.message, credentialIds: of.credential, startDateTime }
  const { Id } = (await admin('POST /post', { body })).json.Post
  await admin(`POST /post/${Id}/change-campaign`, { body: { campaignId: campaign } })
  return Id
}

const postlogOf = `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status)
  select account_id, $1, now(), now(), id, campaign_id, message_id, credential_ids[1], network, 'success' from posts where id = $2`

/** Inserted as a row: only networks create entries. */
async function newPostlog(service: TestService): Promise<string> {
  const id = `007example${String(serial()).padStart(5, '0')}`
  await ownerQuery(service.databaseUrl, postlogOf, [id, await newPost(service)])
  return id
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

const calendar = (filters: object) =>
  `fromDate=2026-10-01&toDate=2026-11-30&filters=${encodeURIComponent(JSON.stringify(filters))}`
