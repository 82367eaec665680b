import { afterAll, beforeAll, expect, test } from 'vitest'
import { change, systemActor } from '#kernel/change.ts'
import { newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../../tests/support/files.ts'
import { profiles, until } from '../../../../tests/support/publishing.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { demoAccount, quick, startTestService } from '../../../../tests/support/service.ts'
import { type Collecting, day, hour, minute, startCollecting } from './metrics.fixture.ts'
import { storeReadings } from './post-metrics.ts'

let service: Collecting
beforeAll(async () => {
  service = await startCollecting()
})
afterAll(() => service.stop())

const robin = { id: '7000000000000042', name: 'Robin Reader', username: 'robinreads' }

const counters = (kind: string, id: string) =>
  service.query<{ name: string; value: number }>(
    `select name, value::int from counters where of_kind = $1 and of_id = $2 and value <> 0 order by name`,
    [kind, id],
  )

test('network metrics are stored with the post, its profiles, its message and its campaign', async () => {
  const campaignId = await service.campaign('Counted')
  const post = await service.published('Twitter', profiles.x, { campaignId })
  const [remoteId = ''] = post.remoteIds
  await service.sandbox.inject({
    network: 'Twitter',
    profile: '1500000000000000501',
    kind: 'reply',
    postRemoteId: remoteId,
    from: robin,
    text: 'Where is that?',
  })
  expect(await service.stats(`post/${post.Id}`)).toMatchObject({ Likes: 0, ImpressionsAdded: 0 })
  await service.move(6 * hour)
  await service.read(post.Id)
  const reported = await service.reported('Twitter', remoteId)
  expect(reported.likes).toBeGreaterThan(0)
  expect(reported.comments).toBe(1)
  const numbers = {
    Likes: reported.likes,
    Comments: reported.comments,
    Shares: reported.shares,
    ImpressionsAdded: reported.impressions,
    LinkClicks: 0,
    Conversions: 0,
  }
  expect(await service.stats(`post/${post.Id}`)).toEqual(numbers)
  const [{ Id: postlog }] = (await service.reader('GET /postlog', { query: `postId=${post.Id}` })).json.Postlogs
  expect(await service.stats(`postlog/${postlog}`)).toMatchObject(numbers)
  const { json } = await service.reader(`GET /analytics/${post.Id}`)
  expect(json).toEqual({
    Result: true,
    Stats: { ...numbers, EngagementsNetworkSpecific: { Clicks: reported.clicks, Saves: reported.saves } },
  })
  const [Likes, Comments] = [reported.likes, reported.comments]
  expect((await service.reader(`GET /post/${post.Id}`)).json.Post).toMatchObject({ Likes, Comments })
  expect((await service.reader(`GET /campaign/${campaignId}`)).json.Campaign).toMatchObject({ Likes, Comments })
  expect(await counters('message', post.MessageId)).toEqual(await counters('post', post.Id))
  expect(await counters('profile-post', `${post.Id} ${profiles.x}`)).toEqual(await counters('post', post.Id))
})

test('unsupported metrics are -1 in every response', async () => {
  const { json } = await service.reader('GET /post', { query: 'status=complete&_count=100' })
  const film = json.Items.find(({ Network }: { Network: string }) => Network === 'YouTube')
  expect((await service.stats(`post/${film.Id}`)).ImpressionsAdded).toBe(-1)
  expect((await service.reader(`GET /analytics/${film.Id}`)).json.Stats.ImpressionsAdded).toBe(-1)
})

test('two processes read a post, less often when it is older; counters match the network, and the history adds up', async () => {
  const environment = { CHORUS_DEMO: '1', CHORUS_SANDBOX_PORT: new URL(service.sandbox.url).port }
  const { databaseUrl, clock } = service
  const other = await startTestService({ databaseUrl, clock, environment, pollingIntervals: quick })
  const page = await service.published('LinkedIn', `${profiles.linkedInPage},003-1-2414184`)
  const waits: number[] = []
  const moves = deep([11 * minute, hour, 3 * day], [11 * minute, hour, 5 * hour, 2 * day, 3 * day])
  for (const wait of moves) {
    await service.move(wait)
    await service.read(page.Id)
    const rows = await service.query<{ due: Date }>('select due from post_metrics where post_id = $1', [page.Id])
    waits.push(Math.max(...rows.map(({ due }) => due.getTime())) - service.clock.now().getTime())
  }
  await other.stop()
  expect(waits.map((wait) => Math.round(wait / minute))).toEqual(
    deep([10, 36, 24 * 60], [10, 36, 186, 24 * 60, 24 * 60]),
  )
  const all = await Promise.all(page.remoteIds.map((id) => service.reported('LinkedIn', id)))
  const sum = (name: 'likes' | 'impressions') => all.reduce((total, reported) => total + (reported[name] ?? 0), 0)
  expect(sum('impressions')).toBeGreaterThan(1000)
  expect(await service.stats(`post/${page.Id}`)).toMatchObject({
    Likes: sum('likes'),
    ImpressionsAdded: sum('impressions'),
  })
  const history = await service.query<{ likes: number; impressions: number; times: number; days: number }>(
    `select sum(likes)::int as likes, sum(impressions)::int as impressions, count(*)::int as times, count(distinct at)::int as days
    from post_metrics_history where post_id = $1`,
    [page.Id],
  )
  // Once per profile and time, whichever process read it.
  expect(history).toEqual([
    { likes: sum('likes'), impressions: sum('impressions'), times: 2 * moves.length, days: moves.length },
  ])
})

test('a throttling network is not queried earlier; then reading continues, and nothing is missing', async () => {
  const post = await service.published('Twitter', profiles.x)
  await service.sandbox.control('/fault', {
    network: 'Twitter',
    operation: 'metrics',
    fault: 'rate-limit',
    count: 1,
  })
  await service.move(11 * minute)
  await until(async () => (await service.profile(profiles.x))?.error !== '')
  const put = await service.profile(profiles.x)
  expect(put?.failures).toBe(0)
  expect(put?.not_before.getTime()).toBeGreaterThan(service.clock.now().getTime() + 4 * minute)
  await service.move(20 * minute)
  await service.read(post.Id)
  // The turn ends after its results are stored.
  await until(async () => (await service.profile(profiles.x))?.error === '')
  const reported = await service.reported('Twitter', post.remoteIds[0] ?? '')
  expect(await service.stats(`post/${post.Id}`)).toMatchObject({ ImpressionsAdded: reported.impressions })
})

test('a failing network is queried less and less often, and the reason is stored', async () => {
  await service.published('Twitter', profiles.x)
  await service.sandbox.control('/fault', {
    network: 'Twitter',
    operation: 'metrics',
    fault: 'server-error',
    count: 2,
  })
  const waits: number[] = []
  for (const failures of [1, 2]) {
    await service.move(12 * minute * failures)
    await until(async () => (await service.profile(profiles.x))?.failures === failures)
    const { not_before: next, error } = (await service.profile(profiles.x)) ?? { not_before: new Date(0), error: '' }
    expect(error).not.toBe('')
    waits.push(Math.round((next.getTime() - service.clock.now().getTime()) / minute))
  }
  expect(waits).toEqual([10, 20])
  await service.move(21 * minute)
  await until(async () => (await service.profile(profiles.x))?.failures === 0)
})

test('a rejected post does not block others from being read', async () => {
  const posts = [await service.published('Twitter', profiles.x), await service.published('Twitter', profiles.x)]
  // The posts of one request, then the first half, and so on to a single post.
  const refusal = { status: 400, body: JSON.stringify({ title: 'Invalid Request', detail: 'Not this one.' }) }
  const due = `select count(*)::int as due from post_metrics where credential_id = $1 and due < $2`
  await service.move(11 * minute)
  const [{ due: many } = { due: 0 }] = await service.query<{ due: number }>(due, [profiles.x, service.clock.now()])
  const halvings = Math.ceil(Math.log2(many)) + 1
  await service.sandbox.control('/fault', {
    network: 'Twitter',
    operation: 'metrics',
    fault: 'answer',
    answer: refusal,
    count: halvings,
  })
  const outcome = () =>
    service.query<{ error: string }>(
      `select error from post_metrics where credential_id = $1 and (last_read = $2 or error <> '') order by error`,
      [profiles.x, service.clock.now()],
    )
  await expect.poll(outcome).toHaveLength(many)
  expect((await outcome()).filter(({ error }) => error !== '')).toEqual([
    { error: expect.stringContaining('Not this one.') },
  ])
  await service.move(hour)
  for (const { Id } of posts) await service.read(Id)
})

test('a post deleted on the network is not queried after three days, and its metrics stay', async () => {
  const post = await service.published('Twitter', profiles.x)
  await service.move(3 * hour)
  await service.read(post.Id)
  const before = await service.stats(`post/${post.Id}`)
  const token = 'sandbox-twitter-1500000000000000501-access'
  await service.sandbox.call(`/x/2/tweets/${post.remoteIds[0]}`, { method: 'DELETE', token })
  const row = async () =>
    (
      await service.query<{ due: Date | null; missing_since: Date | null }>(
        'select due, missing_since from post_metrics where post_id = $1',
        [post.Id],
      )
    )[0]
  await service.move(day)
  await until(async () => (await row())?.missing_since)
  expect((await row())?.due).not.toBe(null)
  await until(async () => {
    await service.move(day)
    return (await row())?.due === null
  })
  expect(await service.stats(`post/${post.Id}`)).toEqual(before)
})

test('repeated and concurrent readings count nothing twice', async () => {
  const post = await service.published('Twitter', profiles.x)
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 10 })
  const installation = { ...elsewhere, database, listener: undefined, keyring: readKeyring(newKeyring()) }
  const numbers = [{ likes: 5, impressions: 90 }, { likes: 5, impressions: 90 }, { likes: 3 }]
  await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      change(installation, systemActor(demoAccount, service.clock.now()), (context) =>
        storeReadings(context, profiles.x, [{ postId: post.Id, numbers: numbers[index % 3] }]),
      ),
    ),
  )
  await database.close()
  const [row] = await service.query<{ likes: number; impressions: number }>(
    'select likes::int, impressions::int from post_metrics where post_id = $1',
    [post.Id],
  )
  expect(row?.impressions).toBe(90)
  for (const [kind, id] of [
    ['post', post.Id],
    ['profile-post', `${post.Id} ${profiles.x}`],
    ['message', post.MessageId],
  ] as const)
    expect(await counters(kind, id)).toEqual([
      { name: 'impressions', value: 90 },
      { name: 'likes', value: row?.likes },
    ])
})

