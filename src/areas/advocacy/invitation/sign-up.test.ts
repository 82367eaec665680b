import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Attempt, attemptOf, givePassword, pablo } from '#areas/account/session/session.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { quickJobs, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'

const minute = 60 * 1000
const day = 24 * 60 * minute
let clockOffset = 0
const clock = { now: () => new Date(Date.now() + clockOffset) }
let folder: TemporaryFolder
let service: TestService
beforeAll(async () => {
  folder = await temporaryFolder()
  service = await startTestService({
    clock,
    pollingIntervals: quickJobs,
    environment: { CHORUS_DATA_DIR: folder.path, CHORUS_TRUSTED_PROXIES: '127.0.0.1' },
  })
  // Scheduled demo content would be published when days pass.
  await ownerQuery(service.databaseUrl, 'update sends set due = null where due is not null')
})
afterAll(async () => {
  await service.stop()
  await folder.remove()
})

let numbered = 0
const newBoard = async (settings: object = {}) =>
  (
    await service.admin('POST /app/api/boards', {
      body: { name: `Ramblers ${numbered++}`, signUpEnabled: 1, needsPassword: 0, ...settings },
    })
  ).json.Board
/** Unique, unless a test is about addresses. */
const newAddress = () => `198.51.${Math.floor(++numbered / 250)}.${numbered % 250}`
const newEmail = () => `visitor${numbered++}@example.com`

