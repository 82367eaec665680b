import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../../tests/support/publishing.ts'
import { type Inbox, profiles, startInbox } from './ingest.fixture.ts'

let inbox: Inbox
let post: string
beforeAll(async () => {
  inbox = await startInbox(2, { hasWebhooks: true })
  await inbox.subscribed()
  post = await inbox.published('Facebook', profiles.facebook, { message: 'A hut in the fog' })
})
afterAll(() => inbox.stop())

const onFacebook = (activity: object) => inbox.inject(profiles.facebook, 'Facebook', activity)
const comment = (text: string, more: object = {}) => onFacebook({ kind: 'comment', postRemoteId: post, text, ...more })
const textsOf = async (id: string) =>
  (await inbox.entries(id)).map(({ content, isOwn }) => (isOwn ? `we: ${content}` : content))

test('activities that were not pushed are found by polling, once', async () => {
  await comment('Nobody pushed this', { push: false })
  const item = await inbox.item(profiles.facebook, 'Nobody pushed this')
  const polls = () =>
    inbox.ask<{ polled: Date; error: string }>('select polled, error from inbox_profiles where credential_id = $1', [
      profiles.facebook,
    ])
  const [first] = await polls()
  await until(async () => ((await polls())[0]?.polled ?? 0) > (first?.polled ?? 0))
  expect(await inbox.entries(item.id)).toHaveLength(1)
  expect(first?.error).toBe('')
})

test('a reply received before its parent waits for it: one item in chronological order', async () => {
  const root = await comment('The first', { push: false })
  await comment('The second', { parentId: root.remoteId })
  const item = await inbox.item(profiles.facebook, 'The first')
  await expect.poll(() => textsOf(item.id)).toEqual(['The first', 'The second'])
  const about = inbox
    .webhookCalls()
    .filter(({ data }) => (data[0]?.Item?.Id ?? data[0]?.Id) === `eitm${item.id.slice(3)}`)
  expect(about.filter(({ event }) => event === 'newInboxItem').length).toBeLessThanOrEqual(1)
  expect((await inbox.items(profiles.facebook)).filter(({ text }) => text === 'The second')).toEqual([])
})

test('the profile’s own content becomes an item only when it gets a reply', async () => {
  const own = await comment('More pictures on our page', { own: true })
  await inbox.quiet()
  const ours = () =>
    inbox.items(profiles.facebook).then((items) => items.filter((item) => item.remoteKey.includes(own.remoteId)))
  expect(await ours()).toEqual([])
  await comment('Where exactly?', { parentId: own.remoteId })
  const item = await inbox.item(profiles.facebook, 'Where exactly?')
  expect(await textsOf(item.id)).toEqual(['we: More pictures on our page', 'Where exactly?'])
  await comment('Under Walks', { own: true, parentId: own.remoteId })
  await expect
    .poll(() => textsOf(item.id))
    .toEqual(['we: More pictures on our page', 'Where exactly?', 'we: Under Walks'])
  const [later] = await ours()
  expect(later).toMatchObject({ id: item.id, text: 'Where exactly?' })
})

test('edits on the network update the entry, and removals keep an empty entry', async () => {
  const root = await comment('I want my monye back', { from: { id: '91', name: 'Kim Berg' } })
  const item = await inbox.item(profiles.facebook, 'I want my monye back')
  await onFacebook({ kind: 'edit', remoteId: root.remoteId, text: 'I want my money back' })
  const edited = await inbox.item(profiles.facebook, 'I want my money back')
  expect(edited).toMatchObject({ id: item.id, entries: 1 })
  const words = async (word: string) =>
    (await inbox.ask('select from inbox_items where id = $1 and words::text like $2', [item.id, `%:${word}%`])).length
  expect([await words('money'), await words('monye')]).toEqual([1, 0])
  await onFacebook({ kind: 'delete', remoteId: root.remoteId })
  await expect.poll(async () => (await inbox.entries(item.id))[0]?.removed).not.toBe(null)
  expect((await inbox.entries(item.id))[0]).toMatchObject({ content: '', personName: 'Kim Berg' })
  expect(await words('money')).toBe(0)
  const about = inbox.webhookCalls().filter(({ data }) => data[0]?.Item?.Id === `eitm${item.id.slice(3)}`)
  expect(about).toEqual([])
})

test('edits that are not pushed are found by polling', async () => {
  const video = await inbox.inject(profiles.youtube, 'YouTube', { kind: 'post', own: true, text: 'The long way up' })
  const { remoteId } = await inbox.inject(profiles.youtube, 'YouTube', {
    kind: 'comment',
    postRemoteId: video.remoteId,
    text: 'Frist!',
  })
  const item = await inbox.item(profiles.youtube, 'Frist!')
  await inbox.inject(profiles.youtube, 'YouTube', { kind: 'edit', remoteId, text: 'First!' })
  expect(await inbox.item(profiles.youtube, 'First!')).toMatchObject({ id: item.id, entries: 1, itemType: 'Post' })
})

test('a comment on an Instagram album belongs to the album, which the push does not name', async () => {
  await inbox.subscribed()
  const onInstagram = (activity: object) => inbox.inject(profiles.instagram, 'Instagram', activity)
  const album = await onInstagram({ kind: 'post', own: true, picture: 2, text: 'Two views of the pass' })
  await onInstagram({ kind: 'comment', postRemoteId: album.remoteId, text: 'The second one, please' })
  const item = await inbox.item(profiles.instagram, 'The second one, please')
  const [{ post } = { post: '' }] = await inbox.ask<{ post: string }>(
    'select post_remote_id as post from inbox_items where id = $1',
    [item.id],
  )
  expect(post).toBe(album.remoteId)
})

test('on X comments are replies, and a mention in another conversation is a mention with its replies', async () => {
  const onX = (activity: object) => inbox.inject(profiles.x, 'Twitter', activity)
  const tweet = await inbox.published('Twitter', profiles.x, { message: 'Snow on the pass' })
  const reply = await onX({ kind: 'reply', postRemoteId: tweet, text: 'How deep is it?' })
  expect(await inbox.item(profiles.x, 'How deep is it?')).toMatchObject({ itemType: 'Reply' })
  await onX({ kind: 'reply', own: true, parentId: reply.remoteId, text: 'Knee deep' })
  const item = await inbox.item(profiles.x, 'How deep is it?')
  await expect.poll(() => textsOf(item.id)).toEqual(['How deep is it?', 'we: Knee deep'])
  await onX({ kind: 'mention', text: '@northwindoutdoor has good maps', from: { id: '81', name: 'Lou' } })
  expect(await inbox.item(profiles.x, '@northwindoutdoor has good maps')).toMatchObject({ itemType: 'Mention' })
})

test.each([
  ['Instagram', profiles.instagram, 'mention'],
  ['LinkedIn', profiles.linkedInPage, 'mention'],
  ['TikTok', profiles.tiktok, 'mention'],
  ['LinkedIn', profiles.linkedInPage, 'message'],
  ['Twitter', profiles.x, 'message'],
])('%s: a person reaches %s by a %s', async (network, profile, kind) => {
  const text = `Hello from ${network} by ${kind}`
  await inbox.inject(profile, network, { kind, text, from: { id: '7000000000000077', name: 'Toni Weiss' } })
  const item = await inbox.item(profile, text)
  expect(item.itemType).toBe(kind === 'message' ? 'Conversation' : 'Mention')
})
