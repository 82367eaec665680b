import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { type PlacedAdvocacy, placeAdvocacy } from '../../../../tests/support/advocacy.ts'
import { demoDatabase } from '../../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import {
  demoAccount,
  quickJobs,
  startTestService,
  type TestService,
  testKeys,
} from '../../../../tests/support/service.ts'
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { visit } from '../../links/redirect/links.fixture.ts'

// Friday. The clock advances, so that delayed retries happen.
let clockOffset = Date.parse('2026-05-01T12:00:00Z') - Date.now()
const now = () => Date.now() + clockOffset
const minute = 60_000
/** Minutely jobs may have run just before the clock moved: until the result is visible minutes are short. */
const soon = <Seen>(read: () => Promise<Seen>) =>
  expect.poll(() => {
    clockOffset += 2_000
    return read()
  })
let service: TestService
let place: PlacedAdvocacy
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let database: Awaited<ReturnType<typeof demoDatabase>>
beforeAll(async () => {
  folder = await temporaryFolder()
  // The demo is created for today; recurring jobs follow the clock.
  database = await demoDatabase(systemClock)
  await ownerQuery(database.url, `update job_schedule set next = next + $1 * interval '1 ms'`, [clockOffset])
  service = await startTestService({
    databaseUrl: database.url,
    clock: { now: () => new Date(now()) },
    pollingIntervals: quickJobs,
    environment: { CHORUS_DATA_DIR: folder.path },
  })
  const { url, databaseUrl } = service
  place = placeAdvocacy({ url, databaseUrl, account: demoAccount, keys: testKeys, control: async () => ({}) })
})
afterAll(async () => {
  await service.stop()
  await database.drop()
  await folder.remove()
})

const counted = (boardId: string, userId: string, name: string, day: string, value: number) =>
  place.query(
    `with daily as (insert into daily_rollups (account_id, of_kind, of_id, name, day, value) values ($1, 'advocate', $2, $3, $4, $5))
    insert into counters as f (account_id, of_kind, of_id, name, value, last) values ($1, 'board', $6, $3, $5, now())
    on conflict (account_id, of_kind, of_id, name) do update set value = f.value + excluded.value`,
    [demoAccount, `${boardId} ${userId}`, name, day, value, boardId],
  )

test('advocates are ranked by their activity in the board’s period, and again after new activity', async () => {
  const boardId = await place.board({ leaderboard_period: 'week' })
  const [alice, bela, cleo] = [
    await place.advocate(boardId, { role: 'manager' }),
    await place.advocate(boardId),
    await place.advocate(boardId),
  ]
  await counted(boardId, alice.id, 'shares', '2026-04-27', 2)
  await counted(boardId, alice.id, 'clicks', '2026-04-26', 500)
  await counted(boardId, bela.id, 'clicks', '2026-04-29', 20)
  const seen = async (by = alice) => (await by.ask(`GET /app/api/board/${boardId}/leaderboard`)).json
  clockOffset += 2 * minute
  await soon(async () => (await seen()).Leaders).toHaveLength(2)
  const first = await seen()
  expect(first.Period).toBe('week')
  expect(first.Leaders.map(({ Id, Rank, Points }: Record<string, unknown>) => [Id, Rank, Points])).toEqual(
    [alice.id, bela.id].sort().map((id) => [id, 1, 20]),
  )
  expect((await seen(cleo)).Mine).toBeUndefined()
  await counted(boardId, cleo.id, 'converts', '2026-05-01', 1)
  clockOffset += 2 * minute
  await soon(async () => (await seen(cleo)).Mine).toMatchObject({ Id: cleo.id, Rank: 1, Points: 25, Converts: 1 })
  expect((await seen(bela)).Mine.Rank).toBe(2)
  const listed = (await service.admin('GET /advocate', { query: `boardId=${boardId}` })).json.Items
  expect(listed.find(({ Id }: { Id: string }) => Id === cleo.id).Leaderboards).toMatchObject([
    { Id: boardId, Rank: 1, Points: 25, Period: 'week' },
  ])
})

/** Three in the afternoon in Berlin, this Friday and the next. */
const [due, next] = [new Date('2026-05-01T13:00:00Z'), new Date('2026-05-08T13:00:00Z')]

const emails = async () => {
  const names = await readdir(join(folder.path, 'outbox')).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(folder.path, 'outbox', name), 'utf8')))
  return texts.filter((text) => text.includes('Trail news'))
}

test('a digest is sent at the board’s day and hour to subscribers with news, once, until they unsubscribe', async () => {
  const boardId = await place.board({
    name: 'Trail news',
    notifications_day: 5,
    notifications_hour: 15,
    notifications_zone: 'Europe/Berlin',
    digest_due: due,
  })
  const storyId = await place.story(boardId, {
    title: 'Bridges\r\nof the north',
    published: new Date(now() - minute),
    expires: new Date(now() + 90 * 24 * 60 * minute),
  })
  const [alice, bela, cleo] = [
    await place.advocate(boardId),
    await place.advocate(boardId),
    await place.advocate(boardId),
  ]
  await bela.ask(`POST /app/api/board/${boardId}/settings`, { body: { wantsDigest: 0, firstName: 'Béla' } })
  await place.query(
    `insert into shares (account_id, id, created, modified, user_id, board_id, story_id, message_id, campaign_id, credential_id, network, type, message, start_date_time, status)
    values ($1, '0shletter000001', now(), now(), $2, $3, $4, '', '', '', 'Twitter', '', '', now(), 'complete')`,
    [demoAccount, cleo.id, boardId, storyId],
  )
  expect(await emails()).toEqual([])
  clockOffset += due.getTime() + 30_000 - now()
  await soon(emails).toHaveLength(1)
  const [email = ''] = await emails()
  expect(email).toContain('Subject: New on Trail news: Bridges of the north')
  expect(email).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  const [, url = ''] = /^List-Unsubscribe: <(.*)>\r$/m.exec(email) ?? []
  const local = `${service.url}${new URL(url).pathname}${new URL(url).search}`
  expect((await visit(local)).body).toContain('No more letters')
  const wants = async () => (await alice.ask(`GET /app/api/board/${boardId}/settings`)).json.Settings.WantsDigest
  expect(await wants()).toBe(1)
  expect((await visit(`${local.slice(0, -3)}`, { method: 'POST' })).status).toBe(400)
  expect((await visit(local, { method: 'POST' })).body).toContain('You get no more letters of Trail news')
  expect(await wants()).toBe(0)
  const [board] = await place.query<{ digest_due: Date }>('select digest_due from boards where id = $1', [boardId])
  expect(board?.digest_due).toEqual(next)
  // The same digest again, as after a crash: every email has been sent.
  await place.query('update board_members set wants_digest = true where board_id = $1', [boardId])
  await place.query('update boards set digest_due = $2 where id = $1', [boardId, due])
  const planned = async () =>
    (await place.query<{ digest_due: Date }>('select digest_due from boards where id = $1', [boardId]))[0]
  clockOffset += 2 * minute
  await soon(planned).toEqual({ digest_due: next })
  await soon(async () => (await emails()).length).toBe(2)
  expect((await emails()).filter((text) => text.includes('Alma')).length).toBe(1)
})
