import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attemptOf, signIn } from '#areas/account/session/session.fixture.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { quickJobs, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'

const day = 24 * 60 * 60 * 1000
let clockOffset = 0
const clock = { now: () => new Date(Date.now() + clockOffset) }
let folder: TemporaryFolder
let service: TestService
beforeAll(async () => {
  folder = await temporaryFolder()
  service = await startTestService({
    clock,
    pollingIntervals: quickJobs,
    environment: { CHORUS_DATA_DIR: folder.path },
  })
  // Scheduled demo content would be published when days pass.
  await ownerQuery(service.databaseUrl, 'update sends set due = null where due is not null')
})
afterAll(async () => {
  await service.stop()
  await folder.remove()
})

/** Emails to an address so far. */
async function mailsTo(address: string): Promise<string[]> {
  const names = (await readdir(join(folder.path, 'outbox')).catch(() => [])).filter((name) => name.endsWith('.eml'))
  const mails = await Promise.all(names.sort().map((name) => readFile(join(folder.path, 'outbox', name), 'utf8')))
  return mails.filter((mail) => mail.includes(`To: ${address}\r\n`))
}

const seen = new Set<string>()
/** The next email, with the token in its link. */
async function nextMail(address: string): Promise<{ mail: string; token: string; link: string }> {
  const fresh = async () => (await mailsTo(address)).find((mail) => !seen.has(mail))
  await expect.poll(fresh).toBeDefined()
  const mail = (await fresh()) ?? ''
  seen.add(mail)
  const [link = ''] = /http\S+/.exec(mail) ?? []
  return { mail, link, token: /token=([\w.-]+)/.exec(mail)?.[1] ?? '' }
}

