import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { loadModule } from 'libpg-query'
import { beforeAll, describe, expect, test } from 'vitest'
import { recordAuditEntry } from '#areas/account/audit.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import { type Db, handle, later } from '#kernel/database/handle.ts'
import { watchStatements } from '#kernel/database/statement/statement.ts'
import { openWriter } from '#kernel/database/writer.ts'
import { allowed } from '../support/statements/allowed.ts'
import {
  entryOf,
  findingsOf,
  places,
  readPlaces,
  violationsIn,
  violationsOf,
} from '../support/statements/statement-log.ts'

beforeAll(loadModule)

test('the account key of each table is read from the schema', () => {
  const keyOf = (table: string) => places.get(table)
  expect(['accounts', 'posts', 'event_queue', 'short_hosts', 'user_emails', 'link_hashes'].map(keyOf)).toEqual([
    { key: 'id' },
    { key: 'account_id' },
    { key: 'account' },
    'everywhere',
    'elsewhere',
    'elsewhere',
  ])
  expect(places.size).toBeGreaterThan(60)
  expect(
    readPlaces('create table strays (\n  account_id text not null,\n  primary key (id)\n);\n').get('strays'),
  ).toEqual({
    key: 'account_id',
  })
})

describe('the account rule', () => {
  const plants: [text: string, found: RegExp][] = [
    ['select id from posts', /^posts is not held to the account by a value: write posts\.account_id = /],
    ['select id from posts p where p.id = $1', /^posts \(p\) is not held/],
    ['select name from accounts where name = $1', /write accounts\.id = /],
    ['select id from event_queue where id = $1', /write event_queue\.account = /],
    ['select id from posts where account_id = $1 or id = $2', /posts/],
    ['select id from posts where account_id <> $1', /posts/],
    ['select id from posts where not account_id = $1', /posts/],
    ['select id from posts where account_id = chorus_account()', /posts/],
    ['select id from posts where account_id = any ($1)', /posts/],
    [
      'select p.id from posts p join messages m on m.account_id = p.account_id and m.id = p.message_id where p.account_id = $1',
      /^messages \(m\)/,
    ],
    // The condition of an outer join restricts only one side.
    [
      'select p.id from posts p left join messages m on m.account_id = $1 and p.account_id = $1 and m.id = p.message_id',
      /^posts/,
    ],
    ['select p.id from posts p full join messages m on m.account_id = $1 where p.account_id = $1', /^messages/],
    ['select id from posts p, messages m where p.account_id = $1 and m.id = p.message_id', /^messages/],
    [
      'select id from posts p where p.account_id = $1 and exists (select from entity_tags t where t.account_id = p.account_id and t.entity_id = p.id)',
      /^entity_tags/,
    ],
    ['select (select name from users u where u.id = p.created_by) from posts p where p.account_id = $1', /^users/],
    ['select id from (select id from posts) p', /^posts/],
    ['select id from posts where account_id = $1 union all select id from messages', /^messages/],
    ['with posts as (select id from posts) select id from posts', /^posts/],
    ['with old as (delete from posts where id = $1 returning id) select id from old', /^posts/],
    ['update posts p set status = $1 where id = $2', /^posts \(p\)/],
    ['update posts p set status = $1 from messages m where p.account_id = $2 and m.id = p.message_id', /^messages/],
    ['delete from posts where id = $1', /^posts/],
    ['delete from posts p using messages m where p.account_id = $1 and m.id = p.message_id', /^messages/],
    ['insert into tags (id, tag) values ($1, $2)', /^tags gets rows whose account is not a value: set /],
    ['insert into tags values ($1, $2)', /^tags gets rows/],
    ['insert into tags (account_id, id) values ($1, $2), ((select $3), $4)', /^tags gets rows/],
    [
      'insert into tags (account_id, id) select t.account_id, t.id from tags t where t.account_id = $1 returning id',
      /gets rows/,
    ],
    [
      'insert into tags (account_id, id) select $1, $2 union all select a.id, $3 from accounts a where a.id = $1 returning id',
      /gets/,
    ],
  ]
  test.each(plants)('%s', (text, found) => {
    expect(findingsOf(text)).toEqual([expect.stringMatching(found)])
  })

  test.each([
    'select id from posts where account_id = $1',
    `select id from posts where '001demo' = posts.account_id and id = $1`,
    'select a.id from accounts a join users u on u.account_id = $1 and u.id = $2 where a.id = $3::text',
    'select p.id from posts p left join messages m on m.account_id = $1 and m.id = p.message_id where p.account_id = $1',
    'select id from event_queue where account = any ($1)',
    'with recursive up as (select id from media_folders where account_id = $1 union all select f.id from media_folders f join up on f.account_id = $2 and f.folder_id = up.id) select id from up',
    'select email from user_emails where email = $1',
    'select h.host from short_hosts h join cnames c on c.account_id = $1 and c.host = h.host',
    'insert into tags (account_id, id) values ($1, $2), ($3, $4), ($5, $6)',
    'insert into tags (account_id, id) select $1, t.id from unnest($2::text[]) t (id) returning id',
    'begin',
  ])('accept %s', (text) => expect(findingsOf(text)).toEqual([]))
})