const post = async (path: string, body: object, from = newAddress()): Promise<Attempt> =>
  attemptOf(
    service.url,
    await fetch(`${service.url}/app/api/board${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify(body),
    }),
  )
const signUp = (slug: string, email: string, more: object = {}, from?: string) =>
  post('/sign-up', { slug, email, firstName: 'Some', lastName: 'Body', ...more }, from)

const settled = () =>
  expect
    .poll(async () => (await ownerQuery(service.databaseUrl, `select from jobs where queue = 'mail'`)).length)
    .toBe(0)
async function mailsTo(address: string): Promise<string[]> {
  await settled()
  const names = (await readdir(join(folder.path, 'outbox')).catch(() => [])).filter((name) => name.endsWith('.eml'))
  const mails = await Promise.all(names.sort().map((name) => readFile(join(folder.path, 'outbox', name), 'utf8')))
  return mails.filter((mail) => mail.includes(`To: ${address}\r\n`))
}
const tokenIn = (mail = '') => /token=([\w.-]+)/.exec(mail)?.[1] ?? ''
/** Signs up and returns the token of the emailed link. */
async function mailedToken(slug: string, email: string): Promise<string> {
  expect((await signUp(slug, email)).text).toBe('{"Result":true}')
  return tokenIn((await mailsTo(email)).at(-1))
}
const usersOn = async (id: string): Promise<number> => (await service.reader(`GET /board/${id}`)).json.Board.UsersCount
const signUpsOf = async (id: string) => (await service.publisher(`GET /app/api/boards/${id}/sign-up`)).json.Items

test('twelve anonymous sign-ups take no seat, and their text is emailed to no one', async () => {
  const { Id, Slug, Name } = await newBoard({ seats: 12 })
  const text = 'evil.example gives you money'
  const emails = Array.from({ length: 12 }, newEmail)
  for (const email of emails)
    expect((await signUp(Slug, email, { firstName: text, lastName: text })).text).toBe('{"Result":true}')
  for (const email of emails) {
    const [mail = '', ...more] = await mailsTo(email)
    expect(more).toEqual([])
    expect(mail).toContain(`Subject: Confirm your email address to join ${Name}`)
    expect(mail).toContain('\r\n\r\nHello,\r\n')
    expect(mail).not.toContain('evil')
  }
  expect(await usersOn(Id)).toBe(0)
  expect((await service.admin('GET /advocate', { query: `email=${emails[0]}` })).json.Total).toBe(0)
  expect(await ownerQuery(service.databaseUrl, 'select from users where email = any ($1)', [emails])).toEqual([])
  const users = Array.from({ length: 12 }, () => ({ email: newEmail(), firstName: 'In', lastName: 'Vited' }))
  const invited = await service.publisher('POST /advocate/bulk', { body: { boardId: Id, users } })
  expect([invited.status, await usersOn(Id)], 'invitations have all seats').toEqual([200, 12])
})

describe('the emailed link', () => {
  test('takes the seat once and signs the visitor in', async () => {
    const { Id, Slug } = await newBoard({ seats: 1 })
    const email = newEmail()
    const token = await mailedToken(Slug, email)
    expect(await signUpsOf(Id)).toMatchObject([
      { Email: email, FirstName: 'Some', Status: 'unconfirmed', Confirmed: '0000-00-00 00:00:00' },
    ])
    const begun = await post('/invitation', { token, firstName: 'Ola' })
    expect(begun.status).toBe(200)
    expect((await begun.ask('GET /app/api/session')).json.User).toMatchObject({ Name: 'Ola Body', Role: 'advocate' })
    expect((await begun.ask('GET /app/api/board')).json.Items).toMatchObject([{ Id, Role: 'contributor' }])
    expect([await usersOn(Id), await signUpsOf(Id)]).toEqual([1, []])
    expect((await post('/invitation', { token })).status).toBe(400)
    const { Items } = (await service.admin('GET /app/api/audit', { query: `id=${begun.json.UserId}` })).json
    expect(Items[0]).toMatchObject({ Operation: 'POST /app/api/board/invitation', Via: 'link' })
  })

  test('asks for a password if the board requires one, on a page too', async () => {
    const { Id, Slug, Name } = await newBoard({ needsPassword: 1 })
    const token = await mailedToken(Slug, newEmail())
    expect((await post('/invitation', { token })).json.Errors.API.Error).toContain('Choose a password')
    const page = `${service.url}/app/board-invitation`
    const shown = await (await fetch(`${page}?token=${token}`)).text()
    for (const part of [`Join ${Name}`, 'value="Some"', 'name="password"']) expect(shown).toContain(part)
    expect(await usersOn(Id), 'opening it uses nothing up').toBe(0)
    const send = (password: string) =>
      fetch(page, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
        redirect: 'manual',
        body: new URLSearchParams({ token, password, firstName: 'Some', lastName: 'Body' }),
      })
    expect((await send('')).status).toBe(400)
    const entered = await send('over the green hill')
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/app'])
    expect(await usersOn(Id)).toBe(1)
  })

  test('reports that all seats are taken; the sign-up is kept, managers see it, and the link works later', async () => {
    const { Id, Slug, Name } = await newBoard({ seats: 1 })
    const [first, second] = [newEmail(), newEmail()]
    const [early, late] = [await mailedToken(Slug, first), await mailedToken(Slug, second)]
    const manager = await post('/invitation', { token: early })
    expect(manager.status).toBe(200)
    const sentence = `All seats of “${Name}” are taken. Your sign-up is kept for 30 days, and the managers of the board can see it. Open this link again once there is a free seat.`
    const refused = await post('/invitation', { token: late })
    expect([refused.status, refused.json, refused.cookie]).toEqual([
      429,
      { Result: false, Errors: { API: { Error: sentence }, Advocacy: { Error: 'RateLimit' } } },
      '',
    ])
    const page = await fetch(`${service.url}/app/board-invitation`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token: late }),
    })
    expect([page.status, await page.text()]).toEqual([429, expect.stringContaining(sentence)])
    expect(await ownerQuery(service.databaseUrl, 'select from users where email = $1', [second])).toEqual([])

    const waiting = [{ Email: second, Status: 'waiting', Confirmed: expect.not.stringMatching(/^0000/) }]
    expect(await signUpsOf(Id)).toMatchObject(waiting)
    const asManager = () => manager.ask(`GET /app/api/board/${Id}/sign-up`)
    expect((await asManager()).status).toBe(403)
    await ownerQuery(service.databaseUrl, `update board_members set role = 'manager' where board_id = $1`, [Id])
    expect((await asManager()).json.Items).toMatchObject(waiting)
    for (const as of [service.contributor, service.reader])
      expect((await as(`GET /app/api/boards/${Id}/sign-up`)).status).toBe(403)
    expect((await service.otherAdmin(`GET /app/api/boards/${Id}/sign-up`)).status).toBe(404)

    clockOffset += 29 * day
    await service.admin(`POST /app/api/boards/${Id}`, { body: { seats: 2 } })
    expect((await post('/invitation', { token: late })).status).toBe(200)
    expect([await usersOn(Id), await signUpsOf(Id)]).toEqual([2, []])
  })

  test('is rejected if the board no longer accepts sign-ups, and the sign-up is kept', async () => {
    const { Id, Slug, Name } = await newBoard()
    const email = newEmail()
    const token = await mailedToken(Slug, email)
    await service.admin(`POST /app/api/boards/${Id}`, { body: { signUpEnabled: 0 } })
    const { status, json } = await post('/invitation', { token })
    expect([status, json.Errors.API.Error]).toEqual([
      409,
      expect.stringContaining(`“${Name}” does not accept sign-ups any more.`),
    ])
    expect(await signUpsOf(Id)).toMatchObject([{ Email: email, Status: 'waiting' }])
    await service.publisher('POST /advocate', { body: { boardId: Id, email, firstName: 'In', lastName: 'Vited' } })
    expect([await usersOn(Id), await signUpsOf(Id)], 'who is invited waits no more').toEqual([1, []])
  })

  test('adds a user with a password to the board without a session', async () => {
    const { Id, Slug } = await newBoard({ needsPassword: 1 })
    await givePassword(service)
    const before = (await mailsTo(pablo.email)).length
    const token = await mailedToken(Slug, pablo.email)
    expect(await usersOn(Id), 'the form alone does not').toBe(0)
    const joined = await post('/invitation', { token })
    expect([joined.status, joined.json.UserId, joined.cookie]).toEqual([200, pablo.id, ''])
    expect((await service.publisher('GET /app/api/board')).json.Items).toMatchObject([{ Id }])
    expect((await signUp(Slug, pablo.email)).status).toBe(200)
    expect(await mailsTo(pablo.email), 'existing members are not emailed again immediately').toHaveLength(before + 1)
  })

  test('of thirty concurrent uses ten get the ten seats', async () => {
    const { Id, Slug } = await newBoard({ seats: 10 })
    const emails = Array.from({ length: 30 }, newEmail)
    for (const email of emails) await signUp(Slug, email)
    const tokens = await Promise.all(emails.map(async (email) => tokenIn((await mailsTo(email))[0])))
    const use = async (token: string): Promise<number> => {
      const { status } = await post('/invitation', { token })
      // Retries on 503.
      return status === 503 ? use(token) : status
    }
    const statuses = await Promise.all(tokens.map(use))
    expect([statuses.filter((status) => status === 200), statuses.filter((status) => status === 429)]).toMatchObject([
      { length: 10 },
      { length: 20 },
    ])
    expect([await usersOn(Id), (await signUpsOf(Id)).length]).toEqual([10, 20])
  })

  test('works for three days, then the sign-up is deleted', async () => {
    const { Id, Slug } = await newBoard()
    const token = await mailedToken(Slug, newEmail())
    clockOffset += 3 * day - minute
    expect(await signUpsOf(Id)).toHaveLength(1)
    clockOffset += 2 * minute
    expect((await post('/invitation', { token })).json.Errors.API.Error).toContain('This link was used already')
    expect(await signUpsOf(Id)).toEqual([])
    clockOffset += 60 * minute
    const rows = () => ownerQuery(service.databaseUrl, 'select from board_sign_ups where board_id = $1', [Id])
    await expect.poll(async () => (await rows()).length).toBe(0)
  })
})

describe('sign-ups are limited', () => {
  /** Limits are counted per quarter of an hour, so a test must not cross into the next one. */
  const toNextQuarter = () => {
    clockOffset += 15 * minute - (clock.now().getTime() % (15 * minute))
  }
  const statusesOf = async (count: number, once: () => Promise<Attempt>) => {
    const answers = []
    for (let time = 0; time < count; time++) answers.push(await once())
    return answers
  }

  test('to ten per IP address in a quarter of an hour', async () => {
    const { Slug } = await newBoard()
    toNextQuarter()
    const from = newAddress()
    const answers = await statusesOf(11, () => signUp(Slug, newEmail(), {}, from))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429])
    const { json, headers } = answers[10] as Attempt
    expect(json.Errors.API.Error).toMatch(/^Too many sign-ups from your network\. Try again in \d+ seconds\.$/)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900)
    expect((await signUp(Slug, newEmail())).status, 'other visitors are not limited').toBe(200)
    toNextQuarter()
    expect((await signUp(Slug, newEmail(), {}, from)).status).toBe(200)
  })

  test('to sixty per board, existing or not', async () => {
    for (const slug of [(await newBoard()).Slug, 'no-such-board']) {
      toNextQuarter()
      const answers = await statusesOf(61, () => signUp(slug, newEmail()))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
      expect(answers[60]?.json.Errors.API.Error).toMatch(/^Too many sign-ups for this board\. Try again in \d+ seconds/)
    }
  })

  test('to three emails per address in total', async () => {
    const { Slug } = await newBoard()
    const email = newEmail()
    for (let time = 0; time < 6; time++) {
      await signUp(Slug, email)
      await settled()
      clockOffset += 20 * minute
    }
    const mails = await mailsTo(email)
    expect(mails).toHaveLength(3)
    expect((await post('/invitation', { token: tokenIn(mails[0]) })).status, 'the newest link counts').toBe(400)
    expect((await post('/invitation', { token: tokenIn(mails[2]) })).status).toBe(200)
  })
})

test('personal data of a sign-up is exported and deleted with the person', async () => {
  const { Id, Slug } = await newBoard()
  const email = newEmail()
  await mailedToken(Slug, email)
  const lead = (await service.contributor('POST /app/api/lead', { body: { email } })).json.Lead.Id
  const exported = (await service.admin(`GET /app/api/lead/${lead}/export`)).text
  expect(exported).toContain(Id)
  expect((await service.publisher(`DELETE /lead/${lead}`)).status).toBe(200)
  await expect.poll(() => signUpsOf(Id)).toEqual([])
})