test('app-wide throttling delays all profiles of the network, and no scheduled post', async () => {
  const post = await service.published('LinkedIn', profiles.linkedInPage)
  const spent = { message: 'Resource level throttle APPLICATION DAY limit for calls to this resource is reached.' }
  await service.sandbox.control('/fault', {
    network: 'LinkedIn',
    operation: 'metrics',
    fault: 'answer',
    count: 1,
    answer: { status: 429, body: JSON.stringify(spent) },
  })
  await service.move(11 * minute)
  const careers = '003-1-2414184'
  await until(async () => (await service.profile(careers))?.error !== '')
  for (const id of [profiles.linkedInPage, careers]) {
    const put = await service.profile(id)
    expect(put?.error).toContain('LinkedIn')
    expect(put?.not_before.getTime()).toBeGreaterThan(service.clock.now().getTime() + 4 * minute)
  }
  await service.published('LinkedIn', careers)
  await service.move(day)
  await service.read(post.Id)
  await until(async () => (await service.profile(careers))?.error === '')
})

test('network metrics have the same sum however a report groups them', async () => {
  const requestCount = async (more: object): Promise<number> => {
    const body = { source: 'post', measures: ['impressions', 'likes'], range: 'last90Days', top: 100, ...more }
    const { status, json } = await service.reader('POST /app/api/report', { body })
    expect([status, json.Errors]).toEqual([200, undefined])
    const rows: { Impressions: number; Likes: number }[] = json.Data
    return rows.reduce((sum, { Impressions, Likes }) => sum + Impressions + Likes, 0)
  }
  const whole = await requestCount({})
  expect(whole).toBeGreaterThan(10_000)
  for (const dimension of ['network', 'profile', 'author', 'campaign'])
    expect(await requestCount({ dimension }), dimension).toBe(whole)
})
