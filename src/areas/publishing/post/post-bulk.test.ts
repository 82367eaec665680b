import { afterAll, beforeAll, expect, test } from 'vitest'
import { profiles } from '../../../../tests/support/publishing.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const tomorrow = Math.floor(Date.now() / 1000) + 24 * 60 * 60

async function post(campaignId = '002demo00000001'): Promise<string> {
  const body = { network: 'LinkedIn', campaignId, message: `Hello ${Math.random()}` }
  const messageId = (await service.publisher('POST /message', { body })).json.Message.Id
  const planned = { messageId, credentialIds: profiles.linkedInPage, startDateTime: tomorrow }
  return (await service.publisher('POST /post', { body: planned })).json.Post.Id
}
const change = (body: object, as = service.publisher) => as('POST /app/api/posts', { body })
const read = async (id: string) => (await service.reader(`GET /post/${id}`)).json.Post
const problems = (json: { Items: { Problem: string }[] }) => json.Items.map(({ Problem }) => Problem)

test('posts are moved together, each to its own time; a refusal does not affect the others', async () => {
  const ids = [await post(), await post()]
  const items = [
    { id: ids[0], startDateTime: tomorrow + 3600 },
    { id: '004absent000000', startDateTime: tomorrow },
    { id: ids[1], startDateTime: tomorrow + 7200 },
  ]
  const { status, json } = await change({ action: 'move', items })
  expect([status, problems(json)]).toEqual([200, ['', expect.stringContaining('not found'), '']])
  const moments = await Promise.all(ids.map(async (id) => (await read(id)).StartDateTime))
  const wire = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
  expect(moments).toEqual([wire(tomorrow + 3600), wire(tomorrow + 7200)])
})

test('an ifMatch that is out of date refuses the change; each result has the new tag', async () => {
  const ids = [await post(), await post()] as [string, string]
  const campaignId = (await service.publisher('POST /campaign', { body: { name: 'Known' } })).json.Campaign.Id
  const tagsOf = (json: { Items: { Tag: string }[] }) => json.Items.map(({ Tag }) => Tag)
  const to = (startDateTime: number, tags: string[] = []) =>
    ids.map((id, index) => ({ id, startDateTime, ifMatch: tags[index] ?? '' }))
  const moved = (await change({ action: 'move', items: to(tomorrow + 60) })).json
  const tags = tagsOf(moved)
  expect([problems(moved), new Set(tags).size > 0, tags.includes('')]).toEqual([['', ''], true, false])
  // After another user has moved the first post, undo keeps that time and only moves the other one back.
  await service.admin(`POST /post/${ids[0]}`, { body: { startDateTime: tomorrow + 120 } })
  const back = (await change({ action: 'move', items: to(tomorrow, tags) })).json
  expect(problems(back)).toEqual([expect.stringContaining('Somebody changed this'), ''])
  expect(tagsOf(back)).toEqual(['', expect.stringMatching(/^"\d+"$/)])
  const wire = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
  expect(await Promise.all(ids.map(async (id) => (await read(id)).StartDateTime))).toEqual([
    wire(tomorrow + 120),
    wire(tomorrow),
  ])
  for (const action of ['change-campaign', 'delete'] as const) {
    const items = [{ id: ids[0], ifMatch: tags[0] }]
    expect(problems((await change({ action, items, campaignId })).json)).toEqual([
      expect.stringContaining('Somebody changed this'),
    ])
  }
  expect((await read(ids[0])).CampaignId).not.toBe(campaignId)
})

test('posts change campaign or are deleted together, and the audit log has their number', async () => {
  const ids = [await post(), await post()]
  const items = ids.map((id) => ({ id }))
  const campaignId = (await service.publisher('POST /campaign', { body: { name: 'Theirs now' } })).json.Campaign.Id
  expect(problems((await change({ action: 'change-campaign', items, campaignId })).json)).toEqual(['', ''])
  expect((await read(ids[0] ?? '')).CampaignId).toBe(campaignId)
  expect(problems((await change({ action: 'delete', items })).json)).toEqual(['', ''])
  expect((await service.reader(`GET /post/${ids[1]}`)).status).toBe(404)
  expect(problems((await change({ action: 'delete', items })).json).every((one) => one.includes('not found'))).toBe(
    true,
  )
  const { json } = await service.admin('GET /app/api/audit', { query: '_count=25' })
  expect(json.Items.map(({ Count }: { Count: number }) => Count)).toContain(2)
})

test('invalid input is refused before anything changes, and readers cannot change posts', async () => {
  const id = await post()
  for (const body of [
    { action: 'move', items: [{ id }] },
    { action: 'change-campaign', items: [{ id }] },
    { action: 'delete', items: [] },
    { action: 'delete', items: Array.from({ length: 101 }, () => ({ id })) },
  ])
    expect((await change(body)).status, JSON.stringify(body).slice(0, 60)).toBe(400)
  expect((await change({ action: 'delete', items: [{ id }] }, service.reader)).status).toBe(403)
  expect(problems((await change({ action: 'delete', items: [{ id }] }, service.otherAdmin)).json)).not.toEqual([''])
  expect((await read(id)).Id).toBe(id)
})
