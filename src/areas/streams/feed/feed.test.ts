import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen, notifiedIds } from '#areas/live/feed.fixture.ts'
import { simulatedUser } from '../../../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles, startPublishing } from '../../../../tests/support/publishing.ts'
import { demoAccount } from '../../../../tests/support/service.ts'

type Service = Awaited<ReturnType<typeof startPublishing>>

const minute = 60_000
let now = Date.now()
let service: Service
let tab: string
beforeAll(async () => {
  service = await startPublishing({
    clock: { now: () => new Date(now) },
    environment: { CHORUS_STREAM_SECONDS: '60' },
  })
})
afterAll(() => service.stop())
beforeEach(async () => {
  await service.sandbox.control('/reset', {})
  await service.sandbox.control('/limits', { factor: 1000 })
  now += minute
  await service.sandbox.control('/clock', { now })
  // Removes streams of the demo and of other tests.
  for (const { Id } of (await service.reader('GET /stream-tab')).json.Items)
    await service.contributor(`DELETE /stream-tab/${Id}`)
  tab = (await service.contributor('POST /stream-tab', { body: { name: 'Feeds' } })).json.StreamTab.Id
})

const put = async (body: object): Promise<string> =>
  (await service.contributor('POST /stream', { body: { streamTabId: tab, ...body } })).json.Stream.Id
const x = { network: 'Twitter', credentialId: profiles.x }

interface Shown {
  Items: (Record<'Id' | 'Kind' | 'Text' | 'Url', string> & { Media: string[] })[]
  Next: string | null
  Fetched: string
  Error: string
}
const show = async (id: string, query = ''): Promise<Shown> =>
  (await service.reader(`GET /app/api/stream/${id}/items`, { query })).json
const texts = async (id: string) => (await show(id)).Items.map(({ Text }) => Text)
/** Advances to the next allowed request, with an active viewer. */
const later = async (id: string, by = minute) => {
  now += by
  await show(id)
}

const mention = (text: string, more: object = {}) =>
  service.sandbox.inject({
    network: 'Twitter',
    profile: '1500000000000000501',
    kind: 'mention',
    push: false,
    from: simulatedUser,
    text,
    ...more,
  })
const fail = (fault: object) =>
  service.sandbox.control('/fault', { network: 'Twitter', operation: 'inbox', count: 1, ...fault })
const unplanned = () => service.sandbox.call('/__sandbox/faults', { method: 'DELETE', token: 'sandbox' })
/** The feed of the only stream on the tab. */
const feedRow = async () =>
  (
    await ownerQuery<{ lastViewed: Date; notBefore: Date; failures: number }>(
      service.databaseUrl,
      `select last_viewed as "lastViewed", not_before as "notBefore", failures from stream_feeds f
      where account_id = $1 and exists (select from streams s where s.account_id = f.account_id and s.feed_id = f.id and s.stream_tab_id = $2)`,
      [demoAccount, tab],
    )
  )[0]

