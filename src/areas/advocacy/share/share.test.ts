import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attemptOf } from '#areas/account/session/session.fixture.ts'
import { type PlacedAdvocacy, placeAdvocacy } from '../../../../tests/support/advocacy.ts'
import { browser } from '../../../../tests/support/browser.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { type Publishing, profiles, startPublishing, until } from '../../../../tests/support/publishing.ts'
import { demoAccount, testKeys } from '../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { visit } from '../../links/redirect/links.fixture.ts'

let publishing: Publishing
let place: PlacedAdvocacy
let folder: TemporaryFolder
beforeAll(async () => {
  folder = await temporaryFolder()
  publishing = await startPublishing({ environment: { CHORUS_DATA_DIR: folder.path } })
  const { url, databaseUrl, sandbox } = publishing
  const control = async (path: string, body: object) => (await sandbox.control(path, body)).body
  place = placeAdvocacy({ url, databaseUrl, account: demoAccount, keys: testKeys, control })
})
afterAll(async () => {
  await publishing.stop()
  await folder.remove()
})

let numbered = 0
const words = (about: string) => `${about} ${process.pid} ${numbered++}`
const shareOf = (id: string) =>
  ownerQuery<{ status: string; error: string; remote_url: string; start_date_time: Date }>(
    publishing.databaseUrl,
    'select status, error, remote_url, start_date_time from shares where id = $1',
    [id],
  ).then(([row]) => row)
const settled = (id: string) =>
  until(async () => {
    const share = await shareOf(id)
    return share && share.status !== 'pending' && share
  })