describe('the cluster rules', () => {
  const plants: [text: string, found: RegExp][] = [
    [
      'insert into tags (account_id, id) select $1, unnest($2::text[])',
      /without returning: write values, or add returning/,
    ],
    [
      'insert into tags (account_id, id) select $1, x from unnest($2::text[]) x on conflict (account_id, id) do update set tag = $3 returning id',
      /^a parameter in on conflict do update of tags/,
    ],
    [
      'insert into tags (account_id, id) values ($1, $2) on conflict (account_id, id) do update set tag = (select 1)',
      /^a query in on conflict do update of tags/,
    ],
    [
      'insert into tags (account_id, id) values ($1, $2) on conflict (account_id, id) do update set account_id = $3',
      /^tags\.account_id is set in on conflict do update/,
    ],
    ['update tags set account_id = $1 where account_id = $2', /^tags\.account_id is set: rows do not move/],
    [`update posts set sent = date_trunc('day', created) where account_id = $1`, /^date_trunc on a column/],
    ['update posts set sent = clock_timestamp() where account_id = $1', /^clock_timestamp on a column/],
    [
      `delete from posts where account_id = $1 and created + interval '1 day' < $2`,
      /^a moment and an interval on a column/,
    ],
    ['update posts set sent = case when id = $1 then now() end where account_id = $2', /^now in case or coalesce/],
    ['update posts set sent = coalesce(sent, current_timestamp) where account_id = $2', /^now in case or coalesce/],
    ['update posts set sent = $1 where account_id = $2 and created::date = $3', /^a cast to date on a column/],
    ['update posts set sent = $1 where account_id = $2 returning to_jsonb(posts)', /^to_jsonb in returning/],
    [`select case status when 'sent' then 1 end from posts where account_id = $1`, /write case when a = b/],
    [
      'insert into tags as t (account_id, id) values ($1, $2) on conflict (account_id, id) do update set tag = case t.tag when $3 then $4 end',
      /write case when a = b/,
    ],
    [
      'select u.id from users u join user_emails e on e.email = u.email where u.account_id = $1',
      /^user_emails lies elsewhere and is joined/,
    ],
    [
      'select id from users u where u.account_id = $1 and email in (select email from user_emails e where e.account = u.account_id)',
      /^user_emails lies elsewhere and is queried for each row of u/,
    ],
    [
      'delete from users where account_id = $1 and exists (select from user_emails where email = $2)',
      /^user_emails lies elsewhere: write x in/,
    ],
    [
      'with made as (insert into tags (account_id, id) values ($1, $2) returning id) select pg_notify($3, id) from made',
      /^pg_notify beside a table of an account/,
    ],
    ['select count(*) from posts, pg_notify($1, $2) where account_id = $3', /^pg_notify beside/],
    [
      'with known as (select * from chorus_inbox_search($1, $2, 5) f) select 1 from known where exists (select from inbox_item_tags t where t.account_id = $1 and t.item_id = known.item_id)',
      /^chorus_inbox_search runs queries/,
    ],
    ['select id, pg_advisory_xact_lock($1) from posts where account_id = $2', /^pg_advisory_xact_lock beside/],
    ['select id from posts where id = $1 for update skip locked', /Rows are locked within one account only\.$/],
    [
      'merge into tags t using posts p on p.account_id = $1 and t.account_id = $2 when matched then do nothing',
      /^MergeStmt is not supported/,
    ],
  ]
  test.each(plants)('%s', (text, found) => {
    expect(findingsOf(text)).toEqual([expect.stringMatching(found)])
  })

  test.each([
    'insert into tags (account_id, id) values ($1, $2) on conflict (account_id, id) do update set tag = $3',
    'update posts set sent = now() where account_id = $1 and created < now()',
    `select date_trunc('day', created), case when status = 'sent' then now() end from posts where account_id = $1`,
    'update posts set sent = $1 where account_id = $2 and $3 in (select id from job_workers where lease_until > clock_timestamp())',
    `update posts set sent = $1::timestamptz + interval '1 day' where account_id = $2`,
    `update posts set sent = $1 where account_id = $2 and created at time zone 'UTC' - interval '1 day' > $3`,
    'select pg_notify($1, $2)',
    'select item_id from chorus_inbox_search($1, $2, 5)',
    'select exists (select from user_emails where email = $1)',
    'update rate_limits set day = (select 1), calls = case day when $1 then $2 end where caller = $3',
  ])('accept %s', (text) => expect(findingsOf(text)).toEqual([]))
})

