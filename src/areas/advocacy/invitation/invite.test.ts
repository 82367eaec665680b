import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { demoBoards } from '../demo/boards.demo.ts'

let service: TestService
beforeAll(async () => {
  // Without a worker the emails stay queued and can be counted.
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

let numbered = 0
const person = () => ({ email: `guest${numbered++}@example.com`, firstName: 'Guest', lastName: 'New' })
const invite = (body: object, as = service.publisher) => as('POST /advocate', { body })
/** Retries on 503, which changes nothing. */
const inviteInTurn = async (body: object): ReturnType<typeof invite> => {
  const response = await invite(body)
  return response.status === 503 ? inviteInTurn(body) : response
}
const inviteMany = (body: object) => service.publisher('POST /advocate/bulk', { body })
const newBoard = async (settings: object = {}): Promise<string> =>
  (await service.admin('POST /app/api/boards', { body: { name: 'Invite', ...settings } })).json.Board.Id
const usersOn = async (id: string): Promise<number> => (await service.reader(`GET /board/${id}`)).json.Board.UsersCount
const lettersFor = async (userId: string) =>
  (
    await ownerQuery<{ message: string }>(
      service.databaseUrl,
      `select payload ->> 'message' as message from jobs where name = 'advocacy.send-invitation' and payload ->> 'userId' = $1 order by id`,
      [userId],
    )
  ).map(({ message }) => message)
const countAdvocates = async (): Promise<number> => (await service.admin('GET /advocate')).json.Total

test('a new person is on the board and emailed, but not in the user list; a second invitation emails again', async () => {
  const boardId = await newBoard()
  const before = await countAdvocates()
  const guest = person()
  const { status, json } = await invite({ boardId, ...guest, message: 'Come along' })
  expect([status, json]).toEqual([
    200,
    { Result: true, Users: [{ Id: expect.stringMatching(/^00A\w{12}$/), Name: 'Guest New', Email: guest.email }] },
  ])
  const { Id } = json.Users[0]
  expect([await usersOn(boardId), await countAdvocates()]).toEqual([1, before + 1])
  expect((await service.admin(`GET /user/${Id}`)).status).toBe(404)
  const again = await invite({ boardId, userId: Id, message: 'Once more', role: 'manager' })
  expect(again.json).toEqual(json)
  expect((await invite({ boardId, ...guest, email: guest.email.toUpperCase() })).json, 'by address').toEqual(json)
  expect(await lettersFor(Id)).toEqual(['Come along', 'Once more', ''])
  const [listed] = (await service.reader('GET /advocate', { query: `boardId=${boardId}` })).json.Items
  expect([listed.RoleId, listed.Role], 'a role is assigned once').toEqual(['contributor', 'Contributor'])
  expect([await usersOn(boardId), await countAdvocates()]).toEqual([1, before + 1])
})

test('a user with a password joins immediately with the given role', async () => {
  const boardId = await newBoard({ defaultRole: 'manager' })
  const user = { ...person(), password: 'a long password', role: 'read' }
  const { Id } = (await service.admin('POST /user', { body: user })).json.User
  const { email, firstName, lastName } = user
  expect((await invite({ boardId, email, firstName, lastName, role: 'Contributor' })).json.Users[0].Id).toBe(Id)
  await invite({ boardId, ...person() })
  const { Items } = (await service.reader('GET /advocate', { query: `boardId=${boardId}` })).json
  expect(Items.map(({ RoleId }: { RoleId: string }) => RoleId)).toEqual(['manager', 'contributor'])
  const accepted = await ownerQuery(
    service.databaseUrl,
    'select from board_members where board_id = $1 and user_id = $2 and accepted is not null',
    [boardId, Id],
  )
  expect(accepted).toHaveLength(1)
  expect((await service.admin(`DELETE /user/${Id}`)).status).toBe(200)
  expect(await usersOn(boardId), 'a deleted user leaves').toBe(1)
})

test('missing, superfluous and unknown values are rejected', async () => {
  const boardId = await newBoard()
  const otherAdvocate = (await invite({ boardId: demoBoards.withoutTopics, ...person() })).json.Users[0].Id
  const { email, firstName, lastName } = person()
  const refused: [object, string][] = [
    [{ email, firstName, lastName }, 'Missing value for parameter boardId.'],
    [{ boardId: 'brdabsent000000', email, firstName, lastName }, 'boardId names no board: "brdabsent000000".'],
    [{ boardId }, 'Missing value for parameter email.'],
    [{ boardId, email, lastName }, 'Missing value for parameter firstName.'],
    [{ boardId, email, firstName }, 'Missing value for parameter lastName.'],
    [{ boardId, email, firstName, lastName, userId: otherAdvocate }, 'Give either email or userId, not both.'],
    [{ boardId, email: 'x', firstName, lastName }, 'email must be a valid email address.'],
    [{ boardId, email, firstName: 'x'.repeat(33), lastName }, 'firstName must be at most 32 characters long.'],
    [{ boardId, email, firstName, lastName, role: 'admin' }, 'role must be one of contributor, manager.'],
    [
      { boardId, email, firstName, lastName, message: 'x'.repeat(1025) },
      'message must be at most 1024 characters long.',
    ],
    [{ boardId, userId: otherAdvocate }, 'userId names no advocate of this board. Invite somebody new by their email.'],
    [
      { boardId, userId: '00Aabsent000000' },
      'userId names no advocate of this board. Invite somebody new by their email.',
    ],
  ]
  for (const [body, sentence] of refused) {
    const { status, json } = await invite(body)
    expect([status, json.Errors.API.Error]).toEqual([400, sentence])
  }
  expect(await usersOn(boardId)).toBe(0)
  for (const as of [service.contributor, service.reader])
    expect((await invite({ boardId, ...person() }, as)).status).toBe(403)
  const archived = await invite({ boardId: demoBoards.archived, ...person() })
  expect([archived.status, archived.json.Errors.API.Error]).toEqual([409, expect.stringContaining('is archived')])
})

test('of thirty concurrent invitations ten get the ten seats', async () => {
  const boardId = await newBoard({ seats: 10 })
  const before = await countAdvocates()
  const answers = await Promise.all(Array.from({ length: 30 }, () => inviteInTurn({ boardId, ...person() })))
  const unexpected = answers.filter(({ status }) => status !== 200 && status !== 429)
  expect(unexpected.map(({ text }) => text)).toEqual([])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const full = answers.filter(({ status }) => status === 429)
  expect(full).toHaveLength(20)
  expect(full[0]?.json).toEqual({
    Result: false,
    Errors: {
      API: { Error: expect.stringContaining('has 10 seats and 0 of them free; 1 more were asked for.') },
      Advocacy: { Error: 'RateLimit' },
    },
  })
  const { Items, Total } = (await service.reader('GET /advocate', { query: `boardId=${boardId}&_count=100` })).json
  expect([Items.length, Total, await usersOn(boardId)]).toEqual([10, 10, 10])
  expect(await countAdvocates(), 'rejected invitations create no user').toBe(before + 10)
  expect((await invite({ boardId, userId: Items[0].Id })).status, 'inviting again takes no seat').toBe(200)
})

test('of a hundred at once valid ones are invited, and invalid ones are returned as sent', async () => {
  const boardId = await newBoard({ seats: 95 })
  const member = (await invite({ boardId, ...person() })).json.Users[0]
  const users: object[] = Array.from({ length: 100 }, person)
  const first = users[0] as ReturnType<typeof person>
  users[3] = { ...person(), email: 'nonsense' }
  users[10] = { email: 'nobody@example.com', firstName: 'No' }
  users[20] = { ...person(), email: first.email.toUpperCase() }
  users[30] = { ...person(), email: member.Email }
  users[40] = { userId: member.Id }
  users[50] = { userId: '00Aabsent000000' }
  users[60] = { ...person(), role: 'king' }
  users[70] = 'no object' as unknown as object
  users[99] = { ...person(), lastName: 'x'.repeat(33) }
  const { status, json } = await inviteMany({ boardId, users, message: 'All of you' })
  expect(status, JSON.stringify(json.Errors)).toBe(200)
  const rejected = (index: number, ErrorField: string, ErrorMessage: string) => ({
    Id: index + 1,
    Data: users[index],
    ErrorField,
    ErrorMessage,
  })
  expect(json.Errors).toEqual([
    rejected(3, 'email', 'Invalid email address'),
    rejected(10, 'lastName', 'Missing value for parameter lastName.'),
    rejected(20, 'email', 'The same email stands in entry 1 already.'),
    rejected(
      30,
      'email',
      `${member.Email} is an advocate of this board already. Give their userId to invite them again.`,
    ),
    rejected(50, 'userId', 'userId names no advocate of this board. Invite somebody new by their email.'),
    rejected(60, 'role', 'role must be one of contributor, manager'),
    rejected(70, '', 'The entry must be an object.'),
    rejected(99, 'lastName', 'lastName must be at most 32 characters long'),
  ])
  expect(json.Result).toBe(true)
  expect(json.Users).toHaveLength(92)
  expect(json.Users).toContainEqual(member)
  expect(await usersOn(boardId)).toBe(92)
  expect(await lettersFor(member.Id)).toEqual(['', 'All of you'])

  const over = await inviteMany({ boardId, users: Array.from({ length: 4 }, person) })
  expect([over.status, over.json.Errors.Advocacy]).toEqual([429, { Error: 'RateLimit' }])
  expect(await usersOn(boardId), 'all of them or none').toBe(92)
  const many = await inviteMany({ boardId, users: Array.from({ length: 101 }, person) })
  expect([many.status, many.json.Errors.API.Error]).toEqual([400, 'users must hold 1 to 100 elements.'])
  expect((await inviteMany({ boardId, users: [] })).status).toBe(400)
})

test('bulk accepts the encodings clients use, and no other method', async () => {
  const boardId = await newBoard()
  const [one, other] = [person(), person()]
  const form = new URLSearchParams({ boardId, 'users[0][email]': one.email, 'users[0][firstName]': 'Guest' })
  form.append('users[0][lastName]', 'New')
  expect((await service.publisher('POST /advocate/bulk', { body: form.toString() })).json.Users).toHaveLength(1)
  const text = new URLSearchParams({ boardId, users: JSON.stringify([other, { email: 'a\0b', role: null }]) })
  const { json } = await service.publisher('POST /advocate/bulk', { body: text.toString() })
  expect([json.Users.length, json.Errors.length]).toEqual([1, 1])
  for (const verb of ['GET', 'DELETE', 'PUT']) {
    const { status, headers } = await service.publisher(`${verb} /advocate/bulk`)
    expect([status, headers.get('allow')], verb).toEqual([405, 'POST'])
  }
})

test('the same person invited to two boards concurrently is one advocate', async () => {
  const boards = await Promise.all([newBoard(), newBoard(), newBoard()])
  const before = await countAdvocates()
  const guest = person()
  const answers = await Promise.all(boards.map((boardId) => invite({ boardId, ...guest })))
  expect(new Set(answers.map(({ json }) => json.Users[0].Id)).size).toBe(1)
  const { Id } = answers[0]?.json.Users[0] ?? {}
  expect(await countAdvocates()).toBe(before + 1)
  await Promise.all(boards.map((boardId) => service.publisher(`DELETE /advocate/${Id}`, { body: { boardId } })))
  expect(await countAdvocates()).toBe(before)
  const users = await ownerQuery(service.databaseUrl, 'select from users where account_id = $1 and id = $2', [
    demoAccount,
    Id,
  ])
  expect(users, 'the user stays').toHaveLength(1)
})
