import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { inboxOf } from '../inbox.fixture.ts'

let service: TestService
let inbox: ReturnType<typeof inboxOf>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  inbox = inboxOf(service)
})
afterAll(() => service.stop())

const [admin, publisher, contributor, reader] = [1, 2, 3, 4].map((number) => `00Ademo0000000${number}`)
const types = async (...ids: string[]) => (await inbox.events(...ids)).map(({ type }) => type)
const sentence = ({ status, json }: { status: number; json: { Errors?: { API: { Error: string } } } }) => [
  status,
  json.Errors?.API.Error,
]
const mailOf = async (id: string) => (await service.admin(`GET /user/${id}`)).json.User.Email as string

test('a conversation is closed and reopened, and repeating it changes nothing', async () => {
  const { id } = await inbox.item()
  const close = () => service.contributor(`POST /conversation/${id}`, { body: { status: 'closed' } })
  expect([(await close()).json, (await close()).json]).toEqual([{ Result: true }, { Result: true }])
  expect(await inbox.row(id)).toMatchObject({ status: 'closed' })
  expect(await types(id)).toEqual(['inboxItemStatusChange', 'conversationStatusUpdated'])
  await service.contributor(`POST /conversation/${id}`, { body: { status: 'open' } })
  const notified = (await inbox.events(id)).filter(({ type }) => type === 'inboxItemStatusChange')
  expect(notified.map(({ data }) => [data.length, data[0].Item.Status, data[0].Status])).toEqual([
    [1, 'closed', { From: 'open', To: 'closed' }],
    [1, 'open', { From: 'closed', To: 'open' }],
  ])
  expect((await inbox.entries(id)).slice(1)).toMatchObject([
    { type: 'status', details: { from: 'open', to: 'closed' }, created_by: contributor },
    { type: 'status', details: { from: 'closed', to: 'open' } },
  ])
  expect(await inbox.wrongCounts()).toEqual([])
})

test('a status is one of two and required', async () => {
  const { id } = await inbox.item()
  const ask = (body: object) => service.admin(`POST /conversation/${id}`, { body })
  expect(sentence(await ask({}))).toEqual([400, expect.stringContaining('status')])
  expect(sentence(await ask({ status: 'pending' }))).toEqual([400, expect.stringContaining('open, closed')])
})

test('a conversation is assigned with a note in the timeline, and assigning it again sends nothing', async () => {
  const { id } = await inbox.item()
  const assign = (body: object) => service.admin(`POST /conversation/${id}/assign`, { body })
  const { json } = await assign({ assignee_id: publisher, note: 'Yours, I think' })
  expect(json).toEqual({ Result: true, Assignment: { ItemId: id, AssigneeId: publisher } })
  expect((await inbox.entries(id)).slice(1)).toMatchObject([
    { type: 'assignment', details: { from: '', to: publisher } },
    { type: 'note', content: 'Yours, I think' },
  ])
  expect(await types(id)).toEqual([
    'newInboxItemAssignment',
    'newAssignment',
    'newNoteOnInboxItem',
    'newNoteOnConversation',
  ])
  const [notified] = await inbox.events(id)
  expect(notified?.data).toMatchObject([
    { Item: { Id: `eitm${id.slice(3)}`, ItemType: 'Post', Origin: 'owned' }, Assignee: { Id: publisher } },
  ])
  expect((await assign({ assignee_id: publisher })).status).toBe(200)
  expect((await types(id)).length).toBe(4)
  const emails = await inbox.emails(id)
  expect(emails.map(({ to, subject }) => [to, subject])).toEqual([
    [await mailOf(publisher as string), expect.stringContaining('gave you a conversation')],
  ])
  expect(emails[0]?.text).toContain('Yours, I think')
  expect(await inbox.wrongCounts()).toEqual([])
})

test('only users of the account with read access can be assigned', async () => {
  const { id } = await inbox.item()
  const assign = (assignee_id: string) => service.admin(`POST /conversation/${id}/assign`, { body: { assignee_id } })
  for (const other of ['00Ademo00000005', '00Aabsent000000', '0', 'me'])
    expect(sentence(await assign(other))).toEqual([400, expect.stringContaining('no such user')])
  expect(sentence(await assign(''))).toEqual([400, expect.stringContaining('assignee_id')])
  expect((await assign(reader as string)).status).toBe(200)
})

test('a note is sent to webhooks, to mentioned users and to the assignee, once each', async () => {
  const { id } = await inbox.item({ assigneeId: publisher as string })
  const { Name } = (await service.admin(`GET /user/${contributor}`)).json.User
  const text = `Does @${Name} know? mail@${Name}`
  const { json } = await service.admin(`POST /conversation/${id}/note`, { body: { note: `  ${text} ` } })
  expect(json).toEqual({
    Result: true,
    Note: {
      Id: expect.stringMatching(/^eat/),
      Type: 'note',
      Created: expect.any(String),
      Content: text,
      CreatedBy: admin,
    },
  })
  expect((await inbox.events(id)).map(({ type, data }) => [type, data[0].Note])).toEqual([
    ['newNoteOnInboxItem', { Id: json.Note.Id, Text: text, CreatedBy: admin }],
    ['newNoteOnConversation', { Id: json.Note.Id, Text: text, CreatedBy: admin }],
  ])
  expect((await inbox.emails(id)).map(({ to, subject }) => [to, subject])).toEqual([
    [await mailOf(contributor as string), expect.stringContaining('named you in a note')],
    [await mailOf(publisher as string), expect.stringContaining('left a note')],
  ])
})

