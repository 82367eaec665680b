import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { areaOf, contracts, fixtureOf, inOrder } from '../contract/collected-contracts.ts'
import { operations, routeOf } from '../contract/operations.ts'
import { ownerQuery, stopAsking } from '../support/database/owner.ts'
import { deep } from '../support/randomness.ts'
import { demoAccount, startTestService, type TestService } from '../support/service.ts'

const accounts = 10
const rowsPerAccount = 100
const plans = inOrder(({ listPlans }) => (listPlans ? [listPlans] : []))
/** Tables with many rows. */
const filled = plans.flatMap(({ rows }) =>
  rows({ each: '', rowsPerAccount }).map((statement) => /^insert into (\w+)/.exec(statement)?.[1]),
)
const examined = [...filled.map((table) => `"${table}"`), ...plans.flatMap(({ examined = [] }) => examined)]
/** Parts of statements that may be sorted. */
const mayBeSorted = [
  ...['ilike', 'join', '"id" in ', ' = any ('],
  // Merged pages of several operations.
  'from unnest(',
  ...inOrder(({ listPlans }) => listPlans?.sorted),
]
/** Factor by which the planner's statistics exceed the actual rows: its choice depends on the statistics alone. */
const times = 100

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  // The rows are valid by construction, so foreign keys need not be checked.
  const address = new URL(service.databaseUrl)
  address.searchParams.set('options', '-c session_replication_role=replica')
  const url = address.href
  await ownerQuery(
    url,
    `insert into accounts (id, created, modified, name)
    select '001bulk' || lpad(a::text, 8, '0'), now(), now(), 'Bulk' from generate_series(2, ${accounts}) a`,
  )
  const each = `(select id as account_id, n from accounts, generate_series(1, ${rowsPerAccount}) n where id <> '001demo00000002') x`
  for (const { rows } of plans) for (const statement of rows({ each, rowsPerAccount })) await ownerQuery(url, statement)
  await ownerQuery(url, 'vacuum analyze')
  await ownerQuery(
    url,
    `update pg_class set reltuples = reltuples * ${times} where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  )
  await stopAsking(url)
})
afterAll(() => service.stop())

let ordered = 0

/** An index can be read in both directions, so by default each order is tested in one of them, alternating. */
function orders(...fields: string[]): string[] {
  return fields.flatMap((field) => {
    const turn = ordered++ % 2
    return deep([turn], [0, 1]).map((direction) => `_order=${field},${direction}`)
  })
}

/** All filters and sort orders of every list, by area. */
const lists = contracts.flatMap(({ area, contract: { listPlans } }) =>
  listPlans?.lists ? [{ area, lists: listPlans.lists(orders) }] : [],
)

test.each(lists)('lists of $area use indexes at 100,000 rows', async ({ lists }) => {
  const statements = await recordStatements(async () => {
    for (const [path, queries] of Object.entries(lists)) {
      const route = path.startsWith('/') ? `GET ${path}` : path
      for (const as of route.startsWith('GET') ? [service.admin] : [service.admin, service.publisher])
        for (const query of queries) expect((await as(route, { query })).status, `${path}?${query}`).toBe(200)
    }
  })
  expect(statements.length).toBeGreaterThan(0)
  const client = new pg.Client({ connectionString: service.databaseUrl, options: '-c role=chorus_app' })
  await client.connect()
  await client.query(`select set_config('chorus.account_id', $1, false)`, [demoAccount])
  // Generic plans, as the service's cached plans are: made without knowing the values.
  await client.query('set plan_cache_mode = force_generic_plan')
  const explained: { text: string; plan: string }[] = []
  for (const [index, { text, values }] of statements.entries()) {
    await client.query(`prepare list_${index} as ${text}`)
    const literals = values
      .map((value) =>
        Array.isArray(value)
          ? `{${value.map((one) => JSON.stringify(one instanceof Date ? one.toISOString() : String(one))).join()}}`
          : value instanceof Date
            ? value.toISOString()
            : value,
      )
      .map((value) => pg.escapeLiteral(String(value)))
      .join(', ')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute list_${index}(${literals})`)
    explained.push({ text, plan: rows.map((row) => row['QUERY PLAN']).join('\n') })
  }
  await client.end()
  const problems = explained.filter(({ text, plan }) => problemOf(text, plan))
  expect(problems.map(({ text, plan }) => `${problemOf(text, plan)}: ${text}\n${plan}`)).toEqual([])
})

function problemOf(text: string, plan: string): 'sequential scan' | 'sort' | undefined {
  if (plan.includes('Seq Scan')) return 'sequential scan'
  // Without a search, a list is read from its index in order.
  const isAllowed = mayBeSorted.some((part) => text.includes(part))
  return !isAllowed && plan.includes('Sort') ? 'sort' : undefined
}

test('the inbox search uses its index for frequent, rare and absent words', async () => {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  // As set by the function itself, whose inner plans are not visible here.
  await client.query('set enable_seqscan = off')
  await client.query('set enable_indexscan = off')
  for (const word of ['word7', 'common', 'absent']) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select id from inbox_items where account_id = $1 and words @@ $2 limit 5001`,
      [demoAccount, `'${demoAccount}:${word}'`],
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toContain('Seq Scan')
    expect(plan).toContain('inbox_items_words')
  }
  await client.end()
})

test.each([
  [`select * from teams where name like '%9'`, 'sequential scan'],
  [`select * from teams where account_id = '${demoAccount}' order by modified, id limit 25`, 'sort'],
  [`select * from teams where account_id = '${demoAccount}' order by created, id limit 25`, undefined],
])('the check classifies the plan of %s as %s', async (text, problem) => {
  const rows = await ownerQuery<{ 'QUERY PLAN': string }>(service.databaseUrl, `explain ${text}`)
  expect(problemOf(text, rows.map((row) => row['QUERY PLAN']).join('\n'))).toBe(problem)
})

const unexamined = plans.flatMap(({ unexamined = [] }) => unexamined)
const isPaged = ({ method, reply }: Endpoint) =>
  method === 'GET' && 'Total' in ((reply.schema as { properties?: object }).properties ?? {})

test.each(
  operations
    .filter((endpoint) => isPaged(endpoint) && !unexamined.includes(routeOf(endpoint)))
    .map((endpoint) => [routeOf(endpoint), endpoint] as const),
)('%s is covered by list plans', (route, endpoint) => {
  const beginning = route.replace('GET ', '').replace(/\{.*/, '')
  const isExamined = lists.some(({ lists }) => Object.keys(lists).some((list) => list.startsWith(beginning)))
  expect(isExamined, `add its filters and orders to listPlans in ${fixtureOf(areaOf(endpoint))}`).toBe(true)
})

interface Statement {
  text: string
  values: unknown[]
}

/** The list statements that the service sends to the database during some work. */
async function recordStatements(work: () => Promise<void>): Promise<Statement[]> {
  const seen = new Map<string, Statement>()
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const { text, values } = (args[0] as { statements?: Statement[] }).statements?.at(-1) ?? {}
    if (
      text &&
      /^\s*(select|with)\b/.test(text) &&
      !/\b(insert|update|delete)\b/.test(text) &&
      examined.some((part) => text.includes(part)) &&
      !text.includes('api_keys')
    )
      // Plans don't depend on the values, so one execution of each text is enough.
      seen.set(text, { text, values: values ?? [] })
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return [...seen.values()]
}
