import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../../../tests/support/caller.ts'
import { until } from '../../../../tests/support/publishing.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, day, pablo, type StoryHelpers, storyHelpers, unix } from './story.fixture.ts'

const asiaPacific = '025demo00000002'
const chidi = '00Ademo00000003'
const tags = ['0AFdemo00000001', '0AFdemo00000002']
const now = Date.now()

/** A story in the test model, built from the requests, not from the responses. */
interface Known {
  id: string
  /** In the order of creation. */
  created: number
  boardId: string
  createdBy: string
  status: 'draft' | 'pending' | 'rejected' | 'approved'
  isApproved: boolean
  isFeatured: boolean
  isRepost: boolean
  publishDate: number
  expirationDate: number
  shareCount: number
  words: string[]
  topicIds: string[]
  tagIds: string[]
}

type Query = { [name: string]: string }

let service: TestService
let given: StoryHelpers
let boards: { walking: string; plain: string; hidden: string; archived: string }
let topics: string[]
let known: Known[]

/** Generated stories, always from the same seed. */
const sampled = fc.sample(
  fc.record({
    place: fc.constantFrom('walking', 'walking', 'plain', 'hidden', 'archived'),
    kind: fc.constantFrom('plain', 'plain', 'plain', 'draft', 'waiting', 'approved', 'rejected', 'repost'),
    by: fc.constantFrom('admin', 'publisher'),
    // Days from now to publication and expiry; never today.
    from: fc.constantFrom(-30, -20, -10, -3, 3, 10, 20),
    lasts: fc.constantFrom(4, 8, 40),
    isFeatured: fc.boolean(),
    title: fc.constantFrom('Walks by train', 'Mending 100% of it', 'Under_scored'),
    topics: fc.subarray([0, 1], { minLength: 1 }),
    tags: fc.subarray(tags),
    shareCount: fc.integer({ min: 0, max: 4 }),
  }),
  { numRuns: 34, seed: 20260831 },
)
/** In addition to random ones, one approved and published story. */
const plans = sampled.map((plan, index) =>
  index === 0 ? { ...plan, place: 'walking' as const, kind: 'approved' as const, from: -3, lasts: 40 } : plan,
)

beforeAll(async () => {
  service = await startTestService()
  given = storyHelpers(service)
  const [walkingBoard, plain, hidden, archived] = [
    await given.board({}, 'Walking', 'Repairs'),
    await given.board(),
    await given.board(),
    await given.board(),
  ]
  boards = { walking: walkingBoard.id, plain: plain.id, hidden: hidden.id, archived: archived.id }
  topics = walkingBoard.topicIds
  // The demo's own stories aren't in the model.
  const others = await given.query<{ id: string }>('select id from boards where id <> all ($1)', [
    Object.values(boards),
  ])
  await given.query(`update boards set status = 'archived' where id = any ($1)`, [others.map(({ id }) => id)])
  const workflowId = await given.workflow()
  const [original] = await given.postlogs('LinkedIn')
  known = []
  for (const [created, plan] of plans.entries()) known.push(await tell(plan, created, workflowId, original?.id ?? ''))
  await given.query(`update boards set status = 'archived' where id = $1`, [boards.archived])
  await service.admin(`POST /team-entity/${boards.hidden}`, { body: { teamIds: asiaPacific } })
  await letTimePass()
}, 120_000)
afterAll(() => service.stop())

async function tell(plan: (typeof plans)[number], created: number, workflowId: string, postlogId: string) {
  const { place, kind, by, isFeatured, title, shareCount, tags: tagIds } = plan
  const [publishDate, expirationDate] = [now + plan.from * day, now + (plan.from + plan.lasts) * day].map(
    (moment) => unix(moment) * 1000,
  ) as [number, number]
  const isRepost = kind === 'repost'
  const topicIds = place === 'walking' ? plan.topics.map((index) => topics[index] ?? '') : []
  const goesThrough = kind === 'waiting' || kind === 'approved' || kind === 'rejected'
  const description = `Number ${created} of all`
  const body = {
    boardId: boards[place],
    title,
    description,
    topicIds,
    tagIds,
    isFeatured,
    publishDatetime: unix(publishDate),
    expirationDatetime: unix(expirationDate),
    isDraft: kind === 'draft',
    ...(goesThrough && { workflowId }),
    ...(isRepost && { postlogId }),
  }
  const { ID: id } = await given.make(body, service[by])
  if (kind === 'approved' || kind === 'rejected') await given.decide(id, kind === 'approved' ? 1 : 0)
  if (isRepost) await until(async () => (await given.read(id)).Status === 'approved')
  await given.query('update stories set share_count = $2 where id = $1', [id, shareCount])
  const status = ({ draft: 'draft', waiting: 'pending', rejected: 'rejected' } as const)[kind as 'draft'] ?? 'approved'
  const story: Known = {
    id,
    created,
    boardId: boards[place],
    createdBy: by === 'admin' ? ada : pablo,
    status,
    isFeatured,
    isRepost,
    isApproved: kind === 'approved',
    publishDate,
    expirationDate,
    shareCount,
    topicIds,
    tagIds,
    words: [title, description],
  }
  return story
}

