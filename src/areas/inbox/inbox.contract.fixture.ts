import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import type { Scene } from '../../../tests/contract/event-scene.ts'
import { demoPage, demoPublisher, serial } from '../../../tests/contract/examples.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { placeItem, placeReply } from '../../../tests/support/inbox.ts'
import { profiles } from '../../../tests/support/publishing.ts'
import { demoAccount, type TestService } from '../../../tests/support/service.ts'
import { newCrm } from '../leads/leads.contract.fixture.ts'

/** An open message thread. */
const demoConversation = 'eitdemo00000001'

export const contract: AreaContract = {
  examples: {
    'GET /conversation': () => ({ body: { status: 'open', _count: 5 } }),
    'GET /conversation/{id}': () => ({ id: demoConversation }),
    'GET /conversation/{id}/timeline': () => ({ id: demoConversation }),
    'GET /comments': () => ({ body: { network: 'LinkedIn' } }),
    'POST /conversation/{id}/create-case': async (service) => ({
      id: await newItem(service),
      body: { integration_id: await newCrm(service), case_description: 'Example' },
    }),
    'POST /conversation/{id}': async (service) => ({ id: await newConversation(service), body: { status: 'closed' } }),
    'POST /conversation/{id}/assign': async (service) => ({
      id: await newConversation(service),
      body: { assignee_id: '00Ademo00000002', note: 'Yours' },
    }),
    'POST /conversation/{id}/note': async (service) => ({
      id: await newConversation(service),
      body: { note: 'Noted' },
    }),
    'POST /conversation/{id}/tag': async (service) => ({
      id: await newConversation(service),
      body: { tags: [`Example ${serial()}`] },
    }),
    'POST /conversation/{id}/reply': async (service) => ({
      id: await newConversation(service),
      body: { message: 'Thank you.' },
    }),
    'GET /conversation-tag': () => ({}),
    'GET /conversation-tag/{id}': async (service) => ({ id: await newConversationTag(service) }),
    'POST /conversation-tag/{id}': async (service) => ({
      id: await newConversationTag(service),
      body: { tag: `Renamed ${serial()}` },
    }),
    'DELETE /conversation-tag/{id}': async (service) => ({ id: await newConversationTag(service) }),
    'GET /canned-response': () => ({}),
    'GET /canned-response/{id}': async (service) => ({ id: await newCannedResponse(service) }),
    'POST /canned-response': () => ({ body: { name: `Example ${serial()}`, content: 'Every day from nine to five.' } }),
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
    'POST /app/api/conversations': async (service) => ({
      body: {
        ids: [await newConversation(service)],
        action: 'assign',
        assigneeId: '00Ademo00000002',
        tags: ['Example'],
      },
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
  },
  audit: {
    'PUT /app/api/inbox/views': { entity: demoPublisher },
    'POST /app/api/inbox/open': { entity: demoPublisher },
    'POST /app/api/inbox/read': { entity: demoPublisher },
    'POST /app/api/conversations': { entity: demoAccount },
  },
  entities: {
    inboxItem: async ({ service, query, account, entity }) => {
      const { id } = await placeItem(service.databaseUrl, { account, credentialId: await entity('credential') })
      await query('update inbox_items set postlog_id = $2 where id = $1', [id, await entity('postlog')])
      return id
    },
    inboxEntry: async ({ query, entity }) => {
      const found = 'select id from inbox_entries where item_id = $1'
      return (await query<{ id: string }>(found, [await entity('inboxItem')]))[0]?.id ?? ''
    },
    conversationTag: async ({ as, name, entity }) => {
      const body = { tags: [name] }
      return (await as(`POST /conversation/${await entity('inboxItem')}/tag`, { body })).json.Tags[0].Id
    },
    inboxReply: async ({ service, account, entity }) =>
      placeReply(service.databaseUrl, account, await entity('inboxItem')),
    cannedResponse: ({ made, name }) => made('POST /canned-response', { name, content: name }, 'CannedResponse'),
    inboxView: ({ made, name }) => made('POST /app/api/inbox/views', { name, isShared: 1 }, 'View'),
  },
  // An entry of the timeline that the example reads.
  known: { inboxEntry: 'eatdemo00000020' },
  causes: {
    newInboxItem: { campaign: commented },
    newCommentOnInboxItem: { campaign: repliedItem },
    newDirectMessageOnInboxItem: { nothing: duplicatePeople },
    inboxItemReplied: { campaign: acting('/reply', { message: 'Every day.' }) },
    newNoteOnInboxItem: { campaign: acting('/note', { note: 'Known' }) },
    newInboxItemAssignment: { campaign: acting('/assign', { assignee_id: demoPublisher }) },
    inboxItemStatusChange: { campaign: acting('', { status: 'closed' }) },
    inboxItemTagChange: { campaign: acting('/tag', { tags: ['sunday'] }) },
    newConversation: { campaign: commented },
    conversationUpdated: { campaign: repliedItem, nothing: duplicatePeople },
    newNoteOnConversation: { campaign: acting('/note', { note: 'Known' }) },
    newAssignment: { campaign: acting('/assign', { assignee_id: demoPublisher }) },
    conversationStatusUpdated: { campaign: acting('', { status: 'closed' }) },
    newEngagementItem: { campaign: commented },
    updatedEngagementItem: { campaign: repliedItem, nothing: duplicatePeople },
  },
  listPlans: {
    examined: ['from inbox_', 'join inbox_', 'chorus_inbox_search'],
    rows: ({ each }) => [
      `insert into conversation_tags (account_id, id, created, modified, created_by, value)
      select account_id, 'etgb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tag ' || (n * 7919 % 10000) from ${each}`,
      `insert into canned_responses (account_id, id, created, modified, created_by, name, content, visibility)
      select account_id, 'cnrb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Response ' || (n * 7919 % 10000), 'Soon', case n % 50 when 0 then 'private' else 'shared' end from ${each}`,
      `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, status, assignee_id, remote_key, event_date, last_activity, person_id, postlog_id, words)
      select account_id, 'eitb' || lpad(n::text, 11, '0'), now(), now(), '003-9-' || (n % 40 + 1), case n % 50 when 0 then 'TikTok' else 'LinkedIn' end, (array['Conversation', 'Post', 'Mention', 'Reply'])[n % 4 + 1], 'owned', case n % 10 when 0 then 'open' else 'closed' end, case n % 5 when 0 then '00Ab' || lpad((n % 100 + 1)::text, 11, '0') else '' end, 'bulk:' || n, now(), now() - n * interval '1 minute', 'person' || n % 90, '007b' || lpad(n::text, 11, '0'), array_to_tsvector(array[account_id || ':word' || n % 70, account_id || ':common']) from ${each}`,
      `insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items)
      select account_id, credential_id, network, item_type, status, assignee_id, count(*) from inbox_items group by 1, 2, 3, 4, 5, 6 on conflict do nothing`,
      `insert into inbox_entries (account_id, id, item_id, type, created, is_own, credential_id, content)
      select account_id, 'eatb' || lpad(n::text, 11, '0'), 'eitb' || lpad((n % 100 + 1)::text, 11, '0'), case n % 3 when 0 then 'message' else 'comment' end, now() - n * interval '1 minute', n % 7 = 0, '003-9-7', 'Words' from ${each}`,
      `insert into inbox_item_tags (account_id, item_id, tag_id, created)
      select account_id, 'eitb' || lpad(n::text, 11, '0'), 'etgb' || lpad((n % 100 + 1)::text, 11, '0'), now() from ${each}`,
      `insert into inbox_views (account_id, id, created, modified, created_by, name, is_shared, position)
      select account_id, '0ivb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '00Ab' || lpad((n % 100 + 1)::text, 11, '0'), 'View', n % 20 = 0, n from ${each}`,
      `insert into inbox_read_cursors (account_id, user_id, all_before) select account_id, '00Ab' || lpad(n::text, 11, '0'), now() from ${each}`,
      `insert into inbox_item_reads (account_id, user_id, item_id, seen)
      select account_id, '00Ab' || lpad((n % 10 + 1)::text, 11, '0'), 'eitb' || lpad(n::text, 11, '0'), now() from ${each}`,
    ],
    lists: (orders) => ({
      '/conversation': inbox(''),
      '/app/api/conversation': [
        ...inbox('&_after=1900000000000.eitb00000000007'),
        'view=mine',
        'view=open',
        'unread=1',
        'view=unassigned&unread=1',
        'credential_id=003-9-7',
        'assignee_id=none',
      ],
      '/app/api/conversation/eitb00000000007': [''],
      '/app/api/conversation/eitb00000000007/of-person': ['', '_after=eitb00000000100'],
      '/conversation/eitb00000000007/timeline': ['', 'last_loaded_id=eatb00000000006'],
      '/app/api/inbox/views': [''],
      '/comments': ['', '_count=25', 'network=TikTok', 'postlogId=007b00000000007'],
      '/conversation-tag': ['', '_page=50', 'q=tag1', ...orders('name', 'created')],
      '/canned-response': ['', '_page=50', 'q=response1', ...orders('name', 'created')],
    }),
    sorted: [
      'from "conversation_tags"',
      // The few items with search terms or tags, and the tags of the items on a page.
      'with known as materialized',
      'from "inbox_item_tags"',
      // Comments on one post.
      'i.postlog_id = ',
    ],
  },
  notified: [{ kind: 'conversation', table: 'inbox_items', unseen: ['words', 'entries'] }],
}

/** Inserted as a row: only networks create conversations. */
const newItem = async ({ databaseUrl }: TestService): Promise<string> => {
  const id = `eitexample${String(serial()).padStart(5, '0')}`
  await ownerQuery(databaseUrl, placedItem, ['001demo00000001', id, demoPage])
  return id
}

const placedItem = `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, remote_key,
    event_date, last_activity, person_id, person_name, text)
  values ($1, $2, now(), now(), $3, 'LinkedIn', 'Post', 'owned', 'comment:' || $2, now(), now(), $2, 'Example', 'Example')`

/** Inserted as rows: only networks create conversations. */
const newConversation = async ({ databaseUrl }: TestService): Promise<string> => (await placeItem(databaseUrl)).id

async function newConversationTag(service: TestService): Promise<string> {
  const body = { tags: [`Example ${serial()}`] }
  const { json } = await service.admin(`POST /conversation/${await newConversation(service)}/tag`, { body })
  return json.Tags[0].Id
}

async function newCannedResponse({ admin }: TestService): Promise<string> {
  const { json } = await admin('POST /canned-response', { body: { name: `Example ${serial()}`, content: 'Soon.' } })
  return json.CannedResponse.ID
}

/** A reply that was not delivered, independent of running workers. */
async function newFailedReply(service: TestService): Promise<string> {
  return placeReply(service.databaseUrl, demoAccount, await newConversation(service))
}

const newView = async ({ publisher }: TestService): Promise<string> =>
  (await publisher('POST /app/api/inbox/views', { body: { name: 'Example' } })).json.View.Id

/** Webhooks use another form of an item's id. */
const markOf = ({ id }: { id: string }) => `eitm${id.slice(3)}`

async function commented(scene: Scene) {
  return markOf(await scene.commented())
}

function acting(path: string, body: object) {
  return async (scene: Scene) => {
    const conversation = await scene.commented()
    const { status, json } = await scene.service.admin(`POST /conversation/${conversation.id}${path}`, { body })
    if (status !== 200) throw new Error(JSON.stringify(json))
    return markOf(conversation)
  }
}

async function repliedItem({ service, commented, unique }: Scene) {
  const conversation = await commented()
  const { from, remoteId: parentId } = conversation
  const reply = { from, text: unique('And on Monday?'), kind: 'reply', parentId }
  await service.inject(profiles.facebook, 'Facebook', reply)
  return markOf(conversation)
}

async function duplicatePeople({ service, externalUser, unique }: Scene) {
  const from = externalUser()
  const texts = [unique('A direct message'), unique('Another direct message')]
  for (const text of texts) {
    await service.inject(profiles.facebook, 'Facebook', { from, text, kind: 'message' })
    await service.settled()
  }
  return texts[1] as string
}

function inbox(page: string): string[] {
  const filters = [
    '',
    'type=Post',
    'status=open',
    'network=TikTok',
    'assignee_id=00Ab00000000007',
    'q=word7',
    'tag=Tag 7',
  ]
  const several = ['type=Post,Mention', 'network=TikTok,LinkedIn', 'status=open&assignee_id=00Ab00000000007']
  const both = ['q=word7&tag=Tag 7', 'q=word7&status=open&network=LinkedIn', 'tag=Tag 7&type=Post']
  return [...filters, ...several, ...both].map((filter) => filter + page)
}