const counters = async (kind: string, id: string) => {
  const rows = await ownerQuery<{ name: string; value: number }>(
    publishing.databaseUrl,
    'select name, value::int from counters where of_kind = $1 and of_id = $2',
    [kind, id],
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Signs in at the network as the owner of this profile, and grants access. */
async function connect(cookie: string, remoteId: string) {
  const person = browser()
  const begun = await person.visit(`${publishing.url}/app/board/connect/X`, { headers: { cookie } })
  const consented = await person.visit(`${begun.location}&auto=1&account=${remoteId}`)
  return person.visit(consented.location ?? '')
}
const newProfile = async (name: string): Promise<string> =>
  (await publishing.sandbox.control('/profile', { network: 'Twitter', kind: 'account', name })).body.id

/** The token in the email to an address. */
async function mailedToken(address: string): Promise<string> {
  const outbox = join(folder.path, 'outbox')
  const read = async () => {
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'))
    const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
    return mails.find((mail) => mail.includes(`To: ${address}\r\n`))
  }
  return /token=([\w.-]+)/.exec(await until(read))?.[1] ?? ''
}

test('an invited advocate accepts, connects a profile and shares; it is published once, and a click counts everywhere', async () => {
  const { admin, publisher, url } = publishing
  const boardId: string = (await admin('POST /app/api/boards', { body: { name: words('Walkers') } })).json.Board.Id
  const campaignId = await publishing.campaign('Advocacy')
  const about = words('Walk')
  const text = `${about} https://example.com/walk`
  const written = await publisher('POST /message', { body: { network: 'Twitter', campaignId, message: text } })
  const messageIds: string = written.json.Message.Id
  const storyBody = { boardId, campaignId, messageIds, title: 'A walk', description: 'Along the coast.' }
  const storyId: string = (await publisher('POST /story', { body: storyBody })).json.Item.ID
  const email = 'alma.walk@example.com'
  await publisher('POST /advocate', { body: { boardId, email, firstName: 'Alma', lastName: 'Walk' } })
  const accepted = await fetch(`${url}/app/api/board/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: await mailedToken(email), password: 'over the green hill' }),
  })
  const alice = await attemptOf(url, accepted).then(({ json, ask, cookie }) => ({
    id: json.UserId as string,
    ask,
    cookie,
  }))
  await connect(alice.cookie, await newProfile('Alma Walk'))
  const credentialId: string = (await alice.ask('GET /app/api/board-profile')).json.Items[0].Id
  const { json } = await alice.ask(`POST /app/api/board/${boardId}/share`, {
    body: { storyId, credentialIds: credentialId },
  })
  expect(json).toMatchObject({ Result: true, Total: 1, Items: [{ StoryId: storyId, Status: 'pending', Clicks: 0 }] })
  const [{ Id, MessageId }] = json.Items
  expect(await settled(Id)).toMatchObject({ status: 'complete', error: '' })
  const published = await publishing.published(about)
  expect(published).toHaveLength(1)
  const short = /http\S+/.exec(published[0]?.text ?? '')?.[0] ?? ''
  expect((await visit(short)).headers.location).toContain('https://example.com/walk')
  const counted = { clicks: 1, shares: 1 }
  await expect.poll(() => counters('advocate', `${boardId} ${alice.id}`)).toEqual({ ...counted, boardClicks: 1 })
  expect(await counters('story', storyId)).toEqual(counted)
  expect(await counters('board', boardId)).toEqual({ ...counted, boardClicks: 1 })
  expect(await counters('share', Id)).toEqual({ clicks: 1 })
  expect(await counters('message', MessageId)).toEqual({ ...counted, boardClicks: 1 })
  expect(await counters('campaign', campaignId)).toMatchObject({ ...counted, boardClicks: 1 })
  const mine = (await alice.ask(`GET /app/api/board/${boardId}/share`)).json
  expect(mine.Items).toMatchObject([{ Id, Status: 'complete', Clicks: 1, RemoteUrl: expect.stringContaining('http') }])
  const [{ Shared, ShareCount }] = (await alice.ask(`GET /app/api/board/${boardId}/story`)).json.Items
  expect([Shared, ShareCount]).toEqual([[{ CredentialId: credentialId, Network: 'Twitter', Status: 'complete' }], 1])
  const again = await alice.ask(`POST /app/api/board/${boardId}/share`, {
    body: { storyId, credentialIds: credentialId },
  })
  expect([again.status, again.json.Errors.API.Error]).toEqual([409, expect.stringContaining('shared on')])
  const late = await alice.ask(`DELETE /app/api/board-share/${Id}`)
  expect([late.status, late.json.Errors.API.Error]).toEqual([409, expect.stringContaining('shared already')])
})

test('variants are unique per advocate while there are enough, and stay assigned', async () => {
  const boardId = await place.board()
  const variants = Array.from({ length: 6 }, (_, index) => words(`Variant ${index}`))
  const storyId = await place.story(boardId, { variants })
  const people = await Promise.all(Array.from({ length: 9 }, () => place.advocate(boardId)))
  const offer = async ({ ask }: (typeof people)[number]) =>
    (await ask(`POST /app/api/board/${boardId}/offer`, { body: { storyId, network: 'X' } })).json.Offer
      .Message as string
  const given = await Promise.all(people.map(offer))
  expect(new Set(given).size).toBe(6)
  const counts = [...new Set(given)].map((text) => given.filter((one) => one === text).length)
  expect(Math.max(...counts)).toBe(2)
  expect(await Promise.all(people.map(offer))).toEqual(given)
  const [first] = people
  const elsewhere = await first?.ask(`POST /app/api/board/${boardId}/offer`, { body: { storyId, network: 'Facebook' } })
  expect(elsewhere?.json.Offer).toMatchObject({ MessageId: '', Message: 'What it is about.' })
})

test('concurrent shares get different variants and times', async () => {
  const boardId = await place.board()
  const variants = Array.from({ length: 4 }, (_, index) => words(`Many ${index}`))
  const storyId = await place.story(boardId, { variants })
  const people = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const { id, ask } = await place.advocate(boardId)
      return { ask, credentialIds: (await place.profile(id)).id }
    }),
  )
  const shares = await Promise.all(
    people.map(async ({ ask, credentialIds }) => {
      const { json } = await ask(`POST /app/api/board/${boardId}/share`, { body: { storyId, credentialIds } })
      return json.Items[0] as { Message: string; StartDateTime: string }
    }),
  )
  const times = new Map(variants.map((text) => [text, shares.filter(({ Message }) => Message === text).length]))
  expect([Math.min(...times.values()), Math.max(...times.values())]).toEqual([2, 3])
  expect(new Set(shares.map(({ StartDateTime }) => StartDateTime)).size).toBe(10)
  const moments = shares.map(({ StartDateTime }) => Date.parse(`${StartDateTime.replace(' ', 'T')}Z`))
  expect(Math.max(...moments) - Math.min(...moments)).toBeGreaterThan(30 * 60_000)
})

test('an own profile is visible to its advocate only and used for shares only', async () => {
  const boardId = await place.board()
  const storyId = await place.story(boardId)
  const [alice, bela] = [await place.advocate(boardId), await place.advocate(boardId)]
  const back = await connect(alice.cookie, await newProfile('Alma'))
  expect([back.status, back.text]).toEqual([200, expect.stringContaining('Connected')])
  const own = (await alice.ask('GET /app/api/board-profile')).json.Items
  expect(own).toMatchObject([{ Network: 'Twitter', Status: 'valid' }])
  const id: string = own[0].Id
  expect((await bela.ask('GET /app/api/board-profile')).json.Items).toEqual([])
  expect((await alice.ask('GET /app/api/board/profile')).json.Items, 'the former address').toEqual(own)
  const otherShare = await bela.ask(`POST /app/api/board/${boardId}/share`, { body: { storyId, credentialIds: id } })
  expect([otherShare.status, otherShare.json.Errors.API.Error]).toEqual([
    400,
    expect.stringContaining('no such profile'),
  ])
  expect((await bela.ask(`DELETE /app/api/board-profile/${id}`)).status).toBe(404)
  const listed = (await publishing.admin('GET /credential', { query: 'includeInvalid=1' })).json.Items
  expect(listed.map(({ Id }: { Id: string }) => Id)).not.toContain(id)
  await expect(publishing.post('Twitter', id, { message: words('Staff') })).rejects.toThrow('no such profile')
  const taken = await connect(alice.cookie, profiles.x.split('-')[2] ?? '')
  expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('connected here already')])
  const waiting = await alice.ask(`POST /app/api/board/${boardId}/share`, {
    body: { storyId, credentialIds: id, message: words('Later'), startDateTime: Math.floor(Date.now() / 1000) + 3600 },
  })
  expect((await alice.ask(`DELETE /app/api/board-profile/${id}`)).json).toEqual({ Result: true })
  expect(await shareOf(waiting.json.Items[0].Id)).toMatchObject({ status: 'error', error: 'The profile was removed.' })
  expect((await alice.ask('GET /app/api/board-profile')).json.Items).toEqual([])
})

test('stories are listed by own topics, featured and newest; closed ones are not found', async () => {
  const boardId = await place.board()
  const topicId = await place.topic(boardId, 'Trails')
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const old = await place.story(boardId, { published: at(50), topicIds: [topicId] })
  const featured = await place.story(boardId, { published: at(40), featured: true })
  const newest = await place.story(boardId, { published: at(5) })
  await place.story(boardId, { published: new Date(Date.now() + 60_000_000) })
  await place.story(boardId, { expires: at(1) })
  await place.story(boardId, { status: 'pending' })
  const alice = await place.advocate(boardId)
  const listed = async () =>
    (await alice.ask(`GET /app/api/board/${boardId}/story`)).json.Items.map(({ Id }: { Id: string }) => Id)
  expect(await listed()).toEqual([featured, newest, old])
  const before = (await alice.ask(`GET /app/api/board/${boardId}/topic`)).json.Items
  expect(before).toMatchObject([{ Id: topicId, IsChosen: 0, IsNew: 1 }])
  const chosen = await alice.ask(`POST /app/api/board/${boardId}/topic`, { body: { topicIds: [topicId] } })
  expect(chosen.json.Items).toMatchObject([{ Id: topicId, IsChosen: 1, IsNew: 0 }])
  expect(await listed()).toEqual([old, featured, newest])
  const [row] = await place.query<{ subscribers: number }>('select subscribers from topics where id = $1', [topicId])
  expect(row?.subscribers).toBe(1)
  await alice.ask(`POST /app/api/board/${boardId}/topic`, { body: { topicIds: '' } })
  expect(await listed()).toEqual([featured, newest, old])
})

test('a share withdrawn while waiting is not sent and reports why, and unsent ones can be cancelled', async () => {
  const boardId = await place.board({ share_window: 0 })
  const alice = await place.advocate(boardId)
  const { id: credentialIds } = await place.profile(alice.id)
  const storyId = await place.story(boardId)
  const later = {
    storyId,
    credentialIds,
    message: words('Withdrawn'),
    startDateTime: Math.floor(Date.now() / 1000) + 3,
  }
  const [{ Id }] = (await alice.ask(`POST /app/api/board/${boardId}/share`, { body: later })).json.Items
  await place.query(`update stories set status = 'pending' where id = $1`, [storyId])
  expect(await settled(Id)).toMatchObject({ status: 'error', error: expect.stringContaining('withdrawn') })
  expect(await publishing.published(later.message)).toEqual([])
  await place.query(`update stories set status = 'approved' where id = $1`, [storyId])
  const [again] = (
    await alice.ask(`POST /app/api/board/${boardId}/share`, {
      body: { ...later, startDateTime: Math.floor(Date.now() / 1000) + 3600 },
    })
  ).json.Items
  const bela = await place.advocate(boardId)
  for (const address of ['board-share', 'board/share'])
    expect((await bela.ask(`DELETE /app/api/${address}/${again.Id}`)).status).toBe(404)
  expect((await alice.ask(`DELETE /app/api/board/share/${again.Id}`)).json, 'the former address').toEqual({
    Result: true,
  })
  expect(
    (await alice.ask(`GET /app/api/board/${boardId}/share`)).json.Items.map(({ Id }: { Id: string }) => Id),
  ).toEqual([Id])
})

test('a paused campaign holds shares and releases them', async () => {
  const boardId = await place.board()
  const campaignId = await publishing.campaign('Paused')
  const storyId = await place.story(boardId, { campaignId })
  const alice = await place.advocate(boardId)
  const { id: credentialIds } = await place.profile(alice.id)
  await publishing.publisher(`POST /campaign/${campaignId}`, { body: { status: 'paused' } })
  const message = words('Held')
  const [{ Id }] = (
    await alice.ask(`POST /app/api/board/${boardId}/share`, { body: { storyId, credentialIds, message } })
  ).json.Items
  expect(await publishing.sends(Id)).toMatchObject([{ state: 'waiting', kind: 'share', due: null }])
  await publishing.publisher(`POST /campaign/${campaignId}`, { body: { status: 'active' } })
  expect(await settled(Id)).toMatchObject({ status: 'complete' })
})

test.each([
  ['a text that is too long', { message: 'x'.repeat(281) }, 400, /280/],
  ['a time that has passed', { startDateTime: 1_000_000_000 }, 400, /has passed/],
  ['no profile', { credentialIds: '' }, 400, /at least one/],
  ['another board’s story', { storyId: '0ASabsent000000' }, 400, /storyId names no story/],
])('%s is rejected', async (_, change, status, sentence) => {
  const boardId = await place.board()
  const alice = await place.advocate(boardId)
  const { id: credentialIds } = await place.profile(alice.id)
  const storyId = await place.story(boardId)
  const body = { storyId, credentialIds, message: 'Words', ...change }
  const response = await alice.ask(`POST /app/api/board/${boardId}/share`, { body })
  expect([response.status, response.json.Errors.API.Error]).toEqual([status, expect.stringMatching(sentence)])
  const otherAdvocate = await place.advocate(await place.board())
  expect((await otherAdvocate.ask(`POST /app/api/board/${boardId}/share`, { body })).status).toBe(404)
})