/** Some stories reach their next phase before the job has run. */
async function letTimePass() {
  const scheduled = known.filter(({ status, publishDate }) => status === 'approved' && publishDate > now)
  for (const [index, story] of scheduled.entries()) {
    if (index % 3 === 0) continue
    const by = index % 3 === 1 ? 30 * day : 200 * day
    const [publishDate, expirationDate] = [
      story.publishDate - by,
      story.expirationDate - by + (index % 3 === 1 ? 90 : 0) * day,
    ]
    Object.assign(story, { publishDate, expirationDate })
    await given.query(
      `update stories set publish_date = to_timestamp($2), expiration_date = to_timestamp($3), phase_ends = to_timestamp($2) where id = $1`,
      [story.id, publishDate / 1000, expirationDate / 1000],
    )
  }
}

/** Reference implementation of a list. */
function listed(query: Query, isAdmin: boolean): { ids: string[]; total: number } {
  const words = (name: string) => query[name]?.split(',')
  const isOn = (name: string) => (query[name] === undefined ? undefined : ['1', 'true'].includes(query[name]))
  const states: { [status: string]: (story: Known) => boolean } = {
    draft: ({ status }) => status === 'draft',
    scheduled: ({ status, publishDate }) => status === 'approved' && publishDate > now,
    published: (story) => story.status === 'approved' && story.publishDate <= now && story.expirationDate > now,
    expired: ({ status, expirationDate }) => status === 'approved' && expirationDate <= now,
  }
  const approvals: { [status: string]: (story: Known) => boolean } = {
    pending: ({ status }) => status === 'pending',
    rejected: ({ status }) => status === 'rejected',
    approved: ({ isApproved }) => isApproved,
  }
  const matching = known.filter(
    (story) =>
      story.boardId !== boards.archived &&
      (isAdmin || story.boardId !== boards.hidden) &&
      (query.boardId === undefined || story.boardId === query.boardId) &&
      (query.status === undefined || states[query.status]?.(story)) &&
      (query.approveStatus === undefined || approvals[query.approveStatus]?.(story)) &&
      (words('createdBy')?.includes(story.createdBy) ?? true) &&
      (words('topicIds')?.some((id) => story.topicIds.includes(id)) ?? true) &&
      (words('tagIds')?.some((id) => story.tagIds.includes(id)) ?? true) &&
      (isOn('isFeatured') ?? story.isFeatured) === story.isFeatured &&
      (isOn('isRepost') ?? story.isRepost) === story.isRepost &&
      story.words.some((text) => text.toLowerCase().includes((query.q ?? '').toLowerCase())),
  )
  const [field = '', direction] = (query._order ?? 'publishDate,0').split(',')
  const rank = (story: Known) => Number(story[field as 'created'])
  const ordered = matching.toSorted((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1))
  if (direction === '0') ordered.reverse()
  const [page, count] = [Number(query._page ?? 0), Number(query._count ?? 20)]
  return { ids: ordered.slice(page * count, (page + 1) * count).map(({ id }) => id), total: matching.length }
}

async function expectSameResult(query: Query, as: Caller = service.admin) {
  const { status, json } = await as('GET /story', { query: new URLSearchParams(query).toString() })
  expect(status, JSON.stringify(json)).toBe(200)
  const seen = { ids: json.Items.map(({ ID }: { ID: string }) => ID), total: json.Total }
  expect(seen, JSON.stringify(query)).toEqual(listed(query, as === service.admin))
}

const statuses = ['draft', 'scheduled', 'published', 'expired'] as const
const approveStatuses = ['pending', 'rejected', 'approved'] as const
const pages = ['0', '1', '9']
/** Each order tests one of the pages in turn. */
const pagesOf = (order: number) => deep(pages.slice(order % 3, (order % 3) + 1), pages)
const fields = ['created', 'publishDate', 'expirationDate', 'shareCount', 'isFeatured'] as const

