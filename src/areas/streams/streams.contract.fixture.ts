import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import type { TestService } from '../../../tests/support/service.ts'

export const contract: AreaContract = {
  examples: {
    'GET /stream-tab': () => ({}),
    'GET /stream-tab/{id}': async (service) => ({ id: await newStreamTab(service) }),
    'POST /stream-tab': () => ({ body: { name: 'Example' } }),
    'POST /stream-tab/{id}': async (service) => ({ id: await newStreamTab(service), body: { name: 'Renamed' } }),
    'DELETE /stream-tab/{id}': async (service) => ({ id: await newStreamTab(service) }),
    'GET /stream': () => ({}),
    'POST /stream': async (service) => ({ body: { ...aStream, streamTabId: await newStreamTab(service) } }),
    'POST /stream/{id}': async (service) => ({ id: await newStream(service), body: { position: -1 } }),
    'DELETE /stream/{id}': async (service) => ({ id: await newStream(service) }),
    'GET /app/api/stream/{id}/items': async (service) => ({ id: await newStream(service) }),
  },
  entities: {
    streamTab: ({ made, name }) => made('POST /stream-tab', { name }, 'StreamTab'),
    stream: async ({ made, entity }) =>
      made(
        'POST /stream',
        {
          network: 'LinkedIn',
          credentialId: await entity('credential'),
          type: 'page',
          streamTabId: await entity('streamTab'),
        },
        'Stream',
      ),
  },
  listPlans: {
    rows: ({ each }) => [
      `insert into stream_tabs (account_id, id, created, modified, created_by, name)
      select account_id, '018b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tab ' || (n * 7919 % 10000) from ${each}`,
      `insert into stream_feeds (account_id, id, created, credential_id, network, type, last_viewed, not_before)
      select account_id, '0sfb' || lpad(n::text, 11, '0'), now(), '003-9-' || n, 'LinkedIn', 'page', now(), now() from ${each}`,
      `insert into streams (account_id, id, created, modified, created_by, stream_tab_id, feed_id, credential_id, network, type, name, position)
      select account_id, '00Fb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '018b' || lpad((n % 100 + 1)::text, 11, '0'), '0sfb' || lpad(n::text, 11, '0'), '003-9-' || n, 'LinkedIn', 'page', 'Stream', n % 50 - 5 from ${each}`,
      `insert into stream_items (account_id, feed_id, remote_id, position, kind, at)
      select account_id, '0sfb' || lpad((n % 4 + 1)::text, 11, '0'), n::text, n, 'post', now() from ${each}`,
    ],
    lists: (orders) => ({
      '/stream-tab': [
        '_count=100',
        '_count=100&_page=3',
        ...orders('created', 'name').map((order) => `_count=100&${order}`),
      ],
      '/stream': ['', '&_page=3', '&streamTabId=018b00000000007', '&position=3'].flatMap((filter) =>
        orders('position', 'created').map((order) => `_count=100&${order}${filter}`),
      ),
      '/app/api/stream/00Fb00000000003/items': ['', '_count=100', '_after=200'],
    }),
    sorted: ['from "streams"'],
  },
  notified: [
    { kind: 'streamTab', table: 'stream_tabs', unseen: [] },
    { kind: 'stream', table: 'streams', unseen: [] },
  ],
}

const newStreamTab = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /stream-tab', { body: { name: 'Example' } })).json.StreamTab.Id

const aStream = { network: 'Facebook', credentialId: '003-1-100200300400501', type: 'ownpage' }

const newStream = async (service: TestService): Promise<string> => {
  const body = { ...aStream, streamTabId: await newStreamTab(service) }
  return (await service.admin('POST /stream', { body })).json.Stream.Id
}
