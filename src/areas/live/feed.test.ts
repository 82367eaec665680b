import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { givePassword, pablo, signIn } from '#areas/account/session/session.fixture.ts'
import { posting, profiles } from '#areas/publishing/post/post.fixture.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type FeedClient, listenTo } from '../../../tests/support/feed-client.ts'
import { demoAccount, quickJobs, startTestService, type TestService } from '../../../tests/support/service.ts'
import {
  eventsNamed,
  expectAllNotified,
  type ListenerName,
  listen,
  listeners,
  listenWith,
  notifiedIds,
} from './feed.fixture.ts'

const [europe, asia] = ['025demo00000001', '025demo00000002']

let service: TestService
/** Another process of the same installation, with low limits and a short timeout. */
let strict: TestService
let given: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService({ picture: true, pollingIntervals: { ...quickJobs, feeds: 600_000 } })
  strict = await startTestService({
    databaseUrl: service.databaseUrl,
    environment: { CHORUS_FEED_LIMITS: 'session=2,account=3', CHORUS_ROLES: 'api' },
    pollingIntervals: { ...quickJobs, feeds: 100 },
  })
  given = posting(service)
})
let stopping: Promise<void> | undefined
const stopStrict = () => {
  stopping ??= strict.stop()
  return stopping
}
afterAll(async () => {
  await stopStrict()
  await service.stop()
})

const open: FeedClient[] = []
const feedOf = async (listener: ListenerName, after?: string, at = service) => {
  const client = await listen(at, listener, after)
  open.push(client)
  return client
}
afterEach(() => {
  for (const client of open.splice(0)) client.close()
})

/** A campaign visible to this team only. */
const campaignOf = async (team: string): Promise<string> => {
  const { Id } = (await service.admin('POST /campaign', { body: { name: 'Live' } })).json.Campaign
  await service.admin(`POST /team-entity/${Id}`, { body: { teamIds: team } })
  return Id
}
const postIn = async (campaignId: string) =>
  (await given.post({ messageId: await given.message({ campaignId }) }, service.admin)).Id as string
/** Adds as many posts as a campaign scheduled for a year can have. */
const copies = async (id: string, count: number) => {
  const rows = await ownerQuery<{ name: string }>(
    service.databaseUrl,
    `select attname as name from pg_attribute where attrelid = 'posts'::regclass and attnum > 0 and attname <> 'id'
      and not attisdropped and attgenerated = ''`,
  )
  const names = rows.map(({ name }) => name).join(', ')
  await ownerQuery(
    service.databaseUrl,
    `insert into posts (id, ${names}) select '004live' || lpad(n::text, 8, '0'), ${names} from posts, generate_series(1, $2::int) n where id = $1`,
    [id, count],
  )
}
/** An entry as a change leaves it, without a notification. */
const insertWaiting = (mark: string) =>
  ownerQuery(service.databaseUrl, `insert into feed_waiting values ($1, $2, now(), '', $3)`, [
    demoAccount,
    mark,
    JSON.stringify([{ kind: 'post', id: `004${mark}`, parent: null, scope: null }]),
  ])
/** A change that every user of the account is notified of. */
const fence = async () => {
  const { Id } = await given.post()
  return Id as string
}

