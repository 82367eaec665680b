import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import { serial } from '../../../tests/contract/examples.ts'
import { placeAdvocacy } from '../../../tests/support/advocacy.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, type TestService, testKeys } from '../../../tests/support/service.ts'
import { newLinkToken } from '../account/account.contract.fixture.ts'
import { newMessage } from '../publishing/publishing.contract.fixture.ts'

/** Has no seat limit. */
const demoBoard = 'brddemo00000002'
const boardOfMessages = 'brddemo00000006'

export const contract: AreaContract = {
  examples: {
    'GET /board/{id}': () => ({ id: demoBoard }),
    'GET /board': () => ({}),
    'GET /board-topic': () => ({}),
    'POST /board-topic': () => ({ body: { boardId: demoBoard, name: `Example ${serial()}` } }),
    'POST /board-topic/{id}': async (service) => ({
      id: await newTopic(service),
      body: { name: `Renamed ${serial()}` },
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
    'POST /app/api/boards': () => ({ body: { name: 'Example' } }),
    'GET /app/api/boards/{id}': () => ({ id: demoBoard }),
    'POST /app/api/boards/{id}': async (service) => ({ id: await newBoard(service), body: { seats: 10 } }),
    'GET /app/api/board': () => ({}),
    'GET /app/api/board/{boardId}/advocate': async (service) => ({ id: await newManagedBoard(service) }),
    'POST /app/api/board/invitation': async (service) => ({
      body: { token: await newLinkToken(service, 'invitation'), password: 'another long password' },
    }),
    'POST /app/api/board/entry-link': () => ({
      body: { email: `nobody${serial()}@example.com`, slug: 'northwind-people' },
    }),
    'POST /app/api/board/entry': async (service) => {
      const boardId = await newBoard(service, { needsPassword: 0 })
      return { body: { token: await newLinkToken(service, 'board', await newAdvocate(service, boardId)) } }
    },
    'POST /app/api/board/sign-up': () => ({
      body: { email: `nobody${serial()}@example.com`, slug: 'store-staff', firstName: 'Example', lastName: 'Guest' },
    }),
    'GET /app/api/boards/{boardId}/sign-up': () => ({ id: demoBoard }),
    'GET /app/api/board/{boardId}/sign-up': async (service) => ({ id: await newManagedBoard(service) }),
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
  },
  audit: {
    'POST /advocate': { entity: demoBoard },
    'POST /advocate/bulk': { entity: demoBoard },
    'POST /board-message': { entity: ({ example }) => (example.body as { messageId: string }).messageId },
    'DELETE /board-message': { entity: ({ example }) => (example.body as { messageId: string }).messageId },
    'POST /app/api/board/invitation': { signsInBy: 'link', entity: ({ answer }) => answer.json.UserId },
    'POST /app/api/board/entry': { signsInBy: 'link', entity: ({ answer }) => answer.json.UserId },
    'POST /app/api/board/entry-link': { unlisted: 'Requesting a link for any email address changes nothing.' },
    'POST /app/api/board/sign-up': { unlisted: 'Requesting a link for any email address changes nothing.' },
  },
  entities: {
    board: ({ made, name }) => made('POST /app/api/boards', { name }, 'Board'),
    topic: async ({ made, name, entity }) =>
      made('POST /board-topic', { boardId: await entity('board'), name }, 'Topic'),
    story: async ({ made, name, entity }) =>
      made(
        'POST /story',
        {
          boardId: await entity('board'),
          title: name,
          description: name,
          campaignId: await entity('campaign'),
          topicIds: await entity('topic'),
          tagIds: await entity('tag'),
        },
        'Item',
      ),
    // Another user's share.
    advocateShare: async ({ query, account, name }) => {
      const id = `0sh${name}`.padEnd(15, '0')
      await query(
        `insert into shares (account_id, id, created, modified, user_id, board_id, story_id, message_id, campaign_id, credential_id, network, type, message, start_date_time, status)
        values ($1, $2, now(), now(), '00Aelse00000000', '', '', '', '', '', 'Twitter', '', '', now(), 'pending')`,
        [account, id],
      )
      return id
    },
  },
  scopedKinds: ['board', 'topic', 'story'],
  scopes: ['board'],
  bridge: async ({ admin }, seen, invisible) => {
    const ada = { email: 'ada.marsh@example.com', firstName: 'Ada', lastName: 'Marsh' }
    for (const { board } of [seen, invisible]) await admin('POST /advocate', { body: { boardId: board, ...ada } })
  },
  restrictedReads: ['GET /app/api/boards/{boardId}/sign-up'],
  causes: {
    newAdvocacyMessage: {
      board: async ({ service, message, open, restricted }) => {
        const messageId = await message(open.campaign)
        await service.admin('POST /board-message', { body: { boardId: restricted.messageBoard, messageId } })
        return messageId
      },
      campaign: async ({ service, message, open, restricted }) => {
        const messageId = await message(restricted.campaign)
        await service.admin('POST /board-message', { body: { boardId: open.messageBoard, messageId } })
        return messageId
      },
    },
    newAdvocacyStory: {
      board: ({ story, restricted }) => story({ boardId: restricted.board }),
      campaign: ({ story, open, restricted }) => story({ boardId: open.board, campaignId: restricted.campaign }),
      workflow: ({ story, open, restricted }) => story({ boardId: open.board, workflowId: restricted.workflow }),
    },
    newAdvocacyTopic: {
      board: ({ made, unique, restricted }) =>
        made('POST /board-topic', { boardId: restricted.boardWithTopics, name: unique('Topic') }, 'Topic'),
    },
  },
  listPlans: {
    // Advocates see them, of whom an account has few on a board.
    unexamined: [
      'GET /app/api/board/{id}/story',
      'GET /app/api/board/{id}/share',
      'GET /app/api/board/{id}/topic',
      'GET /app/api/board/{boardId}/sign-up',
      'GET /app/api/board/{boardId}/advocate',
    ],
    rows: ({ each }) => [
      `insert into boards (account_id, id, created, modified, created_by, modified_by, name, slug)
      select account_id, 'brdb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', 'Board ' || (n * 7919 % 10000), 'bulk-' || n from ${each}`,
      `insert into topics (account_id, id, board_id, created, modified, created_by, name)
      select account_id, 'tpcb' || lpad(n::text, 11, '0'), 'brdb' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Topic ' || n from ${each}`,
      `insert into board_members (account_id, board_id, user_id, created, invited_by, invited, role, last_seen)
      select account_id, 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), '00Ab' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', '', now(), 'contributor', case when n % 3 > 0 then now() - n * interval '1 hour' else 'epoch' end from ${each}`,
      `insert into board_sign_ups (account_id, id, board_id, email, address, first_name, last_name, created, ends, digest)
      select account_id, '0sub' || lpad(n::text, 11, '0'), 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), 'visitor' || n || '@example.com', 'visitor' || n || '@example.com', 'First', 'Last', now() - n * interval '1 minute', now() + interval '1 day', sha256(n::text::bytea) from ${each}`,
      `insert into shares (account_id, id, created, modified, user_id, board_id, story_id, message_id, campaign_id, credential_id, network, type, message, start_date_time, status)
      select account_id, '0shb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad(n::text, 11, '0'), 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), '0ASb' || lpad((n % 100 + 1)::text, 11, '0'), '', '', '003-9-' || n, 'LinkedIn', 'status-update', 'Words', now(), 'complete' from ${each}`,
      `insert into stories (account_id, id, created, modified, created_by, modified_by, board_id, campaign_id, publish_date, expiration_date, is_featured, title, description, type, status, phase, phase_ends, is_approved, share_count)
      select account_id, '0ASb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), '', 'brdb' || lpad((n % 4 + 1)::text, 11, '0'), '002b' || lpad((n % 100 + 1)::text, 11, '0'), now() - n * interval '1 hour', now() + n * interval '1 day', n % 20 = 0, 'Story ' || n, 'About', case n % 50 when 0 then 'post-attachment' else 'text' end, 'approved', 'published', now() + n * interval '1 day', n % 30 = 0, n % 7 from ${each}`,
      `insert into story_counts (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved, stories)
      select account_id, board_id, created_by, phase, is_featured, type <> 'text', is_approved, count(*) from stories group by 1, 2, 3, 4, 5, 6, 7 on conflict do nothing`,
      `insert into story_topics (account_id, story_id, topic_id)
      select account_id, '0ASb' || lpad(n::text, 11, '0'), 'tpcb' || lpad((n % 100 + 1)::text, 11, '0') from ${each}`,
      `insert into story_messages (account_id, story_id, message_id, position)
      select account_id, '0ASb' || lpad(n::text, 11, '0'), '005b' || lpad(n::text, 11, '0'), 0 from ${each}`,
      `insert into story_media (account_id, story_id, media_id, position)
      select account_id, '0ASb' || lpad(n::text, 11, '0'), '026b' || lpad(n::text, 11, '0'), 0 from ${each}`,
    ],
    lists: (orders) => ({
      '/app/api/board-profile': [''],
      '/board': [
        '_count=100',
        '_count=100&_page=2',
        ...orders('created', 'name').map((order) => `_count=100&${order}`),
      ],
      '/board-topic': ['_count=100', '_count=100&_page=2', 'q=topic1&_count=100'].concat(
        orders('created', 'name').flatMap((order) => [
          `_count=100&${order}`,
          `_count=100&${order}&boardId=brdb00000000002`,
        ]),
      ),
      '/advocate': ['', '_page=5', 'email=bulk7@example.com', ...orders('created')].concat(
        [
          '',
          '&_page=2',
          '&email=bulk7@example.com',
          '&lastSeen=7',
          '&notSeen=7',
          '&neverSeen=1',
          '&_order=created,1',
        ].map((filter) => `boardId=brdb00000000002${filter}`),
      ),
      '/app/api/boards/brdb00000000002/sign-up': ['', '_page=2', ...orders('created')],
      '/advocate/00Ab00000000007': ['', 'boardId=brdb00000000004'],
      '/story': [
        '',
        '_page=5',
        '_count=100',
        'createdBy=00Ab00000000007',
        'createdBy=00Ab00000000007,00Ab00000000008',
        'isFeatured=1',
        'isFeatured=0',
        'isRepost=1',
        'isRepost=0',
        'approveStatus=approved',
        'q=story1',
        'topicIds=tpcb00000000007',
        'tagIds=0AFb00000000007',
        'approveStatus=pending',
        ...orders('created', 'publishDate', 'expirationDate', 'shareCount', 'isFeatured').flatMap((order) => [
          order,
          `${order}&boardId=brdb00000000002`,
          `${order}&q=story1`,
          ...['draft', 'scheduled', 'published', 'expired'].map((status) => `${order}&status=${status}`),
        ]),
      ],
    }),
    sorted: [
      'from "topics"',
      // The few stories that became due since the last update, merged into the others.
      '"turns" <= ',
      // Stories that have a topic or a tag.
      'stories.id in (',
    ],
  },
  notified: [
    { kind: 'board', table: 'boards', unseen: ['digest_due'] },
    // Counters follow from other changes that are notified.
    { kind: 'topic', table: 'topics', unseen: ['used', 'subscribers', 'last_used'] },
    { kind: 'story', table: 'stories', unseen: ['phase', 'phaseEnds', 'share_count'] },
    { kind: 'advocate', table: 'board_members', id: 'user_id', unseen: ['last_seen', 'topics_seen'] },
  ],
}

/** On a board without topics. */
const story = () => ({
  boardId: 'brddemo00000004',
  title: 'Example',
  description: 'Example',
  campaignId: '002demo00000001',
})

const newStory = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /story', { body: story() })).json.Item.ID

const newTopic = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /board-topic', { body: { boardId: demoBoard, name: `Example ${serial()}` } })).json.Topic.Id

const guest = () => ({ email: `guest${serial()}@example.com`, firstName: 'Example', lastName: 'Guest' })

export const newAdvocate = async ({ admin }: TestService, boardId = demoBoard): Promise<string> =>
  (await admin('POST /advocate', { body: { boardId, ...guest() } })).json.Users[0].Id

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
  const credentialId = `003-1-own${serial()}`
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