describe('network content', () => {
  const facebook = { network: 'Facebook', profile: '100200300400501' }
  const instagram = { network: 'Instagram', profile: '17841400000000501' }

  test.each([
    ['Twitter', profiles.x, 'mention', '', {}],
    ['Twitter', profiles.x, 'home', '', {}],
    ['Twitter', profiles.x, 'keyword', 'tents', {}],
    ['Facebook', profiles.facebook, 'tag', '', facebook],
    ['Instagram', profiles.instagram, 'page.tags', '', instagram],
  ])('of others is in a stream: %s %s %s', async (network, credentialId, type, keyword, where) => {
    const text = `Lovely tents by @northwindoutdoor, seen in ${type}`
    const { remoteId } = await mention(text, where)
    const id = await put({ network, credentialId, type, keyword })
    await expect.poll(() => texts(id)).toEqual([text])
    const { Items, Next, Fetched, Error: error } = await show(id)
    expect(Items[0]).toMatchObject({ Id: remoteId, Kind: expect.stringMatching(/^(mention|post)$/), Media: [] })
    expect(Items[0]?.Url).toMatch(/^http/)
    expect([Next, error]).toEqual([null, ''])
    expect(Date.parse(`${Fetched}Z`)).toBeGreaterThan(now - 2 * minute)
  })

  test.each([
    ['Twitter', profiles.x, 'feed', ''],
    ['Twitter', profiles.x, 'list', '84839422'],
    ['Twitter', profiles.x, 'user', '@northwindoutdoor'],
    ['Facebook', profiles.facebook, 'ownpage', ''],
    ['LinkedIn', profiles.linkedInPage, 'page', ''],
  ])('of our own is in a stream: %s %s %s', async (network, credentialId, type, keyword) => {
    const message = `Out on the trail, ${network} ${type}`
    const { Id } = await service.post(network, credentialId, { message }, { startDateTime: Math.floor(now / 1000) })
    await expect.poll(async () => (await service.read(Id)).Status).toBe('complete')
    const id = await put({ network, credentialId, type, keyword })
    await expect.poll(() => texts(id)).toContain(message)
  })

  test.each([
    ['retweet', profiles.x, 'Twitter'],
    ['favorite', profiles.x, 'Twitter'],
    ['page', profiles.instagram, 'Instagram'],
  ])('may be empty: %s', async (type, credentialId, network) => {
    const id = await put({ network, credentialId, type })
    await expect.poll(async () => (await show(id)).Fetched).not.toBe('0000-00-00 00:00:00')
    expect(await show(id)).toMatchObject({ Items: [], Next: null, Error: '' })
  })
})

test('later items reach viewers in the network’s order, and removed ones disappear', async () => {
  await mention('First')
  const id = await put({ ...x, type: 'mention' })
  await expect.poll(() => texts(id)).toEqual(['First'])
  const client = await listen(service, 'reader')
  const { remoteId } = await mention('Second')
  await mention('Third')
  await later(id)
  await expect.poll(() => notifiedIds(client, 'stream')).toContain(id)
  expect(await texts(id)).toEqual(['Third', 'Second', 'First'])
  const pages = [await show(id, '_count=2')]
  pages.push(await show(id, `_count=2&_after=${pages[0]?.Next}`))
  expect(pages.map(({ Items }) => Items.map(({ Text }) => Text))).toEqual([['Third', 'Second'], ['First']])
  expect(pages[1]?.Next).toBe(null)
  const removed = `delete from stream_items where account_id = $1 and remote_id = $2`
  await ownerQuery(service.databaseUrl, removed, [demoAccount, remoteId])
  await ownerQuery(service.databaseUrl, `update stream_items set text = 'Old words' where text = 'First'`)
  await ownerQuery(
    service.databaseUrl,
    `insert into stream_items (account_id, feed_id, remote_id, position, kind, at, text)
    select account_id, feed_id, 'gone', position + 1, kind, at, 'Gone' from stream_items where text = 'Third'`,
  )
  await later(id)
  await expect.poll(() => texts(id), { message: 'as the network has it' }).toEqual(['Second', 'Third', 'First'])
  client.close()
})

test('the newest two hundred are stored, and at most three pages of a busy stream are fetched', async () => {
  for (let number = 0; number < 65; number++) await mention(`Number ${number}`)
  const id = await put({ ...x, type: 'mention' })
  await expect.poll(async () => (await show(id, '_count=100')).Items.length).toBe(60)
  await ownerQuery(
    service.databaseUrl,
    `insert into stream_items (account_id, feed_id, remote_id, position, kind, at, text)
    select account_id, feed_id, 'old' || n, -n, 'mention', now(), 'Old ' || n
    from (select distinct account_id, feed_id from stream_items where text = 'Number 64') f, generate_series(1, 145) n`,
  )
  await mention('The last')
  await later(id)
  await expect.poll(async () => (await texts(id))[0]).toBe('The last')
  const rows = await ownerQuery<{ count: number }>(
    service.databaseUrl,
    `select count(*)::int from stream_items where feed_id in (select feed_id from streams where id = $1)`,
    [id],
  )
  expect(rows[0]?.count).toBe(200)
})

