import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { inboxOf } from '../inbox.fixture.ts'

let service: TestService
let inbox: ReturnType<typeof inboxOf>
beforeAll(async () => {
  const environment = { CHORUS_ROLES: 'api', CHORUS_ACCOUNT_LIMITS: 'conversationTags=60' }
  service = await startTestService({ environment })
  inbox = inboxOf(service)
})
afterAll(() => service.stop())

const tag = (id: string, tags: unknown, as = service.contributor) =>
  as(`POST /conversation/${id}/tag`, { body: { tags } })
const names = ({ json }: { json: { Tags: { Name: string }[] } }) => json.Tags.map(({ Name }) => Name)
const tagEvents = async (id: string) =>
  (await inbox.events(id)).map(({ type, data }) => [
    type,
    ...['Added', 'Removed', 'Current'].map((part) => data[0].Tags[part].map(({ Name }: { Name: string }) => Name)),
  ])
const list = async (query = '') => (await service.reader('GET /conversation-tag', { query })).json

test('a conversation gets exactly these tags, case-insensitively, and webhooks report additions and removals', async () => {
  const { id } = await inbox.item()
  const { json } = await tag(id, ['Refund', 'silver'])
  expect(json).toEqual({
    Result: true,
    Tags: [
      { Id: expect.stringMatching(/^etg\w{12}$/), Name: 'Refund' },
      { Id: expect.stringMatching(/^etg\w{12}$/), Name: 'silver' },
    ],
  })
  expect(names(await tag(id, 'SILVER,shipping'))).toEqual(['shipping', 'silver'])
  expect(names(await tag(id, '["Shipping","Silver","SILVER"]'))).toEqual(['shipping', 'silver'])
  expect(names(await tag(id, ''))).toEqual([])
  expect(await tagEvents(id)).toEqual([
    ['inboxItemTagChange', ['Refund', 'silver'], [], ['Refund', 'silver']],
    ['inboxItemTagChange', ['shipping'], ['Refund'], ['shipping', 'silver']],
    ['inboxItemTagChange', [], ['shipping', 'silver'], []],
  ])
  expect((await inbox.entries(id)).filter(({ type }) => type === 'tag').length).toBe(3)
})

test('tags are limited in length and number', async () => {
  const { id } = await inbox.item()
  expect((await tag(id, ['x'.repeat(65)])).json.Errors.API.Error).toContain('at most 64')
  expect(
    (
      await tag(
        id,
        Array.from({ length: 101 }, (_, number) => `t${number}`),
      )
    ).status,
  ).toBe(400)
  expect((await service.admin(`POST /conversation/${id}/tag`)).json.Errors.API.Error).toContain('tags')
  expect(names(await tag(id, ['x'.repeat(64)]))).toEqual(['x'.repeat(64)])
})

test('a tag is listed, found, renamed everywhere and deleted everywhere', async () => {
  const { id } = await inbox.item()
  const made = (await tag(id, ['Winter', 'winter sale'])).json.Tags
  const [{ Id }] = made
  expect((await list('q=inter&_order=name,1')).Items).toEqual(
    made.map((one: { Id: string; Name: string }) => ({ Id: one.Id, Value: one.Name })),
  )
  expect((await list('q=inter&_order=name,0&_count=1')).Items).toEqual([{ Id: made[1].Id, Value: 'winter sale' }])
  expect((await service.reader(`GET /conversation-tag/${Id}`)).json).toEqual({
    Result: true,
    Tag: { Id, Value: 'Winter' },
  })
  const rename = (value: string) => service.contributor(`POST /conversation-tag/${Id}`, { body: { tag: value } })
  expect((await rename('Summer')).json).toEqual({ Result: true })
  expect((await rename('WINTER SALE')).status).toBe(409)
  expect(names(await tag(id, ['summer']))).toEqual(['Summer'])
  expect((await service.contributor(`DELETE /conversation-tag/${Id}`)).json).toEqual({ Result: true })
  expect(await ownerQuery(service.databaseUrl, 'select from inbox_item_tags where item_id = $1', [id])).toEqual([])
  for (const route of [`GET /conversation-tag/${Id}`, `DELETE /conversation-tag/${Id}`])
    expect((await service.admin(route)).status).toBe(404)
  expect((await service.otherAdmin('GET /conversation-tag')).json).toEqual({ Result: true, Items: [], Total: 0 })
})

test('many get a tag, or lose it, in one action', async () => {
  const ids = [(await inbox.item()).id, (await inbox.item()).id]
  await tag(ids[0] as string, ['urgent'])
  const act = async (action: string) =>
    (await service.contributor('POST /app/api/conversations', { body: { ids, action, tags: ['Urgent'] } })).json.Changed
  expect(await act('tag')).toEqual([ids[1]])
  expect(await act('untag')).toEqual(ids.toSorted())
  expect((await inbox.events(...ids)).map(({ data }) => data.length)).toEqual([1, 1, 2])
})

test('twenty concurrent requests with the same new tags in different order create each tag once', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await inbox.item()).id))
  const values = ['one', 'two', 'three', 'four', 'five'].map((word) => `race ${word}`)
  const answers = await Promise.all(
    ids.map((id, turn) => tag(id, [...values.slice(turn % 5), ...values.slice(0, turn % 5)])),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await list('q=race')).Total).toBe(5)
})

test('an account has a maximum number of tags', async () => {
  const { id } = await inbox.item()
  const { Total } = await list()
  const more = Array.from({ length: 61 - Total }, (_, number) => `fill ${number}`)
  expect((await tag(id, more)).json.Errors.API.Error).toContain('conversationTags')
  expect((await tag(id, more.slice(1))).status).toBe(200)
})
