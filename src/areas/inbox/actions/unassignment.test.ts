import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser } from '../../../../tests/contract/examples.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { inboxOf } from '../inbox.fixture.ts'

let service: TestService
let inbox: ReturnType<typeof inboxOf>
beforeAll(async () => {
  service = await startTestService()
  inbox = inboxOf(service)
})
afterAll(() => service.stop())

const user = async (): Promise<string> => (await service.admin('POST /user', { body: newUser() })).json.User.Id
const unassigned = async () =>
  (await service.reader('GET /app/api/conversation', { query: 'assignee_id=none' })).json.Total as number

test('conversations of a deleted user are unassigned, open and closed, however many, and others keep theirs', async () => {
  const [deletedUser, stays] = [await user(), await user()]
  const assignedIds = []
  for (let number = 0; number < 120; number++)
    assignedIds.push(await inbox.item({ assigneeId: deletedUser, status: number % 2 ? 'open' : 'closed' }))
  const other = await inbox.item({ assigneeId: stays })
  const before = await unassigned()
  await service.admin(`DELETE /user/${deletedUser}`)
  await expect.poll(unassigned).toBe(before + assignedIds.length)
  expect(await inbox.wrongCounts()).toEqual([])
  expect(await inbox.row(other.id)).toMatchObject({ assignee_id: stays })
  for (const { id } of [assignedIds[0], assignedIds[1], assignedIds.at(-1)] as typeof assignedIds) {
    expect((await inbox.entries(id)).slice(1)).toMatchObject([
      { type: 'assignment', details: { from: deletedUser, to: '' }, created_by: '' },
    ])
    expect(await inbox.events(id)).toEqual([])
  }
  const rows = await Promise.all(assignedIds.slice(0, 2).map(({ id }) => inbox.row(id)))
  expect(rows).toMatchObject([{ status: 'closed' }, { status: 'open' }])
})

test('a user being deleted cannot be assigned', async () => {
  const [id, items] = [await user(), [await inbox.item(), await inbox.item(), await inbox.item()]]
  const assign = (item: string) =>
    service.contributor(`POST /conversation/${item}/assign`, { body: { assignee_id: id } })
  const [deleted, ...given] = await Promise.all([
    service.admin(`DELETE /user/${id}`),
    ...items.map((item) => assign(item.id)),
  ])
  expect(deleted.status).toBe(200)
  expect(given.every(({ status }) => status === 200 || status === 400)).toBe(true)
  await expect
    .poll(async () => (await Promise.all(items.map((item) => inbox.row(item.id)))).map((row) => row?.assignee_id))
    .toEqual(['', '', ''])
})