describe('every statement of the service', () => {
  const nothing = { rows: [], command: 'SELECT', affected: 0 }
  const recordedDuring = async (work: (db: Db) => Promise<unknown>) => {
    const recorded: ReturnType<typeof entryOf>[] = []
    watchStatements((text) => recorded.push(entryOf(text)))
    await work(
      handle(
        async () => nothing,
        () => {},
      ),
    ).finally(() => watchStatements(undefined))
    return recorded
  }

  test('is recorded with the file that sent it, and statements of tests are not checked', async () => {
    const doer = { accountId: '001', userId: '00A', via: undefined, visitor: undefined, now: new Date(0) }
    const recorded = await recordedDuring(async (db) => {
      await findByEmail(db, 'somebody@example.com')
      await recordAuditEntry({ ...doer, db }, { operation: 'POST /tag', fields: [] }, {})
      await db.selectFrom('posts').select('id').execute()
      await later(db, sql`select id from messages`)
      await expect(
        openWriter('postgres://127.0.0.1:1/nowhere').write([{ text: 'select 1', values: [] }]),
      ).rejects.toThrow()
    })
    expect(recorded.map(({ source }) => source)).toEqual([
      'src/areas/account/user/user-email.ts',
      'src/areas/account/audit.ts',
      undefined,
      undefined,
      undefined,
    ])
    expect(recorded.at(-1)?.text).toBe('select 1')
    expect(await violationsOf(recorded)).toEqual([])
  })

  test('that violates a rule is reported with its source in every test file', async () => {
    const entry = { text: 'select id\n  from posts p', source: 'src/areas/publishing/post/stray.ts' }
    const breach = expect.stringMatching(
      /^src\/areas\/publishing\/post\/stray\.ts: posts \(p\) is not held[^\n]+\n {2}select id from posts p$/,
    )
    expect(await violationsOf([entry])).toEqual([breach])
    expect(await violationsOf([entry])).toEqual([breach])
  })

  test('may read across accounts only with a listed purpose, and only if it needs to', () => {
    const [known = ''] = Object.keys(allowed)
    const marked = (text: string, purpose: string) =>
      violationsIn(`${text} /* across accounts: ${purpose} */`, 'src/stray.ts')
    expect(marked('select id from posts', known)).toEqual([])
    expect(marked('select id from posts', 'curiosity')).toEqual([
      expect.stringContaining('"curiosity" is not an allowed purpose'),
    ])
    expect(marked('select id from posts where account_id = $1', known)).toEqual([
      expect.stringContaining('remove acrossAccounts'),
    ])
  })

  test('that reads across accounts has a listed purpose, and no listed purpose is unused', () => {
    const sources = readdirSync('src', { recursive: true })
      .map((name) => join('src', String(name)))
      .filter((name) => name.endsWith('.ts'))
    const purposes = sources.flatMap((name) =>
      [...readFileSync(name, 'utf8').matchAll(/acrossAccounts\('([^']+)'\)/g)].map(([, purpose]) => purpose),
    )
    expect([...new Set(purposes)].sort()).toEqual(Object.keys(allowed).sort())
  })
})
