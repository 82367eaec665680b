import { afterAll, beforeAll, expect, test } from 'vitest'
import { placeAdvocacy } from '../../../../tests/support/advocacy.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService, testKeys } from '../../../../tests/support/service.ts'

let service: TestService
const clock = { time: Date.now(), now: () => new Date(clock.time) }
beforeAll(async () => {
  service = await startTestService({ clock, environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const minute = 60 * 1000
const day = 24 * 60 * minute

const invite = async (email: string, role = 'publisher'): Promise<string> =>
  (await service.admin('POST /app/api/invitation', { body: { email, role } })).json.User.Id
const pendingInvitations = async () => (await service.reader('GET /app/api/invitation')).json.Items as { Id: string }[]
const one = async (id: string) => (await pendingInvitations()).find(({ Id }) => Id === id)
const queued = () =>
  ownerQuery<{ payload: string }>(
    service.databaseUrl,
    `delete from jobs where name = 'account.send-invitation' returning payload::text`,
  )
/** Sets the time at which the email was sent to now. */
const mailed = (id: string) =>
  ownerQuery(
    service.databaseUrl,
    `insert into sign_in_links (account_id, user_id, purpose, created, ends, digest) values ($1, $2, 'invitation', $3, $4, sha256($2::text::bytea))`,
    [demoAccount, id, clock.now(), new Date(clock.time + 14 * day)],
  )

test('an invitation is listed until it is accepted or expires', async () => {
  const id = await invite('newcomer@example.com')
  expect(await one(id)).toMatchObject({
    Email: 'newcomer@example.com',
    Role: 'publisher',
    InvitedByName: 'Ada Marsh',
    State: 'on-its-way',
    Ends: '0000-00-00 00:00:00',
  })
  await mailed(id)
  expect(await one(id)).toMatchObject({ State: 'waiting' })
  clock.time += 15 * day
  expect(await one(id)).toMatchObject({ State: 'ran-out' })
  const person = (await service.reader('GET /app/api/user', { query: 'q=&_count=100' })).json.Items
  expect(person.find(({ Id }: { Id: string }) => Id === id).Invited).not.toBe('0000-00-00 00:00:00')
  await service.admin(`POST /user/${id}`, { body: { password: 'a long password' } })
  expect(await one(id)).toBeUndefined()
})

test('an invitation can be resent once per minute', async () => {
  const id = await invite('again@example.com')
  await queued()
  const again = (as = service.admin) => as(`POST /app/api/invitation/${id}/send`)
  const soon = await again()
  expect([soon.status, soon.headers.get('retry-after')]).toEqual([429, '60'])
  clock.time += minute
  expect((await again(service.publisher)).status).toBe(403)
  expect((await again()).status).toBe(200)
  expect(JSON.parse((await queued())[0]?.payload ?? '')).toMatchObject({ userId: id, by: 'Ada Marsh' })
  expect((await service.admin('POST /app/api/invitation/00Ademo00000002/send')).status).toBe(404)
})

test('a withdrawn invitation is invalid, and a former advocate stays one', async () => {
  const id = await invite('gone@example.com')
  expect((await service.otherAdmin(`DELETE /app/api/invitation/${id}`)).status).toBe(404)
  expect((await service.admin(`DELETE /app/api/invitation/${id}`)).status).toBe(200)
  expect([await one(id), (await service.admin(`GET /user/${id}`)).status]).toEqual([undefined, 404])

  const { url, databaseUrl } = service
  const place = placeAdvocacy({ url, databaseUrl, account: demoAccount, keys: testKeys, control: async () => ({}) })
  const boardId = await place.board()
  const advocate = await place.advocate(boardId)
  const [{ email } = { email: '' }] = await ownerQuery<{ email: string }>(
    databaseUrl,
    'insert into user_emails (email, account, user_id) select email, account_id, id from users where id = $1 returning email',
    [advocate.id],
  )
  expect(await invite(email, 'contributor')).toBe(advocate.id)
  expect((await service.admin(`DELETE /app/api/invitation/${advocate.id}`)).status).toBe(200)
  expect((await service.admin(`GET /user/${advocate.id}`)).status).toBe(404)
  const members = await service.admin('GET /advocate', { query: `boardId=${boardId}` })
  expect(JSON.stringify(members.json)).toContain(advocate.id)
})

test('a link created by an admin works once and replaces the emailed one', async () => {
  const id = await invite('by-hand@example.com', 'contributor')
  await mailed(id)
  const link = (as = service.admin) => as(`POST /app/api/invitation/${id}/link`)
  expect((await link(service.publisher)).status).toBe(403)
  expect((await link(service.otherAdmin)).status).toBe(404)
  const first = (await link()).json.Url as string
  const url = (await link()).json.Url as string
  const accept = (from: string) =>
    service.admin('POST /app/api/invitation/choice', {
      body: {
        token: new URL(from).searchParams.get('token'),
        password: 'a garden in june',
        firstName: 'By',
        lastName: 'Hand',
      },
    })
  expect(new URL(url).pathname).toBe('/app/invitation')
  expect((await accept(first)).status).toBe(400)
  expect((await accept(url)).json).toMatchObject({ UserId: id })
  expect([(await accept(url)).status, (await link()).status]).toEqual([400, 404])
})
