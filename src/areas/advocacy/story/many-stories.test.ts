import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { pagesRead } from '../../../../tests/support/measurement.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  // Dependent rows cost the same everywhere.
  await ownerQuery(service.databaseUrl, 'delete from stories')
})
afterAll(() => service.stop())

const boards = ['brdmany00000001', 'brdmany00000002', 'brdmany00000003']
/** Manually with as many as a large account has; some thousands show the same much faster. */
const most = Number(process.env.MANY_STORIES ?? deep(5_000, 10_000))

/** This many in total over three years, one in ten pending or not published; valid by construction, so constraints aren't checked per row. */
async function fill(from: number, to: number) {
  const address = new URL(service.databaseUrl)
  address.searchParams.set('options', '-c session_replication_role=replica')
  const query = (text: string) => ownerQuery(address.href, text)
  for (const id of boards)
    await query(`insert into boards (account_id, id, created, modified, created_by, modified_by, name, slug)
      values ('${demoAccount}', '${id}', now(), now(), '', '', 'Many', '${id}') on conflict do nothing`)
  // Neighbouring rows aren't neighbours in any order.
  const days = `(abs(hashint4(n)) % 1000 + 1)`
  const phase = `case n % 10 when 0 then 'draft' when 1 then 'scheduled' when 2 then 'published' else 'expired' end`
  await query(`insert into stories (account_id, id, created, modified, created_by, modified_by, board_id, campaign_id, publish_date, expiration_date,
      is_featured, title, description, status, phase, phase_ends, share_count)
    select '${demoAccount}', '0ASmany' || lpad(n::text, 8, '0'), now() - abs(hashint4(n + 1)) % 100000 * interval '15 minutes', now(), '00Ademo0000000' || n % 3 + 1, '',
      'brdmany0000000' || case when n % 100 = 0 then 3 else n % 2 + 1 end, '002demo00000001',
      now() + (case n % 10 when 1 then 1 else -1 end) * ${days} * interval '1 day',
      now() + case when n % 10 < 3 then 1001 + ${days} else -0.001 * ${days} end * interval '1 day', n % 50 = 0, 'Story ' || n, 'About it',
      case n % 10 when 0 then 'draft' else 'approved' end, ${phase},
      case n % 10 when 1 then now() + ${days} * interval '1 day' when 2 then now() + (1001 + ${days}) * interval '1 day' end, abs(hashint4(n + 2)) % 40
    from generate_series(${from}, ${to}) n`)
  await query('delete from story_counts')
  await query(`insert into story_counts (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved, stories)
    select account_id, board_id, created_by, phase, is_featured, type <> 'text', is_approved, count(*) from stories group by 1, 2, 3, 4, 5, 6, 7`)
  await query('vacuum analyze stories, story_counts, boards')
}

const orders = ['created', 'publishDate', 'expirationDate', 'shareCount', 'isFeatured'].flatMap((field) => [
  `_order=${field},0`,
  `_order=${field},1`,
])
const lists = [
  '',
  ...boards.map((id) => `boardId=${id}`),
  'isFeatured=1',
  'createdBy=00Ademo00000001',
  'approveStatus=pending',
  ...orders.flatMap((order, at) => {
    const all = [order, `${order}&boardId=${boards[0]}`, `${order}&status=expired`]
    return deep(all.slice(at % 3, (at % 3) + 1), all)
  }),
  ...['draft', 'scheduled', 'published'].map((status) => `status=${status}`),
]

test('the cost of a story list does not grow with the number of stories', async () => {
  const read = async (query: string) => {
    const { status, json } = await service.admin('GET /story', { query })
    expect(status, JSON.stringify(json)).toBe(200)
    return json.Total
  }
  const costs = async () => {
    const pages: number[] = []
    for (const query of lists) pages.push(await pagesRead(service.databaseUrl, () => read(query)))
    return pages
  }
  await fill(1, 1_000)
  const few = await costs()
  const total = await read('')
  await fill(1_001, most)
  const many = await costs()
  expect(await read(''), 'and the total is right').toBe(total + most - 1_000)
  const ratios = many.map((pages, index) => pages / Math.max(least, few[index] ?? 0))
  console.log(`pages read: ${few} and ${many}, at most ${Math.max(...ratios).toFixed(2)} times as many`)
  for (const [index, ratio] of ratios.entries())
    expect(ratio, `${lists[index]}: ${few[index]} and ${many[index]} pages`).toBeLessThanOrEqual(1.5)
}, 240_000)

/** Pages read by a list of twenty scattered rows; in a small table some rows share a page by chance. */
const least = 30