test('users who disabled emails get none', async () => {
  const { id } = await inbox.item({ assigneeId: contributor as string })
  const choose = (value: number) =>
    service.contributor('POST /notification', { body: { EmailOnStatusChange: value, EmailOnNoteAdded: value } })
  await choose(0)
  await service.admin(`POST /conversation/${id}`, { body: { status: 'closed' } })
  await service.admin(`POST /conversation/${id}/note`, { body: { note: 'Quiet' } })
  expect(await inbox.emails(id)).toEqual([])
  await choose(1)
  await service.admin(`POST /conversation/${id}`, { body: { status: 'open' } })
  expect(await inbox.emails(id)).toMatchObject([{ subject: expect.stringContaining('opened a conversation of yours') }])
})

test('a name inside a longer one is not a mention, and the longer of two matching names counts', async () => {
  const make = (firstName: string, lastName: string) =>
    service.admin('POST /user', {
      body: {
        firstName,
        lastName,
        email: `${firstName}.${lastName}@example.com`,
        password: 'a long password',
        role: 'read',
      },
    })
  await make('Ann', 'Lee')
  await make('Ann', 'Leeward')
  const { id } = await inbox.item()
  await service.admin(`POST /conversation/${id}/note`, {
    body: { note: '(@ann leeward), ask her. @Ann Leewards is nobody.' },
  })
  expect((await inbox.emails(id)).map(({ to }) => to)).toEqual(['Ann.Leeward@example.com'])
})

test('many are closed in one action: one event with an element for each that was open', async () => {
  const [open, other, closed] = [await inbox.item(), await inbox.item(), await inbox.item({ status: 'closed' })]
  const ids = [open.id, other.id, closed.id]
  const act = (body: object) => service.contributor('POST /app/api/conversations', { body: { ids, ...body } })
  const { json } = await act({ action: 'close', ids: [...ids, 'eitabsent000000'] })
  expect(json).toEqual({ Result: true, Changed: [open.id, other.id].sort(), Missing: ['eitabsent000000'] })
  const notified = await inbox.events(...ids)
  expect(notified.map(({ type, data }) => [type, data.length])).toEqual([
    ['inboxItemStatusChange', 2],
    ['conversationStatusUpdated', 2],
  ])
  expect((await act({ action: 'close' })).json.Changed).toEqual([])
  expect((await inbox.events(...ids)).length).toBe(2)
  expect((await act({ action: 'assign', assigneeId: publisher })).json.Changed.length).toBe(3)
  expect((await act({ action: 'unassign' })).json.Changed.length).toBe(3)
  expect((await types(...ids)).slice(2)).toEqual(['newInboxItemAssignment', 'newAssignment'])
  const emails = await inbox.emails(open.id)
  expect(emails.map(({ subject }) => subject)).toEqual([expect.stringContaining('gave you 3 conversations')])
  expect(await inbox.wrongCounts()).toEqual([])
})

test('missing parameters of an action on many are rejected', async () => {
  const { id: ids } = await inbox.item()
  const act = async (body: object) => sentence(await service.admin('POST /app/api/conversations', { body }))
  expect(await act({ ids: '', action: 'close' })).toEqual([400, expect.stringContaining('ids')])
  expect(await act({ ids, action: 'assign' })).toEqual([400, expect.stringContaining('assigneeId')])
  expect(await act({ ids, action: 'tag' })).toEqual([400, expect.stringContaining('tags')])
  expect(await act({ ids, action: 'forget' })).toEqual([400, expect.stringContaining('action must be one of')])
  const many = Array.from({ length: 101 }, (_, number) => `eit${String(number).padStart(12, '0')}`)
  expect(await act({ ids: many, action: 'close' })).toEqual([400, expect.stringContaining('100')])
})

test('twenty concurrent requests close a conversation once', async () => {
  const { id } = await inbox.item()
  const close = () => service.publisher(`POST /conversation/${id}`, { body: { status: 'closed' } })
  const answers = await Promise.all(Array.from({ length: 20 }, close))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await types(id)).toEqual(['inboxItemStatusChange', 'conversationStatusUpdated'])
  expect(await inbox.wrongCounts()).toEqual([])
})

test('read-only users change nothing, and conversations of other accounts are not found', async () => {
  const { id } = await inbox.item()
  const calls = [
    [`POST /conversation/${id}`, { status: 'closed' }],
    [`POST /conversation/${id}/assign`, { assignee_id: publisher }],
    [`POST /conversation/${id}/note`, { note: 'No' }],
    [`POST /conversation/${id}/tag`, { tags: 'no' }],
  ] as const
  for (const [route, body] of calls) {
    expect((await service.reader(route, { body })).status).toBe(403)
    expect([404, 400]).toContain((await service.otherAdmin(route, { body })).status)
  }
  expect(await types(id)).toEqual([])
})