describe('a feed notifies', () => {
  test('only users who may see the changed entity', async () => {
    const [admin, publisher, reader, contributor, other] = await Promise.all(
      (['admin', 'publisher', 'reader', 'contributor', 'otherAdmin'] as const).map((listener) => feedOf(listener)),
    )
    if (!admin || !publisher || !reader || !contributor || !other) throw new Error('Nobody listens.')
    expect([admin.status, admin.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const campaign = await campaignOf(europe)
    const hidden = await postIn(campaign)
    await expectAllNotified([admin, publisher, reader, contributor], await fence())
    expect(eventsNamed(publisher, 'hint').find(({ data }) => data.id === hidden)?.data).toEqual({
      kind: 'post',
      id: hidden,
      parent: campaign,
      by: '00Ademo00000001',
    })
    expect(notifiedIds(admin)).toContain(hidden)
    for (const client of [reader, contributor]) expect(notifiedIds(client)).not.toContain(hidden)
    // A change of team visibility is sent to all users, without an id.
    expect(notifiedIds(reader, 'team')).toEqual([null])
    const { Id: team } = (await service.otherAdmin('POST /team', { body: { name: 'Others' } })).json.Team
    await service.otherAdmin('POST /team-entity/00Ademo00000005', { body: { teamIds: team } })
    await expect.poll(() => notifiedIds(other)).toEqual([null, null])
  })

  test('of posts, their approval, profiles and uploads', async () => {
    const admin = await feedOf('admin')
    const { Id } = await given.post()
    const workflow = await service.admin('POST /app/api/workflow', {
      body: { name: 'Live', steps: [{ name: 'Look' }] },
    })
    const sent = await service.admin('POST /workflow-item', {
      body: { entityId: Id, workflowId: workflow.json.Workflow.Id },
    })
    const item = sent.json.Data.Id
    await service.publisher(`PUT /credential/${profiles.linkedInPage}`, { body: { displayName: 'Live' } })
    const upload = (await service.publisher('POST /upload', { body: { source: service.pictureUrl } })).json.Upload.Id
    await expect.poll(() => notifiedIds(admin, 'post')).toContain(Id)
    await expect.poll(() => notifiedIds(admin, 'approval')).toContain(item)
    await expect.poll(() => notifiedIds(admin, 'profile')).toContain(profiles.linkedInPage)
    // Started, progressing, complete.
    await expect.poll(() => notifiedIds(admin, 'upload').filter((id) => id === upload).length).toBeGreaterThan(1)
  })

  test('of a post that is moved in both campaigns', async () => {
    const [publisher, reader] = [await feedOf('publisher'), await feedOf('reader')]
    const [here, there] = [await campaignOf(europe), await campaignOf(asia)]
    const id = await postIn(here)
    await expectAllNotified([publisher], id)
    await service.admin(`POST /post/${id}/change-campaign`, { body: { campaignId: there } })
    await expectAllNotified([publisher, reader], await fence())
    expect(notifiedIds(publisher).filter((one) => one === id).length).toBe(2)
    expect(notifiedIds(reader).filter((one) => one === id).length).toBe(1)
  })

  test('only the uploader of an unfinished upload', async () => {
    const [admin, publisher] = [await feedOf('admin'), await feedOf('publisher')]
    const begun = await service.publisher('POST /app/api/media', { body: { name: 'own.png', size: 10 } })
    await expectAllNotified([publisher], begun.json.Upload.Id)
    await expectAllNotified([admin], await fence())
    expect(notifiedIds(admin, 'upload')).not.toContain(begun.json.Upload.Id)
  })

  test('of many simultaneous changes with one notification per kind', async () => {
    const campaign = await campaignOf(europe)
    const id = await postIn(campaign)
    await copies(id, 110)
    const [publisher, reader] = [await feedOf('publisher'), await feedOf('reader')]
    expect((await service.admin(`DELETE /campaign/${campaign}`)).status).toBe(200)
    await expectAllNotified([publisher, reader], await fence())
    const notified = notifiedIds(publisher, 'post').slice(0, -1)
    expect(notified).toContain(null)
    expect(notified.length).toBeLessThanOrEqual(101)
    expect(notifiedIds(reader, 'post').length).toBe(1)
  })
})

describe('a client that reconnects', () => {
  test('receives the events after the last known one, in order and once', async () => {
    const before = await feedOf('publisher')
    await expectAllNotified([before], await fence())
    before.close()
    const missed = [await fence(), await fence(), await fence()]
    const again = await feedOf('publisher', before.lastId())
    await expectAllNotified([again], missed[2] as string)
    expect(again.events[0]?.name).toBe('ready')
    expect(notifiedIds(again, 'post')).toEqual(missed)
    // A new page can't send the header.
    const byAddress = await listenTo(
      `${service.url}/app/api/feed?lastEventId=${encodeURIComponent(before.lastId())}`,
      listeners.publisher,
    )
    open.push(byAddress)
    await expectAllNotified([byAddress], missed[2] as string)
    expect(notifiedIds(byAddress, 'post')).toEqual(missed)
  })

  test('receives what a slow change commits after others, and the others don’t wait for it', async () => {
    const before = await feedOf('admin')
    await ownerQuery(service.databaseUrl, 'begin')
    await insertWaiting('slow')
    const first = await fence()
    await expectAllNotified([before], first)
    const known = before.lastId()
    await ownerQuery(service.databaseUrl, 'commit')
    const second = await fence()
    await expectAllNotified([before], second)
    expect(notifiedIds(before, 'post').sort()).toEqual([first, second, '004slow'].sort())
    const again = await feedOf('admin', known)
    await expectAllNotified([again], second)
    expect(notifiedIds(again, 'post').sort()).toEqual([second, '004slow'].sort())
  })

  test('receives with the next heartbeat what was committed by a process that died before it notified anyone', async () => {
    const client = await feedOf('publisher', undefined, strict)
    await insertWaiting('unannounced')
    await expect.poll(() => notifiedIds(client, 'post')).toContain('004unannounced')
  })

  test('with an unknown id gets a reset', async () => {
    const last = await feedOf('admin')
    await expectAllNotified([last], await fence())
    const number = last.lastId().split('.')[0]
    for (const id of ['nonsense', '1.gone', `${number}.another`, '999999999.x']) {
      const client = await feedOf('admin', id)
      await expect.poll(() => client.events[0]?.name, { message: id }).toBe('reset')
      const next = await fence()
      await expectAllNotified([client], next)
    }
  })

  test('gets a reset if entries were deleted, and resumes if none is missing', async () => {
    const [early, late] = [await feedOf('admin'), await feedOf('admin')]
    early.close()
    await expectAllNotified([late], await fence())
    late.close()
    await ownerQuery(service.databaseUrl, `update feed_entries set created = now() - interval '2 hours'`)
    await ownerQuery(service.databaseUrl, `delete from job_schedule where name = 'changes.forget-old-entries'`)
    const left = async () =>
      (await ownerQuery<{ count: number }>(service.databaseUrl, 'select count(*)::int as count from feed_entries'))[0]
    await expect.poll(left).toEqual({ count: 0 })
    const [reset, ready] = [await feedOf('admin', early.lastId()), await feedOf('admin', late.lastId())]
    await expect.poll(() => reset.events[0]?.name).toBe('reset')
    await expect.poll(() => ready.events[0]?.name).toBe('ready')
    const next = await fence()
    await expectAllNotified([reset, ready], next)
    expect(notifiedIds(ready, 'post')).toEqual([next])
  })

  test('advances past entries that the user may not see', async () => {
    const [admin, reader] = [await feedOf('admin'), await feedOf('reader', undefined, strict)]
    await expectAllNotified([admin], await postIn(await campaignOf(europe)))
    await expect.poll(() => [reader.lastId(), reader.beats() > 0]).toEqual([admin.lastId(), true])
    expect(notifiedIds(reader, 'post')).toEqual([])
  })
})

describe('a feed', () => {
  const plant = (hints: string, times = 1) =>
    ownerQuery(
      service.databaseUrl,
      `with head as (update feed_heads set last = last + $3, mark = 'planted' where account_id = $1 returning last)
      insert into feed_entries select $1, last - $3 + n, 'planted', now(), '', $2 from head, generate_series(1, $3::bigint) n`,
      [demoAccount, hints, times],
    )

  /** Inserted repeatedly to exceed the socket buffers. */
  const large = JSON.stringify([{ kind: 'post', id: 'x'.repeat(200_000), parent: null, scope: null }])

  test('that is not read has a limited buffer, then gets a reset or is disconnected', async () => {
    const [slow, quick] = [await feedOf('admin'), await feedOf('admin')]
    const stuck = await feedOf('admin', undefined, strict)
    for (const client of [slow, stuck]) client.pause()
    await plant(large, 150)
    await expectAllNotified([quick, await feedOf('admin', undefined, strict)], await fence())
    slow.resume()
    await expect.poll(() => eventsNamed(slow, 'reset').length).toBe(1)
    await expectAllNotified([slow], await fence())
    expect(notifiedIds(slow).length).toBeLessThan(notifiedIds(quick).length)
    // The session's quota is free again once the stuck feed is closed.
    await expect.poll(async () => (await feedOf('admin', undefined, strict)).status).toBe(200)
    expect(stuck.isOver()).toBe(false)
    stuck.resume()
    expect(await stuck.over).toBe(false)
  })

  test('gets a reset in place of an unreadable entry', async () => {
    const admin = await feedOf('admin')
    await plant('neither hints nor JSON')
    await fence()
    await expect.poll(() => eventsNamed(admin, 'reset').length).toBe(1)
    await expectAllNotified([admin], await fence())
  })
})

describe('a feed ends', () => {
  test('with its session, and others continue', async () => {
    await givePassword(service)
    const { cookie, ask } = await signIn(service.url, { email: pablo.email, password: pablo.password })
    const own = await listenWith(service, { cookie, 'sec-fetch-site': 'same-origin' })
    const admin = await feedOf('admin')
    expect(own.status).toBe(200)
    expect((await ask('DELETE /app/api/session')).status).toBe(200)
    expect(await own.over).toBe(true)
    await expectAllNotified([admin], await fence())
    const after = await listenWith(service, { cookie, 'sec-fetch-site': 'same-origin' }, own.lastId())
    expect(after.status).toBe(401)
  })

  test('when the role changes', async () => {
    const reader = await feedOf('reader')
    const { json } = await service.reader('GET /me')
    const set = (role: string) => service.admin(`POST /app/api/user/${json.User.Id}/role`, { body: { role } })
    expect((await set('contributor')).status).toBe(200)
    expect(await reader.over).toBe(true)
    expect((await feedOf('reader', reader.lastId())).status).toBe(200)
    await set('read')
  })
})

describe('presence', () => {
  const tell = (listener: TestService['admin'], id: string, doing = 'editing') =>
    listener('POST /app/api/presence', { body: { id, doing } })

  test('is reported to other users who may see the entity', async () => {
    const [publisher, reader, admin] = [await feedOf('publisher'), await feedOf('reader'), await feedOf('admin')]
    const id = await postIn(await campaignOf(europe))
    expect((await tell(service.publisher, id)).json).toEqual({ Result: true })
    await expect
      .poll(() => eventsNamed(admin, 'presence').map(({ data }) => data))
      .toEqual([{ kind: 'post', id, doing: 'editing', by: pablo.id }])
    expect((await tell(service.admin, profiles.linkedInPage, 'viewing')).status).toBe(200)
    for (const client of [publisher, reader])
      await expect
        .poll(() => eventsNamed(client, 'presence').map(({ data }) => [data.kind, data.id, data.doing]))
        .toEqual([['profile', profiles.linkedInPage, 'viewing']])
    // Presence has no position in the order of changes.
    const again = await feedOf('reader', reader.lastId())
    await expectAllNotified([again], await fence())
    expect(eventsNamed(again, 'presence')).toEqual([])
  })

  test('on an invisible entity is 404, with an unknown id 400', async () => {
    const id = await postIn(await campaignOf(europe))
    const absent = await tell(service.reader, '004absent000000')
    const hidden = await tell(service.reader, id)
    expect([hidden.status, hidden.text]).toEqual([404, absent.text])
    expect((await tell(service.admin, id, 'sleeping')).json.Errors.API.Error).toContain(
      'doing must be one of viewing, editing, replying',
    )
  })
})

test('feeds have their own limits and end when the service stops', async () => {
  const clients = [await listen(strict, 'admin'), await listen(strict, 'admin'), await listen(strict, 'publisher')]
  const mine = await strict.admin('GET /app/api/feed')
  expect([mine.status, mine.json.Errors.API.Error]).toEqual([429, expect.stringContaining('raise session')])
  const ours = await strict.reader('GET /app/api/feed')
  expect([ours.status, ours.json.Errors.API.Error]).toEqual([429, expect.stringContaining('raise account')])
  clients[0]?.close()
  await expect.poll(async () => (await feedOf('reader', undefined, strict)).status).toBe(200)
  const staying = clients.slice(1)
  await expectAllNotified(staying, await fence())
  await stopStrict()
  expect(await Promise.all(staying.map(({ over }) => over))).toEqual([true, true])
})
