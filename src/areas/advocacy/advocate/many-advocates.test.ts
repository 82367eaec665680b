import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { pagesRead } from '../../../../tests/support/measurement.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const boardId = 'brdmany00000001'
const most = deep(5_000, 50_000)

/** Fills up to this many rows with their counters; valid by construction, so constraints aren't checked per row. */
async function fillUpTo(count: number) {
  const address = new URL(service.databaseUrl)
  address.searchParams.set('options', '-c session_replication_role=replica')
  const query = (text: string) => ownerQuery(address.href, text)
  const one = `n > (select members from boards where account_id = '${demoAccount}' and id = '${boardId}')`
  await query(`insert into boards (account_id, id, created, modified, created_by, modified_by, name, slug)
    values ('${demoAccount}', '${boardId}', now(), now(), '', '', 'Many', 'many') on conflict do nothing`)
  await query(`insert into users (account_id, id, created, modified, first_name, last_name, email)
    select '${demoAccount}', '00Bmany' || lpad(n::text, 8, '0'), now(), now(), 'Many', n::text, 'many' || n || '@example.com'
    from generate_series(1, ${count}) n where ${one}`)
  await query(`insert into user_emails (email, account, user_id)
    select 'many' || n || '@example.com', '${demoAccount}', '00Bmany' || lpad(n::text, 8, '0') from generate_series(1, ${count}) n where ${one}`)
  await query(`insert into board_members (account_id, board_id, user_id, created, invited_by, invited, role, last_seen)
    select '${demoAccount}', '${boardId}', '00Bmany' || lpad(n::text, 8, '0'), now() + n * interval '1 second', '', now(), 'contributor', now() - n * interval '2 minutes'
    from generate_series(1, ${count}) n where ${one}`)
  await query(`update counters set value = value + ${count} - (select members from boards where account_id = '${demoAccount}' and id = '${boardId}')
    where account_id = '${demoAccount}' and of_kind = 'account'`)
  await query(`update boards set members = ${count} where id = '${boardId}'`)
  await query('vacuum analyze users, user_emails, board_members, boards')
}

const lists = ['', '_count=100', `boardId=${boardId}`, `boardId=${boardId}&_count=100`].concat([
  'email=many77@example.com',
  `boardId=${boardId}&email=many77@example.com`,
  `boardId=${boardId}&lastSeen=1`,
])

test('the cost of a list of advocates does not grow with their number', async () => {
  const read = async (as: TestService['admin'], query: string) => {
    const { status, json } = await as('GET /advocate', { query })
    expect([status, json.Items.length > 0]).toEqual([200, true])
    return json.Total
  }
  const costs = async () => {
    const pages: number[] = []
    for (const as of [service.admin, service.publisher])
      for (const query of lists) pages.push(await pagesRead(service.databaseUrl, () => read(as, query)))
    return pages
  }
  await fillUpTo(1_000)
  const few = await costs()
  const total = await read(service.admin, '')
  await fillUpTo(most)
  const many = await costs()
  expect(await read(service.admin, ''), 'and the number of all is right').toBe(total + most - 1_000)
  expect(await read(service.admin, `boardId=${boardId}`)).toBe(most)
  console.log(`pages read: ${few} and ${many}`)
  for (const [index, pages] of many.entries()) {
    const query = lists[index % lists.length] ?? ''
    const least = query.includes('_count=100') ? 100 * perRow : 25 * perRow
    const ratio = pages / Math.max(least, few[index] ?? 0)
    expect(ratio, `${query}: ${few[index]} and ${pages} pages`).toBeLessThanOrEqual(1.5)
  }
}, 120_000)

/** Pages read per single row lookup; a small table may be cheaper to scan. */
const perRow = 4