describe('the list of stories, against a model of the contract', () => {
  test('the test data contains every case', () => {
    for (const status of statuses) expect(listed({ status }, true).total, status).toBeGreaterThan(0)
    for (const approveStatus of approveStatuses)
      expect(listed({ approveStatus }, true).total, approveStatus).toBeGreaterThan(0)
    expect(listed({ status: 'published', approveStatus: 'approved' }, true).total).toBeGreaterThan(0)
    expect(listed({ isRepost: '1' }, true).total).toBeGreaterThan(0)
    expect(listed({}, true).total).toBeGreaterThan(listed({}, false).total)
  })

  test('every status with every approveStatus', async () => {
    for (const status of [undefined, ...statuses])
      for (const approveStatus of [undefined, ...approveStatuses])
        await expectSameResult({ ...(status && { status }), ...(approveStatus && { approveStatus }), _count: '100' })
  })

  test('every order, both ways, page by page', async () => {
    for (const field of fields)
      for (const direction of [0, 1])
        for (const _page of pagesOf(fields.indexOf(field) + direction))
          await expectSameResult({ _order: `${field},${direction}`, _page, _count: '7' })
  })

  test('combined filters, for users with and without access to all boards', async () => {
    const some = <Value extends string>(...values: Value[]) => fc.constantFrom(...values)
    const query = () =>
      fc.record(
        {
          boardId: some(...Object.values(boards).filter((id) => id !== boards.hidden)),
          status: some(...statuses),
          approveStatus: some(...approveStatuses),
          createdBy: some(ada, pablo, `${ada},${pablo}`, chidi),
          topicIds: some(topics[0] ?? '', topics[1] ?? '', topics.join()),
          tagIds: some(tags[0] ?? '', tags.join(), '0AFabsent000000', `${tags[1]},0AFabsent000000`),
          isFeatured: some('true', '1', 'false', '0'),
          isRepost: some('true', '1', 'false', '0'),
          q: some('TRAIN', '100%', 'r_s', 'number 1', '%', 'nowhere'),
          _order: fc.tuple(some(...fields), some('0', '1')).map((parts) => parts.join()),
          _page: some('0', '1'),
          _count: some('1', '5', '100'),
        },
        { requiredKeys: [] },
      )
    await fc.assert(
      fc.asyncProperty(query(), fc.boolean(), (request, isAdmin) =>
        expectSameResult(request as Query, isAdmin ? service.admin : service.publisher),
      ),
      { numRuns: deep(40, 90), seed: 7 },
    )
  })

  test('the same after stories changed their phase', async () => {
    const due = `select from stories where phase_ends <= now()`
    expect((await given.query(due)).length).toBeGreaterThan(0)
    await given.query(`delete from job_schedule where name = 'advocacy.advance-stories'`)
    await expect.poll(async () => (await given.query(due)).length, { timeout: 60_000 }).toBe(0)
    for (const status of statuses) await expectSameResult({ status })
    const counted = `select sum(stories)::int as sum from story_counts`
    const there = `select count(*)::int as sum from stories`
    expect(await given.query(counted)).toEqual(await given.query(there))
  })
})

test.each([
  ['boardId=brdabsent000000', /boardId names no board/],
  ['boardId=nonsense', /boardId names no board/],
  ['status=approved', /status must be one of draft, scheduled, published, expired/],
  ['approveStatus=draft', /approveStatus must be one of pending, rejected, approved/],
  ['createdBy=00Ademo00000001,00Aabsent000000', /createdBy names no user/],
  ['topicIds=tpcabsent000000', /topicIds names no topic/],
  ['tagIds=nonsense', /tagIds must hold ids/],
  ['isFeatured=perhaps', /isFeatured/],
  ['isRepost=2', /isRepost/],
  [`q=${'x'.repeat(256)}`, /255/],
  ['_count=0', /Page size 0 is not valid/],
  ['_count=101', /Page size 101 is not valid/],
  ['_count=ten', /Page size ten is not valid/],
  ['_page=-1', /_page/],
  ['_order=title,1', /_order must be one of/],
  ['_order=created,2', /_order must be one of/],
])('GET /story?%s is rejected', async (query, sentence) => {
  const { status, json } = await service.reader('GET /story', { query })
  expect([status, json.Errors?.API.Error]).toEqual([400, expect.stringMatching(sentence)])
})

test('a board of another team looks like a missing one', async () => {
  const [hidden, absent] = [boards.hidden, 'brdabsent000000']
  const respond = async (boardId: string) =>
    (await service.publisher('GET /story', { query: `boardId=${boardId}` })).text
  expect((await respond(hidden)).replace(hidden, absent)).toBe(await respond(absent))
})
