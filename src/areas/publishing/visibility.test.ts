import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
/** A campaign of the Asia Pacific team, which the publisher cannot see, and one visible to everyone. */
let hidden: string
let open: string
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  hidden = await newCampaign('Hidden')
  open = await newCampaign('Open')
  await service.admin(`POST /team-entity/${hidden}`, { body: { teamIds: '025demo00000002' } })
})
afterAll(() => service.stop())

const newCampaign = async (name: string): Promise<string> =>
  (await service.admin('POST /campaign', { body: { name } })).json.Campaign.Id
const newMessage = async (campaignId: string, more: object = {}): Promise<string> =>
  (await service.admin('POST /message', { body: { network: 'LinkedIn', campaignId, message: 'Secret', ...more } })).json
    .Message.Id
const newPost = async (messageId: string): Promise<string> =>
  (await service.admin('POST /post', { body: { messageId, credentialIds: '003-1-2414183', startDateTime } })).json.Post
    .Id
const startDateTime = Date.UTC(2030, 2, 10) / 1000
const calendar = async (as: TestService['admin'], filters: object = {}) =>
  (await as('POST /calendar', { body: { fromDate: '2030-03-01', toDate: '2030-03-31', filters } })).json

test("the calendar shows the message of a moved post only to users who can see the message's campaign", async () => {
  const secret = await newMessage(hidden, { media: '026demo00000001' })
  const post = await newPost(secret)
  expect((await calendar(service.publisher)).Posts[post], 'in a campaign of others').toBeUndefined()
  await service.admin(`POST /post/${post}/change-campaign`, { body: { campaignId: open } })
  const shown = await calendar(service.publisher)
  expect(shown.Posts[post].MessageId).toBe(secret)
  expect([shown.Messages[secret], shown.Media]).toEqual([undefined, []])
  expect((await calendar(service.publisher, { messages: [secret] })).Posts).toEqual({})
  const all = await calendar(service.admin, { messages: [secret] })
  expect([Object.keys(all.Posts), all.Messages[secret].Message, all.Media.length]).toEqual([[post], 'Secret', 1])

  const back = await newPost(await newMessage(open))
  await service.admin(`POST /post/${back}/change-campaign`, { body: { campaignId: hidden } })
  expect((await calendar(service.publisher)).Posts[back], 'moved to a campaign of others').toBeUndefined()
})

const events = '/calendar/custom-events'
const idsOf = ({ Campaigns }: { Campaigns: { Id: string }[] }) => Campaigns.map(({ Id }) => Id)

test('updating an event keeps campaigns that are invisible to the editor', async () => {
  const body = { title: 'Both', startDate: startDateTime, campaignIds: [hidden, open] }
  const { ID: id } = (await service.admin(`POST ${events}`, { body })).json.Item
  const another = await newCampaign('Another')
  const saved = await service.publisher(`PUT ${events}`, { body: { id, campaignIds: [another] } })
  expect(idsOf(saved.json.Item)).toEqual([another])
  const read = async () => idsOf((await service.admin(`GET ${events}`, { query: `id=${id}` })).json.Item)
  expect((await read()).sort()).toEqual([hidden, another].sort())
  const emptied = await service.publisher(`PUT ${events}`, { body: { id, title: 'Theirs', campaignIds: '' } })
  expect([emptied.status, emptied.json.Item.Title, idsOf(emptied.json.Item)]).toEqual([200, 'Theirs', []])
  expect(await read()).toEqual([hidden])
  expect((await service.publisher(`GET ${events}`, { query: `id=${id}` })).status, 'it is theirs now').toBe(404)
})

test('steps of an invisible workflow are omitted from visible items', async () => {
  const body = { name: 'Hidden', steps: [{ name: 'Secret check' }] }
  const { Id: workflowId, Steps } = (await service.admin('POST /app/api/workflow', { body })).json.Workflow
  await service.admin(`POST /team-entity/${workflowId}`, { body: { teamIds: '025demo00000002' } })
  const entityId = await newMessage(open)
  const { Id } = (await service.admin('POST /workflow-item', { body: { entityId, workflowId } })).json.Data
  const list = async (as: TestService['admin']) =>
    (await as('GET /workflow-item', { query: 'withSteps=1&_count=100' })).json
  const seen = await list(service.publisher)
  expect(seen.Items.map((item: { Id: string }) => item.Id)).toContain(Id)
  expect(seen.Steps[Steps[0].Id]).toBeUndefined()
  expect((await list(service.admin)).Steps[Steps[0].Id].Name).toBe('Secret check')
})
