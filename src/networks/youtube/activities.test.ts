import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Activity } from '../connector/connector.ts'
import { film, problemOf, reader, youtubeChannel } from './youtube.fixture.ts'

let channel: Awaited<ReturnType<typeof youtubeChannel>>
let postId: string
let busy: string
beforeAll(async () => {
  channel = await youtubeChannel()
  postId = (await channel.publish({ text: 'About robots', media: [film()] })).remoteId
  const other = (await channel.publish({ text: 'About arms', media: [film()] })).remoteId
  busy = (await channel.inject({ postRemoteId: postId, text: 'Who made this?' })).remoteId
  await channel.connector.reply(channel.actor, { postId, commentId: busy }, 'We did', [])
  for (let count = 0; count < 109; count += 1) await channel.inject({ parentId: busy, text: `Answer ${count}` })
  for (let count = 0; count < 60; count += 1) await channel.inject({ postRemoteId: other, text: `Nice ${count}` })
})
afterAll(() => channel.close())

async function readAll(read: (cursor?: string) => Promise<{ items: Activity[]; cursor?: string | undefined }>) {
  const pages: Activity[][] = []
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    pages.push(page.items)
    cursor = page.cursor
  } while (cursor !== undefined && pages.length < 20)
  return pages
}

test('comments of a video have all replies, authors and URLs', async () => {
  const { connector, actor } = channel
  const pages = await readAll((cursor) => connector.fetchComments(actor, postId, cursor))
  const unique = new Map(pages.flat().map((item) => [item.dedupeKey, item]))
  expect(unique.size).toBe(111)
  expect(pages.length, 'threads, then two pages of answers').toBe(3)
  expect(unique.get(`comment:${busy}`)).toMatchObject({
    kind: 'comment',
    actorRemoteId: actor.remoteId,
    remoteId: busy,
    from: { id: reader.id, name: '@robinreads', username: 'robinreads' },
    postId,
    threadId: busy,
    text: 'Who made this?',
    url: `${channel.url}/www.youtube.com/watch?v=${postId}&lc=${busy}`,
    raw: { kind: 'youtube#comment', id: busy },
  })
  const answers = [...unique.values()].filter(({ parentCommentId }) => parentCommentId === busy)
  expect(answers).toHaveLength(110)
  expect(answers.filter(({ kind }) => kind === 'echo')).toMatchObject([{ text: 'We did' }])
  expect(answers.filter(({ kind }) => kind === 'reply')).toHaveLength(109)
})

test('the inbox has comments of all videos, newest first, with the same keys', async () => {
  const { connector, actor } = channel
  const pages = await readAll((cursor) => connector.fetchInbox(actor, cursor))
  expect(pages[0]?.[0]?.text).toBe('Nice 59')
  const keys = new Set(pages.flat().map(({ dedupeKey }) => dedupeKey))
  expect(keys.size).toBe(171)
  const comments = await connector.fetchComments(actor, postId)
  for (const { dedupeKey } of comments.items) expect(keys).toContain(dedupeKey)
})

test('a reply without a video id belongs to the video of its thread', async () => {
  const { connector, actor } = channel
  const { cursor } = await connector.fetchComments(actor, postId)
  const items = [{ id: `${busy}.x`, snippet: { textDisplay: 'Short', publishedAt: '2026-01-02T03:04:05Z' } }]
  await channel.fault('inbox', 'answer', { answer: { status: 200, body: { items } } })
  const page = await connector.fetchComments(actor, postId, cursor)
  expect(page.items).toMatchObject([{ postId, parentCommentId: busy, text: 'Short', kind: 'reply' }])
  expect(page.items[0]).toMatchObject({ from: undefined, at: new Date('2026-01-02T03:04:05Z') })
})

test('an invalid cursor is rejected', async () => {
  const { fault } = await problemOf(channel.connector.fetchInbox(channel.actor, 'nonsense'))
  expect(fault).toEqual({ kind: 'permanent', why: 'input' })
})
