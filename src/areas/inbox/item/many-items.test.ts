import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { pagesRead } from '../../../../tests/support/measurement.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  await ownerQuery(service.databaseUrl, 'delete from inbox_items')
})
afterAll(() => service.stop())

const [few, many] = [1_000, deep(5_000, 10_000)]

/** One in ten open, a fifth assigned; neighbouring rows aren't neighbours by activity. */
async function fill(from: number, to: number) {
  const address = new URL(service.databaseUrl)
  address.searchParams.set('options', '-c session_replication_role=replica')
  const query = (text: string) => ownerQuery(address.href, text)
  await query(`insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, status, assignee_id, remote_key, event_date, last_activity, person_id, text)
    select '${demoAccount}', 'eitmany' || lpad(n::text, 8, '0'), now(), now(), '003-1-' || n % 20, (array['Facebook', 'Twitter', 'LinkedIn', 'TikTok'])[n % 4 + 1],
      (array['Conversation', 'Post', 'Mention', 'Reply'])[n / 4 % 4 + 1], 'owned', case when n % 10 = 0 then 'open' else 'closed' end, case when n / 10 % 5 = 0 then '00Ademo00000001' else '' end,
      'many:' || n, now(), now() - abs(hashint4(n)) % 1000000 * interval '1 minute', 'person', 'Words'
    from generate_series(${from}, ${to}) n`)
  await query('delete from inbox_item_counts')
  await query(`insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items)
    select account_id, credential_id, network, item_type, status, assignee_id, count(*) from inbox_items group by 1, 2, 3, 4, 5, 6`)
  await query('vacuum analyze inbox_items, inbox_item_counts')
}

const filters = ['', 'status=open', 'status=closed', 'type=Mention', 'network=TikTok', 'assignee_id=00Ademo00000001']
const lists = [
  ...filters.map((query) => `GET /conversation?${query}`),
  ...['mine', 'unassigned', 'open', 'closed'].map((view) => `GET /app/api/conversation?_count=20&view=${view}`),
]

test('the cost of an inbox list does not grow with the number of items', async () => {
  const costs = async () => {
    const pages: number[] = []
    for (const list of lists) {
      const [route = '', query = ''] = list.split('?')
      const read = async () => expect((await service.admin(route, { query })).status).toBe(200)
      pages.push(await pagesRead(service.databaseUrl, read))
    }
    return pages
  }
  await fill(1, few)
  const before = await costs()
  await fill(few + 1, many)
  const after = await costs()
  expect((await service.admin('GET /conversation')).json.Conversations.Total).toBe(many)
  for (const [at, pages] of after.entries()) {
    const ratio = pages / Math.max(least, before[at] ?? 0)
    expect(ratio, `${lists[at]}: ${before[at]} and ${pages} pages`).toBeLessThanOrEqual(1.5)
  }
})

/** Pages read by a list of twenty-five scattered rows; in a small table some rows share a page by chance. */
const least = 40
