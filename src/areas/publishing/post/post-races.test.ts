import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { careersPage, image, later, posting, profiles } from './post.fixture.ts'

let service: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = posting(service)
})
afterAll(() => service.stop())

const twenty = <Result>(call: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, n) => call(n)))
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort((a, b) => a - b)

test('of twenty concurrent deletions one succeeds, and the campaign counts it once', async () => {
  const { Id } = await given.post()
  const answers = await twenty(() => service.publisher(`DELETE /post/${Id}`))
  expect(statuses(answers)).toEqual([200, ...Array(19).fill(404)])
  expect((await given.events(Id)).map(({ type }) => type)).toEqual(['postCreated', 'postDeleted'])
  expect(await given.wrongCounts()).toEqual([])
})

test('a post created while its campaign is archived is refused or withdrawn', async () => {
  for (let round = 0; round < deep(2, 3); round++) {
    const campaignId = await given.campaign('Ends')
    const messageId = await given.message({ campaignId })
    const archive = () => service.publisher(`POST /campaign/${campaignId}`, { body: { status: 'archived' } })
    const answers = await twenty((n) => (n === 7 ? archive() : given.ask({ messageId })))
    expect(answers[7]?.status).toBe(200)
    for (const { status, json } of answers)
      if (status !== 200) expect([status, json.Errors.API.Error]).toEqual([409, expect.stringContaining('archived')])
    expect((await service.reader('GET /post', { query: `messageId=${messageId}` })).json.Total).toBe(0)
  }
  expect(await given.wrongCounts()).toEqual([])
})

test('a post created while its message is deleted is refused or deleted with it', async () => {
  for (let round = 0; round < deep(2, 3); round++) {
    const messageId = await given.message()
    const answers = await twenty((n) =>
      n === 7 ? service.publisher(`DELETE /message/${messageId}`) : given.ask({ messageId }),
    )
    expect(answers[7]?.status).toBe(200)
    for (const { status } of answers) expect([200, 400]).toContain(status)
    expect((await service.reader('GET /post', { query: `messageId=${messageId}` })).json.Total).toBe(0)
  }
  expect(await given.wrongCounts()).toEqual([])
})

test('twenty concurrent updates are applied one after the other', async () => {
  const { Id } = await given.post()
  const bodies = [
    { status: 'draft' },
    { status: 'pending' },
    { firstComment: { text: 'A comment', media: image } },
    { firstComment: null },
    { credentialIds: `${profiles.linkedInPage},${careersPage}` },
    { credentialIds: careersPage, startDateTime: later + 9 },
  ]
  const answers = await twenty((n) => service.publisher(`POST /post/${Id}`, { body: bodies[n % bodies.length] }))
  expect(statuses(answers)).toEqual(Array(20).fill(200))
  const { json } = await service.reader(`GET /post/${Id}`)
  const sends = await given.sends(Id)
  const ofPost = sends.filter(({ kind }) => kind === 'post')
  expect(ofPost.map(({ credential }) => credential)).toEqual(json.Post.Credentials.split(',').sort())
  expect(sends.length).toBe(ofPost.length * (json.Post.FirstComment ? 2 : 1))
  expect(await given.wrongCounts()).toEqual([])
})

test('concurrent posts in one queue get different slots', async () => {
  await ownerQuery(
    service.databaseUrl,
    `insert into queue_slots (account_id, credential_id, weekday, minutes)
    select '001demo00000001', $1, day, 600 from generate_series(0, 6) day on conflict do nothing`,
    [careersPage],
  )
  const answers = await twenty(() => given.ask({ status: 'inqueue', credentialIds: careersPage }))
  expect(statuses(answers)).toEqual(Array(20).fill(200))
  expect(new Set(answers.map(({ json }) => json.Post.StartDateTime)).size).toBe(20)
})

test('after random creates, updates, moves, sends and deletes every counter equals a recount', async () => {
  const campaigns = await Promise.all(['One', 'Two', 'Three'].map((name) => given.campaign(name)))
  const messages = await Promise.all(campaigns.map((campaignId) => given.message({ campaignId })))
  const ids: string[] = []
  // Deterministic.
  let seed = 20_261_115
  const pick = <Value>(values: readonly Value[]) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return values[Math.floor((seed / 2_147_483_648) * values.length)] as Value
  }
  const callers = [service.admin, service.publisher, service.contributor]
  const step = async () => {
    const [as, id] = [pick(callers), pick(ids) ?? '']
    const kind = pick(['create', 'create', 'status', 'message', 'move', 'delete', 'edit'])
    if (kind === 'create' || ids.length === 0) {
      const { json } = await given.ask({ messageId: pick(messages), status: pick(['pending', 'draft']) }, as)
      if (json.Post) ids.push(json.Post.Id)
    } else if (kind === 'status') await as(`POST /post/${id}`, { body: { status: pick(['pending', 'draft']) } })
    else if (kind === 'message') await as(`POST /post/${id}`, { body: { messageId: pick(messages) } })
    else if (kind === 'move') await as(`POST /post/${id}/change-campaign`, { body: { campaignId: pick(campaigns) } })
    else if (kind === 'edit') await as(`POST /message/${pick(messages)}`, { body: { message: 'Other words' } })
    else await as(`DELETE /post/${id}`)
  }
  for (let round = 0; round < deep(10, 18); round++) await Promise.all(Array.from({ length: 5 }, step))
  expect(await given.wrongCounts()).toEqual([])
  const counters = await ownerQuery<{ posts: number }>(
    service.databaseUrl,
    'select coalesce(sum(posts), 0)::int as posts from post_counts where campaign_id = any ($1)',
    [campaigns],
  )
  let total = 0
  for (const campaignId of campaigns)
    total += (await service.admin('GET /post', { query: `campaignId=${campaignId}` })).json.Total
  expect([total, total > 0]).toEqual([counters[0]?.posts, true])
})
