import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { type SeenStory, type StoryHelpers, storyHelpers } from './story.fixture.ts'

let service: TestService
let given: StoryHelpers
let boardId: string
beforeAll(async () => {
  service = await startTestService()
  given = storyHelpers(service)
  boardId = (await given.board()).id
})
afterAll(() => service.stop())

const repost = (body: object, as = service.publisher) => as('POST /story', { body: { boardId, ...body } })
const ready = async (id: string): Promise<SeenStory> => {
  await expect.poll(async () => (await given.read(id)).Status).not.toBe('active')
  return given.read(id)
}

test('a LinkedIn post is reshared: derived, active first, approved when prepared', async () => {
  const [original] = await given.postlogs('LinkedIn')
  const { json } = await repost({ postlogId: original?.id, link: 'https://example.com/', mediaIds: '026demo00000001' })
  const made: SeenStory = json.Item
  expect(made).toMatchObject({ Type: 'post-attachment', Status: 'active', PostlogId: original?.id })
  expect(made).toMatchObject({ CampaignId: original?.campaignId, LinkUrl: null, Media: [], Messages: [] })
  expect(made.Title.length).toBeLessThanOrEqual(60)
  expect(original?.text.startsWith(made.Title.replace('…', ''))).toBe(true)
  expect(made.Description.length).toBeLessThanOrEqual(140)
  expect((await ready(made.ID)).Status).toBe('approved')
  const change = { title: 'Ours', description: 'Said again', link: 'https://example.com/', messageIds: '' }
  const changed = (await service.publisher(`POST /story/${made.ID}`, { body: change })).json.Item
  expect(changed).toMatchObject({ Title: 'Ours', Description: 'Said again', PostlogId: original?.id, LinkUrl: null })
})

test('messages are generated in the background from the original’s own text, within LinkedIn’s limits', async () => {
  const [original] = await given.postlogs('LinkedIn')
  const { json } = await repost({ postlogId: original?.id, generateMessages: true, title: 'Ours', isDraft: true })
  const { Status, Messages } = await ready(json.Item.ID)
  expect(Status).toBe('draft')
  const texts = Messages.map(({ Message }) => Message)
  expect(texts.length).toBeGreaterThan(1)
  expect(new Set(texts).size).toBe(texts.length)
  const words = new Set(`${original?.text} Ours`.split(/\s/))
  for (const text of texts) expect(text.split(/\s/).filter((word) => !words.has(word))).toEqual([])
  expect(new Set(Messages.map(({ Network }) => Network))).toEqual(new Set(['LinkedIn']))
  const { json: message } = await service.reader(`GET /message/${Messages[0]?.Id}`)
  expect(message.Message).toMatchObject({ IsBoardMessage: 1, CampaignId: original?.campaignId })
})

test('with a workflow it is submitted once prepared; a contributor’s goes to the default one', async () => {
  const [original] = await given.postlogs('LinkedIn')
  const workflowId = await given.workflow()
  const { json } = await repost({ postlogId: original?.id, workflowId })
  expect(json.Item).toMatchObject({ Status: 'active', WorkflowId: workflowId })
  expect(await ready(json.Item.ID)).toMatchObject({ Status: 'pending', WorkflowId: workflowId })
  const othersStory = (await repost({ postlogId: original?.id }, service.contributor)).json.Item
  expect((await ready(othersStory.ID)).Status).toBe('pending')
  expect((await service.publisher(`POST /workflow-item/${othersStory.ID}`)).json.Data.Status).toBe('approved')
  const drafted = (await repost({ postlogId: original?.id, isDraft: 1 }, service.contributor)).json.Item
  expect((await ready(drafted.ID)).Status).toBe('draft')
  const late = (await repost({ postlogId: original?.id, workflowId })).json.Item
  await service.admin(`DELETE /app/api/workflow/${workflowId}`)
  expect((await ready(late.ID)).Status, 'its workflow is inactive by now').toBe('pending')
})

test('posts of other networks, unpublished or invisible ones are rejected', async () => {
  const refused = async (postlogId: string | undefined) => {
    const { status, json } = await repost({ postlogId })
    return [status, json.Errors.API.Error]
  }
  const [onFacebook] = await given.postlogs('Facebook')
  const [failed] = await given.postlogs('LinkedIn', 'failed')
  expect(await refused(onFacebook?.id)).toEqual([400, expect.stringContaining('a post on Facebook')])
  expect(await refused(failed?.id)).toEqual([400, expect.stringContaining('names no post that was published')])
  expect(await refused('007absent000000')).toEqual([400, expect.stringContaining('names no post that was published')])
})

test('an ordinary story gets messages for several networks from its own text', async () => {
  const description = 'Forty walks start at a station. None of them needs a car. Which one is yours?'
  const { ID } = await given.make({ boardId, description, link: 'https://example.com/guide', generateMessages: 1 })
  await expect.poll(async () => (await given.read(ID)).Messages.length).toBeGreaterThan(3)
  const { Messages, Status } = await given.read(ID)
  expect(Status).toBe('approved')
  expect(new Set(Messages.map(({ Network }) => Network))).toEqual(new Set(['LinkedIn', 'Twitter', 'Facebook']))
  for (const { Message } of Messages) expect(Message.endsWith(' https://example.com/guide')).toBe(true)
})
