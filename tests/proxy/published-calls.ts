import { endpoints } from '#main/registry.ts'
import { exampleFor, routeOf } from '../contract/operations.ts'
import type { TestService } from '../support/service.ts'

/** One call of a published client, with its parameters and, if not implied by the method, their location. */
export interface PublishedCall {
  /** A function if a call can be made only once: it is evaluated for each encoding. */
  route: string | (() => Promise<string>)
  values?: { readonly [name: string]: unknown }
  inQuery?: true
}

const campaign = '002demo00000001'
const board = 'brddemo00000001'
const twitter = '003-1-1500000000000000501'
const linkedIn = '003-1-2414183'
const period = { after: '2026-01-01 00:00:00', before: '2030-01-01 00:00:00' }

/** Calls of published clients beyond the examples: every parameter that they support, pages of a hundred, and parameters in unusual locations. */
export async function publishedCalls(service: TestService): Promise<PublishedCall[]> {
  const named = async (route: string) => {
    const endpoint = endpoints.find((one) => routeOf(one) === route)
    return (endpoint && (await exampleFor(endpoint, service)).id) ?? ''
  }
  const [post, postlog, lead, webhook, topic, campaignToChange, message] = await Promise.all([
    named('GET /post/{id}'),
    named('GET /postlog/{id}'),
    named('GET /lead/{id}'),
    named('GET /webhook/{id}'),
    named('POST /board-topic/{id}'),
    named('POST /campaign/{id}'),
    named('POST /message/{id}'),
  ])
  const pages = [
    'user',
    'team',
    'advocate',
    'board',
    'story',
    'board-topic',
    'webhook',
    'lead',
    'lead-activity',
    'campaign',
  ]
    .concat([
      'link',
      'media',
      'post',
      'tag',
      'upload',
      'dashboard',
      'conversation-tag',
      'canned-response',
      'integration',
    ])
    .map((list) => ({ route: `GET /${list}`, values: { _page: 0, _count: 100 } }))
  return [
    ...pages,
    {
      route: 'GET /click',
      values: {
        _page: 0,
        _count: 200,
        _order: 'created',
        convertsOnly: 1,
        campaignId: campaign,
        after: '2026-01-01T00:00:00',
        before: '2030-01-01T00:00:00',
      },
    },
    { route: 'GET /message', values: { campaignId: campaign, withTags: 1, network: 'Youtube', _page: 0, _count: 100 } },
    { route: 'GET /message', values: { ids: ['005demo00000001', '005demo00000002'], withTags: 0 } },
    {
      route: 'GET /post',
      values: {
        _page: 0,
        _count: 25,
        _order: 'startDateTime,1',
        messageId: '005demo00000001',
        campaignId: campaign,
        status: 'pending',
        createdBy: '00Ademo00000001',
        source: 'API',
        ...period,
      },
    },
    { route: 'GET /post', values: { withPostlogs: 1, _order: 'created' } },
    { route: `GET /post/${post}`, values: { stats: 1, postlogs: 1 } },
    { route: 'GET /postlog', values: { postId: post } },
    { route: `GET /postlog/${postlog}`, values: { stats: 1 } },
    { route: `GET /followers/${linkedIn}`, values: { fromDate: '2026-01-01', toDate: '2026-02-01' } },
    { route: 'GET /workflow-item', values: { page: 0, count: 20, withHistory: 1, withAuthors: 1, withSteps: 1 } },
    { route: 'GET /workflow', values: { withSteps: 1 } },
    { route: 'GET /workflow-item-note', values: { id: '005demo00000001' } },
    { route: 'PUT /workflow-item-note', values: { id: '005demo00000001', note: 'Looks good' }, inQuery: true },
    {
      route: async () => `POST /workflow-item/${await named('POST /workflow-item/{id}')}`,
      values: { isApprove: true, note: 'Fine' },
    },
    {
      route: 'GET /story',
      values: {
        boardId: board,
        status: 'published',
        approveStatus: 'approved',
        createdBy: ['00Ademo00000001', '00Ademo00000002'],
        isFeatured: 'true',
        isRepost: 0,
        q: 'pack',
        _page: 0,
        _count: 100,
        _order: 'publishDate,0',
      },
    },
    {
      route: 'POST /story',
      values: {
        boardId: 'brddemo00000004',
        title: 'Lighter packs',
        description: 'For longer days',
        campaignId: campaign,
        mediaIds: '026demo00000001',
        link: 'https://example.com/',
        tagIds: '0AFdemo00000001',
        publishDatetime: 1_900_000_000,
        expirationDatetime: 1_910_000_000,
        isDraft: true,
        isFeatured: false,
      },
    },
    {
      route: 'GET /advocate',
      values: {
        boardId: board,
        email: 'yara.santos@example.com',
        lastSeen: 30,
        neverSeen: 'false',
        _page: 0,
        _count: 25,
      },
    },
    { route: 'GET /advocate/00Ademo00000101', values: { boardId: board } },
    { route: 'GET /board-topic', values: { q: 'Tr', boardId: board } },
    { route: `POST /board-topic/${topic}`, values: { name: 'Renamed by a client' } },
    { route: 'GET /lead', values: { search: 'example', _page: 0, _count: 100, all_leads: 'true' } },
    { route: `GET /lead/${lead}` },
    {
      route: 'GET /conversation',
      values: {
        type: ['Conversation', 'Post'],
        status: ['open', 'closed'],
        network: ['Facebook', 'Youtube'],
        assignee_id: '00Ademo00000001,00Ademo00000002',
        tag: 'Complaint',
        q: 'tent',
        _count: 50,
      },
    },
    { route: 'GET /conversation-tag', values: { q: 'a', _page: 0, _count: 100, _order: 'name,1' } },
    { route: 'GET /comments', values: { postlogId: postlog, network: 'LinkedIn' } },
    { route: 'GET /canned-response', values: { q: 'a', _page: 0, _count: 100, _order: 'created,0' } },
    { route: 'GET /credential', values: { network: 'Youtube', includeInvalid: 1, _count: 100 } },
    { route: `PUT /credential/${twitter}`, values: { displayName: 'On X', nativePostsEnabled: 1 } },
    {
      route: 'GET /campaign',
      values: { q: 'Spring', status: 'active', withTags: 1, _order: 'name,1', _page: 0, _count: 200 },
    },
    { route: `GET /campaign/${campaign}`, values: { withTags: 1 } },
    {
      route: `POST /campaign/${campaignToChange}`,
      values: {
        name: 'Spring',
        url: 'https://example.com/spring',
        tagIds: '0AFdemo00000001,0AFdemo00000002',
        status: 'paused',
      },
    },
    {
      route: `POST /message/${message}`,
      values: {
        message: 'Words',
        linkUrl: 'https://example.com/',
        linkTitle: 'Title',
        description: 'About',
        imageUrl: 'https://example.com/a.png',
        tagIds: '0AFdemo00000001',
      },
    },
    {
      route: 'POST /post',
      values: {
        messageId: '005demo00000001',
        credentialIds: linkedIn,
        startDateTime: 1_900_000_000,
        status: 'pending',
        firstComment: { text: 'First!' },
      },
    },
    {
      route: `POST /post/${post}`,
      values: { credentialIds: linkedIn, startDateTime: 1_900_000_100, status: 'draft', firstComment: 'null' },
    },
    {
      route: 'POST /calendar',
      values: {
        fromDate: '2026-03-01',
        toDate: '2026-04-15',
        filters: {
          campaigns: [campaign],
          networks: ['LinkedIn'],
          statuses: ['pending'],
          hasFirstComment: false,
          showArchived: true,
        },
      },
    },
    {
      route: 'GET /calendar/custom-events',
      values: {
        campaignIds: [campaign, '002demo00000002'],
        after: 1_700_000_000,
        before: 1_900_000_000,
        _count: 25,
        _order: 'created',
      },
    },
    { route: 'GET /calendar/custom-events', values: { id: '0CEdemo00000001' } },
    {
      route: 'POST /calendar/custom-events',
      values: {
        title: 'Fair',
        description: '<p>Hall 4</p>',
        startDate: 1_800_000_000,
        endDate: 1_800_100_000,
        campaignIds: [campaign],
      },
    },
    { route: 'PUT /calendar/custom-events', values: { id: '0CEdemo00000002', campaignIds: '' } },
    { route: 'GET /media', values: { q: 'a', type: 'Image', folderId: '', _page: 0, _count: 100 } },
    {
      route: 'GET /media-folder',
      values: { folderId: '', q: '', _page: 0, _count: 12, orderBy: 'name', orderDir: 'asc' },
    },
    { route: 'GET /upload', values: { status: 'pending', source: 'https://example.com/a.mp4', _page: 0, _count: 20 } },
    {
      route: 'GET /link',
      values: { hash: 'demo0001', credentialIds: [twitter, linkedIn], ids: '008demo00000001,008demo00000002' },
    },
    { route: 'GET /link/demo0001' },
    { route: 'GET /stream', values: { position: 1 } },
    { route: 'GET /integration', values: { type: 'mautic', _page: 0, _count: 25 } },
    { route: 'GET /webhook', values: { event: 'postSent', name: 'a', _order: 'name', _page: 0, _count: 20 } },
    {
      route: `POST /webhook/${webhook}`,
      values: {
        event: 'postSent',
        name: 'CRM',
        url: 'https://93.184.216.34/hook',
        description: 'x',
        isEnabled: 0,
        isHidden: 1,
      },
    },
    { route: `GET /webhook-log/${webhook}` },
    { route: 'GET /webhook/events/newAdvocacyTopic' },
    {
      route: 'POST /notification',
      values: { EmailDaily: 1, EmailWeekly: 0, EmailOnNoteMention: 1, SendDailyEmailReport: 0 },
    },
    { route: 'GET /bi-export', values: { _page: 0, _order: 'status,1', status: 'active' } },
    {
      route: 'GET /dashboard',
      values: { _page: 0, _count: 100, _order: 'creatorName,1', search: 'Over', visibility: 'shared' },
    },
    { route: 'GET /tag', values: { _order: 'tag', _page: 0, _count: 100 } },
    { route: 'GET /user', values: { q: 'a', _order: 'name,1', _page: 0, _count: 100 } },
  ]
}
