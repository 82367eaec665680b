import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { endpoints } from '#main/endpoints.ts'
import { demoAccount, startTestService, type TestService } from '../support/service.ts'

const accounts = 10
const rowsPerAccount = 10_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  const { databaseUrl: url } = service
  await ownerQuery(
    url,
    `insert into accounts (id, created, modified, name)
    select '001bulk' || lpad(a::text, 8, '0'), now(), now(), 'Bulk' from generate_series(2, ${accounts}) a`,
  )
  const each = `(select id as account_id, n from accounts, generate_series(1, ${rowsPerAccount}) n where id <> '001demo00000002') x`
  await ownerQuery(
    url,
    `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
    select account_id, '00Ab' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), 'First' || (n * 7919 % 10000), 'Last', 'bulk' || n || '@example.com', 'read' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into teams (account_id, id, created, modified, name)
    select account_id, '025b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), 'Team ' || (n * 7919 % 10000) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into team_entities (account_id, entity_id, team_id, created)
    select account_id, '00Ab' || lpad(n::text, 11, '0'), '025b' || lpad((n % 100 + 1)::text, 11, '0'), now() from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into webhooks (account_id, id, created, modified, created_by, name, description, event, url, is_enabled, is_hidden, secret)
    select account_id, '0WAb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Hook ' || (n * 7919 % 10000), '', case n % 50 when 0 then 'postSent' else 'newLead' end, 'https://example.com', true, false, '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into webhook_log (account_id, id, webhook_id, webhook_payload_id, event_id, created, attempt, succeeded, response_code, execution_time, error)
    select account_id, '0WCb' || lpad(n::text, 11, '0'), '0WAb' || lpad((n % 100 + 1)::text, 11, '0'), '', '', now() - n * interval '1 minute', 1, true, 200, 0.1, '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
    select account_id, '003-9-' || n, now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'Xing' else 'LinkedIn' end, n::text, 'page', 'Profile ' || (n * 7919 % 10000), '', '', case n % 10 when 0 then 'invalid' else 'valid' end from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into targeting_presets (account_id, id, created, modified, credential_id, name, company_size, industry, function, seniority, geography, language)
    select account_id, '0tpb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '003-9-' || (n % 100 + 1), 'Preset ' || n, '{}', '{}', '{}', '{}', '{}', '{}' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into media_folders (account_id, id, created, modified, created_by, name, folder_id)
    select account_id, '035b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Folder ' || (n * 7919 % 10000), case when n > 100 then '035b' || lpad((n % 100 + 1)::text, 11, '0') end from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into stored_files (account_id, digest, bytes, uses) select id, 'bulk', 1, 10000 from accounts where id <> '001demo00000002'`,
  )
  await ownerQuery(
    url,
    `insert into media (account_id, id, created, modified, created_by, modified_by, type, name, mime_type, size, folder_id, digest, token)
    select account_id, '026b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', case n % 50 when 0 then 'PDF' else 'Image' end, 'Picture ' || (n * 7919 % 10000), 'image/png', 1, case when n > 1000 then '035b' || lpad((n % 100 + 1)::text, 11, '0') end, 'bulk', '' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into uploads (account_id, id, created, modified, created_by, status, name, mime_type, total_size, source, reserved)
    select account_id, '0upb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'failed' else 'complete' end, 'Picture', 'image/png', 1, 'https://example.com/' || (n % 500), 1 from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into tags (account_id, id, created, modified, created_by, tag)
    select account_id, '0AFb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Tag ' || (n * 7919 % 10000) from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
    select account_id, '002b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', 'Campaign ' || (n * 7919 % 10000), case n % 50 when 0 then 'paused' else 'active' end, '#000000' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message)
    select account_id, '005b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', '002b' || lpad((n % 100 + 1)::text, 11, '0'), case n % 5 when 0 then 'Twitter' else 'LinkedIn' end, 'status-update', 'Text' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into custom_events (account_id, id, created, modified, created_by, title, start_date_time, end_date_time)
    select account_id, '0CEb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now() - n * interval '1 second', '', 'Event', now() - n * interval '1 hour', now() - (n - 1) * interval '1 hour' from ${each}`,
  )
  await ownerQuery(
    url,
    `insert into custom_event_campaigns (account_id, event_id, campaign_id)
    select account_id, '0CEb' || lpad(n::text, 11, '0'), '002b' || lpad(n::text, 11, '0') from ${each}`,
  )
  await ownerQuery(url, 'vacuum analyze')
}, 120_000)
afterAll(() => service.stop())