const post = async (path: string, body: object) =>
  attemptOf(
    service.url,
    await fetch(`${service.url}/app/api/board${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

let numbered = 0
const newBoard = async (settings: object = {}) =>
  (await service.admin('POST /app/api/boards', { body: { name: `Walkers ${numbered++}`, ...settings } })).json.Board
const invite = async (boardId: string, email: string, message = ''): Promise<string> => {
  const body = { boardId, email, firstName: 'Noor', lastName: 'Haddad', message }
  return (await service.publisher('POST /advocate', { body })).json.Users[0].Id
}
const invalidLink = 'This link was used already, is too old, or a newer one has taken its place.'

test('an invited advocate accepts by the emailed link, once, and sees only their boards', async () => {
  const { Id, Name, Slug } = await newBoard({ terms: 'Be kind.', logoId: '026demo00000001' })
  await service.publisher('POST /board-topic', { body: { boardId: Id, name: 'Paths' } })
  const email = 'noor.haddad@example.com'
  const userId = await invite(Id, email, 'Please join.\nIt is fun.')
  const { mail, token, link } = await nextMail(email)
  expect(mail).toContain(`Subject: Pablo Reyes invites you to ${Name}`)
  expect(mail).toContain('> Please join.\r\n> It is fun.')
  expect(mail, 'no name before the address is verified').toContain('\r\n\r\nHello,\r\n')
  expect(link).toMatch(/\/app\/invitation\?token=/)
  expect((await fetch(link)).status).toBe(200)

  const short = await post('/invitation', { token })
  expect([short.status, short.json.Errors.API.Error]).toEqual([400, expect.stringContaining('Choose a password')])
  const begun = await post('/invitation', { token, password: 'over the green hill', firstName: 'Nora' })
  expect([begun.status, begun.json.UserId]).toEqual([200, userId])
  expect((await post('/invitation', { token, password: 'over the green hill' })).json.Errors.API.Error).toContain(
    invalidLink,
  )
  const { User, Abilities } = (await begun.ask('GET /app/api/session')).json
  expect([User.Name, User.Role, Abilities]).toEqual(['Nora Haddad', 'advocate', ['enter', 'share']])
  expect((await begun.ask('GET /app/api/board')).json).toEqual({
    Result: true,
    Items: [
      {
        Id,
        Name,
        Slug,
        Kind: 'stories',
        Color: '#2F6F4E',
        Terms: 'Be kind.',
        Role: 'contributor',
        LogoUrl: expect.stringContaining('http'),
        UnseenTopics: 1,
      },
    ],
    Total: 1,
  })
  const people = `GET /app/api/board/${Id}/advocate`
  expect((await begun.ask(people)).json.Errors.API.Error).toBe('Only who manages the board sees its advocates.')
  await ownerQuery(service.databaseUrl, `update board_members set role = 'manager' where board_id = $1`, [Id])
  const [self] = (await begun.ask(people)).json.Items
  expect([self.Id, self.LastSeen], 'the caller counts as seen').toEqual([userId, expect.not.stringMatching(/^0000/)])
  expect((await begun.ask('GET /app/api/board/brddemo00000001/advocate')).status).toBe(404)
  for (const route of ['GET /app/api/v2/campaign', 'GET /app/api/v2/board', `GET /app/api/boards/${Id}`])
    expect((await begun.ask(route)).status, route).toBe(403)
  const { Advocate } = (await service.reader(`GET /advocate/${userId}`)).json
  expect(Advocate.LastBoardLogin).not.toMatch(/^0000/)
  expect((await signIn(service.url, { email, password: 'over the green hill' })).status).toBe(200)

  await service.publisher(`DELETE /advocate/${userId}`, { body: { boardId: Id } })
  expect((await begun.ask('GET /app/api/board')).json.Items, 'who was removed sees nothing').toEqual([])
})

test('an invitation is valid for fourteen days and replaced by a newer one', async () => {
  const { Id } = await newBoard()
  const email = 'late@example.com'
  const userId = await invite(Id, email)
  const first = await nextMail(email)
  await service.publisher('POST /advocate', { body: { boardId: Id, userId } })
  const second = await nextMail(email)
  const password = 'over the green hill'
  expect((await post('/invitation', { token: first.token, password })).status).toBe(400)
  clockOffset += 14 * day + 1000
  expect((await post('/invitation', { token: second.token, password })).json.Errors.API.Error).toContain(invalidLink)
  clockOffset = 0
  expect((await post('/invitation', { token: second.token, password })).status).toBe(200)
  await service.publisher('POST /advocate', { body: { boardId: Id, userId } })
  expect((await nextMail(email)).mail, 'who has a password signs in').toContain('/app/sign-in')
})

test('on a board without passwords emailed links sign an advocate in', async () => {
  const { Id, Slug } = await newBoard({ needsPassword: 0 })
  const email = 'ola@example.com'
  const userId = await invite(Id, email)
  const { token, link } = await nextMail(email)
  expect(await (await fetch(link)).text()).toContain('action="/app/board-invitation"')
  const begun = await post('/invitation', { token, firstName: 'Ola', lastName: 'Berg' })
  expect([begun.status, begun.json.UserId]).toEqual([200, userId])
  expect((await begun.ask('GET /app/api/board')).json.Total).toBe(1)

  const answers = []
  for (const body of [
    { email, slug: Slug },
    { email: 'nobody.at.all@example.com', slug: Slug },
    { email: 'ada.marsh@example.com', slug: Slug },
    { email: 'another@example.com', slug: 'no-such-board' },
  ])
    answers.push((await post('/entry-link', body)).text)
  expect(new Set(answers)).toEqual(new Set(['{"Result":true}']))
  const entry = await nextMail(email)
  expect(entry.link).toContain('/app/board-entry?token=')
  expect((await fetch(entry.link)).status).toBe(200)
  const again = await post('/entry', { token: entry.token })
  expect([again.status, again.json.UserId]).toEqual([200, userId])
  expect((await post('/entry', { token: entry.token })).json.Errors.API.Error).toContain(
    'Ask for a new one at your board.',
  )
  for (let time = 0; time < 2; time++) await post('/entry-link', { email, slug: Slug })
  expect((await post('/entry-link', { email, slug: Slug })).status, 'not for ever').toBe(429)
  const waiting = `select from jobs where name = 'advocacy.send-entry-link'`
  await expect.poll(async () => (await ownerQuery(service.databaseUrl, waiting)).length).toBe(0)
  for (const address of ['nobody.at.all@example.com', 'ada.marsh@example.com'])
    expect(await mailsTo(address)).toEqual([])

  // The page leads to the same form; the last of several links counts.
  const [last = ''] = (await mailsTo(email)).slice(-1)
  const third = { token: /token=([\w.-]+)/.exec(last)?.[1] ?? '' }
  const form = { method: 'POST', body: new URLSearchParams({ token: third.token }), redirect: 'manual' } as const
  const entered = await fetch(`${service.url}/app/board-entry`, {
    ...form,
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/app'])
  const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const home = await fetch(`${service.url}/app`, { headers: { cookie } })
  expect([home.status, await home.text()]).toEqual([200, expect.stringContaining('as an advocate')])
})

test('people sign up where a board allows it, and learn nothing where it does not', async () => {
  const open = await newBoard({ signUpEnabled: 1, signUpDomains: 'walkers.example' })
  const closed = await newBoard()
  const names = { firstName: 'Self', lastName: 'Made' }
  const requests = [
    { slug: open.Slug, email: 'self@walkers.example' },
    { slug: open.Slug, email: 'self@elsewhere.example' },
    { slug: closed.Slug, email: 'closed@walkers.example' },
  ]
  for (const one of requests) expect((await post('/sign-up', { ...one, ...names })).text).toBe('{"Result":true}')
  const { mail, token } = await nextMail('self@walkers.example')
  expect(mail).toContain(`Subject: Confirm your email address to join ${open.Name}`)
  expect((await post('/invitation', { token, password: 'over the green hill' })).status).toBe(200)
  await expect
    .poll(
      async () => (await ownerQuery(service.databaseUrl, `select from jobs where name = 'advocacy.sign-up'`)).length,
    )
    .toBe(0)
  for (const { email } of requests.slice(1)) {
    expect(await mailsTo(email)).toEqual([])
    expect((await service.admin('GET /advocate', { query: `email=${email}` })).json.Total).toBe(0)
  }
  const { Items } = (
    await service.admin('GET /app/api/audit', { query: 'operation=POST /app/api/board/invitation&_count=1' })
  ).json
  expect(Items, 'joining by a sign-up is in the audit log').toMatchObject([
    { UserName: 'Self Made', Address: '127.0.0.1', Via: 'link', EntityId: Items[0]?.UserId },
  ])
})

test('an advocate can get a role, stays an advocate, and chooses the required password', async () => {
  const { Id } = await newBoard({ needsPassword: 0 })
  const email = 'both@example.com'
  const userId = await invite(Id, email)
  await nextMail(email)
  const given = await service.admin('POST /app/api/invitation', { body: { email, role: 'publisher' } })
  expect(given.json.User).toEqual({ Id: userId, Name: 'Noor Haddad', Email: email, Role: 'publisher' })
  const { token } = await nextMail(email)
  expect((await post('/invitation', { token })).status, 'a link alone lets no user with a role in').toBe(400)
  const chosen = await fetch(`${service.url}/app/api/invitation/choice`, {
    method: 'POST',
    body: new URLSearchParams({ token, password: 'over the green hill' }),
  })
  const { ask } = await attemptOf(service.url, chosen)
  expect((await ask('GET /app/api/session')).json.User.Role).toBe('publisher')
  expect((await ask('GET /app/api/board')).json.Items).toMatchObject([{ Id }])
  expect((await service.admin(`GET /user/${userId}`)).status).toBe(200)
})
