import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const grace = {
  firstName: 'Grace',
  lastName: 'Hopper',
  email: 'grace@example.com',
  password: 'correct horse',
  role: 'publisher',
}

describe('a user', () => {
  test('is created with exactly the fields of the contract', async () => {
    const { status, json } = await service.admin('POST /user', { body: { ...grace, timezone: 'America/New_York' } })
    expect(status).toBe(200)
    const { Id, Created, Modified, ...rest } = json.User
    expect(Id).toMatch(/^00A[0-9A-Za-z]{12}$/)
    expect(Created).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(Modified).toBe(Created)
    expect(json.Result).toBe(true)
    expect(rest).toEqual({
      Status: 'active',
      Name: 'Grace Hopper',
      FirstName: 'Grace',
      LastName: 'Hopper',
      Email: 'grace@example.com',
      LastLogin: '0000-00-00 00:00:00',
      LastBoardLogin: '0000-00-00 00:00:00',
      HasBrowserExtension: 0,
      LinkedInId: '',
      LinkedInName: '',
      LinkedInImageUrl: '',
      TwitterId: '',
      TwitterName: '',
      TwitterImageUrl: '',
      FacebookId: '',
      FacebookName: '',
      FacebookImageUrl: '',
      Timezone: 'America/New_York',
    })
    expect((await service.admin(`GET /user/${Id}`)).json).toEqual(json)
  })

  test('requires its fields and names a missing one', async () => {
    for (const field of ['firstName', 'lastName', 'email', 'password', 'role'] as const) {
      const { [field]: _left, ...rest } = grace
      const { status, json } = await service.admin('POST /user', {
        body: { ...rest, email: field === 'email' ? undefined : 'x@example.com' },
      })
      expect(status).toBe(400)
      expect(json).toEqual({ Result: false, Errors: { API: { Error: `Missing value for parameter ${field}.` } } })
    }
  })

  test.each([
    [{ email: 'nobody' }, 'email must be a valid email address.'],
    [{ role: 'owner' }, 'role must be one of admin, publisher, contributor, read.'],
    [{ timezone: 'Mars/Olympus' }, 'timezone must be an IANA time zone name such as Europe/Berlin.'],
    [{ password: 'short' }, 'password must be 8 to 256 characters long.'],
    [{ firstName: '   ' }, 'firstName must not be empty.'],
    [{ lastName: 'x'.repeat(65) }, 'lastName must be at most 64 characters long.'],
  ])('is refused with %j', async (wrong, sentence) => {
    const { status, json } = await service.admin('POST /user', {
      body: { ...grace, email: 'other@example.com', ...wrong },
    })
    expect([status, json.Errors.API.Error]).toEqual([400, sentence])
  })

  test('has a unique email address regardless of case, also with concurrent requests', async () => {
    const body = { ...grace, email: 'Twin@example.com' }
    const answers = await Promise.all([1, 2, 3].map(() => service.admin('POST /user', { body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const again = await service.admin('POST /user', { body: { ...body, email: 'twin@EXAMPLE.com' } })
    expect([again.status, again.json.Errors.API.Error]).toEqual([
      409,
      'A user with the email address twin@EXAMPLE.com exists already.',
    ])
    expect((await service.otherAdmin('POST /user', { body })).status).toBe(200)
  })

  test('is changed field by field; the role stays', async () => {
    const { json } = await service.admin('POST /user', { body: { ...grace, email: 'change@example.com' } })
    const changed = await service.admin(`POST /user/${json.User.Id}`, {
      body: 'lastName=Murray&timezone=Asia%2FTokyo&role=admin',
    })
    expect(changed.json.User).toMatchObject({
      Name: 'Grace Murray',
      FirstName: 'Grace',
      Timezone: 'Asia/Tokyo',
      Email: 'change@example.com',
    })
    const { json: list } = await service.admin('GET /user', { query: 'q=grace%20murray' })
    expect(list.Items[0]).toMatchObject({ Id: json.User.Id, Role: 'publisher' })
    const taken = await service.admin(`POST /user/${json.User.Id}`, { body: 'email=ada.marsh@example.com' })
    expect(taken.status).toBe(409)
  })

  test('that is deleted frees its email address and loses its API keys immediately', async () => {
    const { json } = await service.admin('GET /user', { query: 'q=chidi' })
    const [{ Id, Email }] = json.Items
    expect((await service.contributor('GET /me')).status).toBe(200)
    expect((await service.admin(`DELETE /user/${Id}`)).json).toEqual({ Result: true })
    expect((await service.contributor('GET /me')).status).toBe(401)
    expect((await service.admin(`GET /user/${Id}`)).status).toBe(404)
    expect((await service.admin(`DELETE /user/${Id}`)).status).toBe(404)
    expect((await service.admin('GET /user', { query: 'q=chidi' })).json).toMatchObject({ Items: [], Total: 0 })
    expect((await service.admin('POST /user', { body: { ...grace, email: Email } })).status).toBe(200)
  })

  test('that is the last admin can’t be deleted, also by two concurrent requests', async () => {
    const { json } = await service.otherAdmin('GET /user', { query: 'q=otto' })
    const refused = await service.otherAdmin(`DELETE /user/${json.Items[0].Id}`)
    expect([refused.status, refused.json.Errors.API.Error]).toEqual([
      409,
      'The last admin of an account cannot be deleted. Make another user admin first.',
    ])
    const { json: second } = await service.otherAdmin('POST /user', {
      body: { ...grace, email: 'second@example.com', role: 'admin' },
    })
    const both = await Promise.all(
      [json.Items[0].Id, second.User.Id].map((id) => service.otherAdmin(`DELETE /user/${id}`)),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('the list of users', () => {
  test('pages without overlap or gap and counts all', async () => {
    // Without passwords, since hashing is slow by design.
    await ownerQuery(
      service.databaseUrl,
      `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
       select $1, '00Apagey' || to_char(n, 'FM0000000'), now(), now(), 'Pagey', 'Hopper', 'pagey' || n || '@example.com', 'read'
       from generate_series(1, 60) n`,
      [demoAccount],
    )
    const pages = await Promise.all(
      [0, 1, 2, 3].map((page) =>
        service.admin('GET /user', { query: `q=pagey&_page=${page}&_count=25&_order=name,1` }),
      ),
    )
    expect(pages.map(({ json }) => json.Items.length)).toEqual([25, 25, 10, 0])
    expect(pages.map(({ json }) => json.Total)).toEqual([60, 60, 60, 60])
    expect(new Set(pages.flatMap(({ json }) => json.Items.map((item: { Id: string }) => item.Id))).size).toBe(60)
  })

  test('sorts as requested, text ascending by default', async () => {
    const names = async (order: string) => {
      const { json } = await service.admin('GET /user', { query: `_count=100&_order=${order}` })
      return json.Items.map((item: { Email: string }) => item.Email.toLowerCase())
    }
    const ascending = await names('email,1')
    expect(ascending).toEqual(ascending.toSorted())
    expect(await names('email,0')).toEqual(ascending.toReversed())
    expect(await names('email')).toEqual(ascending)
  })

  test.each([
    ['_count=10', 'Page size 10 is not valid. Use 25, 50 or 100.'],
    ['_count=abc', 'Page size abc is not valid. Use 25, 50 or 100.'],
    ['_page=-1', '_page must be a whole number from 0 on.'],
    ['_order=colour,0', '_order must be one of created, name, email, followed by ,0 (descending) or ,1 (ascending).'],
    ['_order=name,2', '_order must be one of created, name, email, followed by ,0 (descending) or ,1 (ascending).'],
  ])('refuses %s', async (query, sentence) => {
    const { status, json } = await service.admin('GET /user', { query })
    expect([status, json.Errors.API.Error]).toEqual([400, sentence])
  })

  test('takes the characters of a search literally', async () => {
    await service.admin('POST /user', { body: { ...grace, firstName: '100%_\\', email: 'percent@example.com' } })
    for (const q of ['100%', '%_', '\\']) {
      const { json } = await service.admin('GET /user', { query: `q=${encodeURIComponent(q)}` })
      expect(json.Total).toBe(1)
    }
  })

  test('holds the fields of the contract for list items', async () => {
    const { json } = await service.reader('GET /user', { query: 'q=rina' })
    expect(json).toEqual({
      Result: true,
      Items: [
        {
          Id: '00Ademo00000004',
          Name: 'Rina Sato',
          Email: 'rina.sato@example.com',
          LastLogin: '0000-00-00 00:00:00',
          Role: 'read',
          Timezone: 'Asia/Tokyo',
        },
      ],
      Total: 1,
    })
  })
})