/** Every filter and every order of every list. */
const lists: Record<string, string[]> = {
  '/user': ['', ...orders('created', 'name', 'email'), '_page=100', 'q=first1', 'q=first1&_order=name,1', 'q=zzz'],
  '/team': ['_count=100', ...orders('created', 'name').map((order) => `_count=100&${order}`), '_count=100&_page=50'],
  '/team-entity/00Ab00000000007': [''],
  '/calendar/custom-events': ['', '_page=50', 'before=1700000000', ...orders('created', 'modified', 'startDateTime')],
  '/tag': ['', '_page=50', 'q=tag1', ...orders('tag', 'created', 'lastUsed')],
  '/campaign': ['', '_page=50', 'q=campaign1', 'status=paused', ...orders('created', 'name', 'status')],
  '/message': [
    'campaignId=002b00000000007',
    'campaignId=002b00000000007&network=x',
    'ids=005b00000000007,005b00000000008',
  ],
  '/media': [
    ...[
      '',
      '_page=50',
      'q=picture1',
      'type=PDF',
      'folderId=',
      'folderId=035b00000000007',
      'type=PDF&folderId=035b00000000007',
    ],
    ...orders('created', 'name'),
  ],
  '/media-folder': [
    ...[
      '',
      '_page=3',
      'q=folder1',
      'folderId=035b00000000007',
      'orderBy=created&orderDir=asc',
      'orderBy=name&orderDir=desc',
    ],
  ],
  '/upload': ['', '_page=50', 'status=failed', 'source=https%3A%2F%2Fexample.com%2F7', ...orders('created')],
  '/credential': [
    ...['_count=100', '_count=100&network=Xing', '_count=100&includeInvalid=1', '_count=100&_page=20'],
    ...orders('created', 'name').map((order) => `_count=100&${order}`),
  ],
  '/credential/003-9-7/targeting-presets': ['', '_page=2', ...orders('created', 'name')],
  '/webhook': [
    '',
    ...orders('name', 'description', 'lastExecutionDate', 'isEnabled', 'created', 'modified'),
    ...['event=postSent', 'name=hook1', '_page=100'],
  ],
  '/webhook-log/0WAb00000000007': ['', '_page=2', ...orders('created')],
}

/** Nobody has more than a few hundred of these, and an index on what every call changes would cost more than sorting them. */
const sortedLists = [
  'from "webhooks"',
  'from "credentials"',
  'from "targeting_presets"',
  'from "media_folders"',
  'from "tags"',
  '"id" in ',
]

function orders(...fields: string[]): string[] {
  return fields.flatMap((field) => [`_order=${field},0`, `_order=${field},1`])
}

test('no list reads a table from end to end at 100,000 rows', async () => {
  const statements = await recordStatements(async () => {
    for (const [path, queries] of Object.entries(lists)) {
      for (const query of queries)
        expect((await service.admin(`GET ${path}`, { query })).status, `${path}?${query}`).toBe(200)
    }
  })
  expect(statements.length).toBeGreaterThanOrEqual(20)
  const client = new pg.Client({ connectionString: service.databaseUrl, options: '-c role=chorus_app' })
  await client.connect()
  await client.query(`select set_config('chorus.account_id', $1, false)`, [demoAccount])
  // As the service's plans are once they are kept: made without knowing the values.
  await client.query('set plan_cache_mode = force_generic_plan')
  for (const [index, { text, values }] of statements.entries()) {
    await client.query(`prepare list_${index} as ${text}`)
    const literals = values
      .map((value) => pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value)))
      .join(', ')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute list_${index}(${literals})`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan, `${text}\n${plan}`).not.toContain('Seq Scan')
    // A list without a search comes out of its index in order.
    const mayBeSorted = ['ilike', 'join', ...sortedLists].some((word) => text.includes(word))
    if (!mayBeSorted) expect(plan, `${text}\n${plan}`).not.toContain('Sort')
  }
  await client.end()
}, 60_000)

test('every list endpoint is among those examined', () => {
  const paged = endpoints.filter(
    ({ method, reply }) => method === 'GET' && 'Total' in ((reply.schema as { properties: object }).properties ?? {}),
  )
  const examined = Object.keys(lists)
  for (const { path } of paged)
    expect(
      examined.some((list) => list.startsWith(path.replace(/\{.*/, ''))),
      path,
    ).toBe(true)
})

interface Statement {
  text: string
  values: unknown[]
}

/** What the service really sends to the database while the work is done. */
async function recordStatements(work: () => Promise<void>): Promise<Statement[]> {
  const seen = new Map<string, Statement>()
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const { text, values } = (args[0] as { statements?: Statement[] }).statements?.at(-1) ?? {}
    if (
      text?.startsWith('select') &&
      /"(users|teams|team_entities|webhooks|webhook_log|credentials|targeting_presets|media|media_folders|uploads|tags|campaigns|messages|custom_events)"/.test(
        text,
      ) &&
      !text.includes('api_keys')
    )
      seen.set(JSON.stringify([text, values]), { text, values: values ?? [] })
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return [...seen.values()]
}
