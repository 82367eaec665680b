import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { textDigest } from '../message/message-content.ts'
import { later, posting, profiles } from './post.fixture.ts'

let service: TestService
let make: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService()
  make = posting(service)
})
afterAll(() => service.stop())

const day = 24 * 60 * 60
const similar = async (body: object, as = service.publisher) => {
  const params = { credentialIds: [profiles.linkedInPage], startDateTime: later, ...body }
  const { status, json } = await as('POST /app/api/post/similar', { body: params })
  expect(status, JSON.stringify(json)).toBe(200)
  return json.Items.map(({ Id }: { Id: string }) => Id)
}

test('the same text on the same profile within a week is found, however it is formatted', async () => {
  const message = 'The spring range is here: https://example.com/spring'
  const post = await make.post({ messageId: await make.message({ message }), startDateTime: later - 3 * day })
  expect(await similar({ message })).toEqual([post.Id])
  expect(await similar({ message: 'THE  spring range, is here! https://example.com/other' })).toEqual([post.Id])
  expect(await similar({ message: 'The spring range is not here' })).toEqual([])
  expect(await similar({ message, credentialIds: [profiles.x] })).toEqual([])
  expect(await similar({ message, credentialIds: [profiles.x, profiles.linkedInPage] })).toEqual([post.Id])
  expect(await similar({ message, startDateTime: later + 4 * day })).toEqual([post.Id])
  expect(await similar({ message, startDateTime: later + 4 * day + 1 })).toEqual([])
  expect(await similar({ message, postId: post.Id }), 'a post is similar to itself').toEqual([])
  expect(await similar({ message: '🏔 !!' }), 'a text without words matches nothing').toEqual([])
  await service.publisher(`POST /message/${post.MessageId}`, { body: { message: 'Something else' } })
  expect(await similar({ message })).toEqual([])
  expect(await similar({ message: 'something else' })).toEqual([post.Id])
})

test('posts of other teams and accounts are not found', async () => {
  const campaignId = await make.campaign('Closed')
  const messageId = await make.message({ campaignId, message: 'Hidden words' })
  const post = await make.post({ messageId, startDateTime: later })
  expect(await similar({ message: 'Hidden words' })).toEqual([post.Id])
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  expect(await similar({ message: 'Hidden words' })).toEqual([])
  expect(await similar({ message: 'Hidden words' }, service.otherAdmin)).toEqual([])
  expect(await similar({ message: 'Hidden words' }, service.admin)).toEqual([post.Id])
})

test('words in every script count, and nothing else', () => {
  const same = (...texts: string[]) => new Set(texts.map(textDigest)).size === 1
  expect(same('Größe 42', 'größe, 42!', 'GRÖSSE 42'.toLowerCase().replace('ss', 'ß'))).toBe(true)
  expect(same('新しい テント', '新しい「テント」')).toBe(true)
  expect(same('one two', 'two one')).toBe(false)
  expect(textDigest('')).toBe('')
})