test('untrusted text is sanitized, truncated and never active markup', async () => {
  await mention(`<img src=x onerror=alert(1)>\u202Ereversed\u0000 ${'long '.repeat(3_000)}`)
  const id = await put({ ...x, type: 'mention' })
  await expect.poll(async () => (await show(id)).Items.length).toBe(1)
  const [item] = (await show(id)).Items
  expect(item?.Text).toMatch(/^<img src=x onerror=alert\(1\)>reversed long/)
  expect(item?.Text.length).toBe(10_000)
})

describe('a failing network', () => {
  test('reports the reason, and the last content with its age', async () => {
    await mention('Good')
    const id = await put({ ...x, type: 'mention' })
    await expect.poll(() => texts(id)).toEqual(['Good'])
    const good = await show(id)
    const client = await listen(service, 'reader')
    await fail({ fault: 'server-error' })
    await mention('Unseen for now')
    await later(id)
    await expect.poll(async () => (await show(id)).Error).toMatch(/asked again by itself\.$/)
    expect(await show(id)).toMatchObject({ Items: good.Items, Fetched: good.Fetched })
    await expect.poll(() => notifiedIds(client, 'stream')).toContain(id)
    await later(id, 3 * minute)
    await expect.poll(() => texts(id)).toEqual(['Unseen for now', 'Good'])
    const after = await show(id)
    expect(after.Error).toBe('')
    expect(Date.parse(after.Fetched)).toBeGreaterThan(Date.parse(good.Fetched))
    client.close()
  })

  test('that throttles is not queried before the given time', async () => {
    const id = await put({ ...x, type: 'mention' })
    await expect.poll(async () => (await show(id)).Fetched).not.toMatch(/^0000/)
    const until = new Date(Math.ceil((now + 10 * minute) / 1000) * 1000)
    const headers = { 'x-rate-limit-reset': String(until.getTime() / 1000) }
    await fail({ fault: 'answer', answer: { status: 429, headers, body: '{"title":"Too Many Requests"}' } })
    await later(id)
    await expect.poll(async () => (await show(id)).Error).toMatch(/^Twitter lets us ask for no more until \d{4}-/)
    expect((await feedRow())?.notBefore).toEqual(until)
    await mention('While it rests')
    await later(id)
    const otherStream = await put({ ...x, type: 'mention' })
    expect([await texts(id), await texts(otherStream)]).toEqual([[], []])
    await later(id, until.getTime() - now)
    await expect.poll(() => texts(id)).toEqual(['While it rests'])
  })

  test('that rejects permanently reports what to do, and is queried rarely', async () => {
    const id = await put({ ...x, type: 'user', keyword: 'nobody_has_this' })
    await expect.poll(async () => (await show(id)).Error).toContain('Delete the stream and make it again')
    expect((await feedRow())?.notBefore.getTime()).toBeGreaterThan(now + 20 * minute)
  })

  test('with an unreadable response reports it, and nothing else is affected', async () => {
    await fail({ fault: 'answer', answer: { status: 200, body: '{"data":[{"id":7,"text":{"deep":[]}},null]}' } })
    const [id, otherStream] = [await put({ ...x, type: 'mention' }), await put({ ...x, type: 'home' })]
    await expect.poll(async () => (await show(otherStream)).Fetched).not.toMatch(/^0000/)
    await expect.poll(async () => (await show(id)).Error + (await show(id)).Fetched).not.toBe('0000-00-00 00:00:00')
    await unplanned()
  })
})

test('a profile that must be reconnected is reported at once, and the stream continues afterwards', async () => {
  const id = await put({ ...x, type: 'mention' })
  await expect.poll(async () => (await show(id)).Fetched).not.toMatch(/^0000/)
  const set = (status: string, reason: string) =>
    ownerQuery(
      service.databaseUrl,
      'update credentials set status = $1, status_reason = $2, modified = $3 where account_id = $4 and id = $5',
      [status, reason, new Date(now), demoAccount, profiles.x],
    )
  await set('invalid', 'X: The password was changed.')
  const { Error: error } = await show(id)
  expect(error).toMatch(
    /^X: The password was changed\. An admin can connect the profile again at http\S+\/app\/connect\/Twitter\.$/,
  )
  now += minute
  await set('valid', '')
  await mention('Welcome back')
  await later(id)
  await expect.poll(() => texts(id)).toEqual(['Welcome back'])
})

test('streams without viewers are not fetched, and start again with the first view', async () => {
  await mention('Seen')
  const id = await put({ ...x, type: 'mention' })
  await expect.poll(() => texts(id)).toEqual(['Seen'])
  const jobs = async () =>
    (
      await ownerQuery<{ count: number }>(
        service.databaseUrl,
        `select count(*)::int from jobs where name = 'streams.fetch-feed' and key in (select feed_id from streams where id = $1)`,
        [id],
      )
    )[0]?.count
  await mention('Unseen')
  now += 10 * minute
  await expect.poll(jobs, { message: 'nobody is there' }).toBe(0)
  expect((await feedRow())?.lastViewed.getTime()).toBeLessThan(now - 9 * minute)
  expect(await texts(id), 'as it was').toEqual(['Seen'])
  await expect.poll(() => texts(id)).toEqual(['Unseen', 'Seen'])
})

test('streams with the same query are fetched once', async () => {
  await mention('One for all')
  const ids = [
    await put({ ...x, type: 'mention' }),
    await put({ ...x, type: 'mention' }),
    await put({ ...x, type: 'mention' }),
  ]
  for (const id of ids) await expect.poll(() => texts(id)).toEqual(['One for all'])
  const client = await listen(service, 'reader')
  // A second request within a minute meets this.
  await mention('Two for all')
  await later(ids[0] ?? '')
  await Promise.all(ids.map((id) => show(id)))
  for (const id of ids) await expect.poll(() => notifiedIds(client, 'stream')).toContain(id)
  await fail({ fault: 'server-error' })
  for (const id of ids) expect(await show(id)).toMatchObject({ Error: '', Items: [{ Text: 'Two for all' }, {}] })
  await unplanned()
  client.close()
})

test('while sending waits for a network, streams wait as well and report it', async () => {
  const until = new Date(now + 10 * minute)
  const held = 'insert into network_publishing_pauses (network, until) values ($1, $2)'
  await ownerQuery(service.databaseUrl, held, ['Twitter', until])
  await mention('Held back')
  const id = await put({ ...x, type: 'mention' })
  await expect.poll(async () => (await show(id)).Error).toContain('no more until')
  expect(await texts(id)).toEqual([])
  await later(id, 11 * minute)
  await expect.poll(() => texts(id)).toEqual(['Held back'])
})

test('items of a forgotten person are deleted', async () => {
  await mention('Mine')
  await mention('Theirs', { from: { ...simulatedUser, id: '99', name: 'Somebody Else', username: 'somebody_else' } })
  const id = await put({ ...x, type: 'mention' })
  await expect.poll(() => texts(id)).toEqual(['Theirs', 'Mine'])
  const { json } = await service.admin('POST /app/api/lead', {
    body: { email: 'stranger@example.com', name: simulatedUser.name },
  })
  expect((await service.admin(`DELETE /lead/${json.Lead.Id}`)).status).toBe(200)
  await expect.poll(() => texts(id), { timeout: 60_000 }).toEqual(['Theirs'])
})
