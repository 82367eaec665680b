import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Draft } from '../connector/draft.ts'
import { before, checkpoints, faultOf, openTestTikTok } from './tiktok.fixture.ts'

let sandbox: Awaited<ReturnType<typeof openTestTikTok>>
beforeAll(async () => {
  sandbox = await openTestTikTok()
})
beforeEach(async () => {
  await sandbox.control('/reset', {})
  await sandbox.control('/processing', { network: 'TikTok' })
})
afterAll(() => sandbox.close())

const posts = () => sandbox.ledger('network=TikTok&kind=post')

test('a video is requested, processed, and completed with its id and URL', async () => {
  const { tiktok, actor, draft, advance, fault } = sandbox
  const { saved, save } = checkpoints()
  const step = await tiktok.publish(actor, draft('Robots #dance'), save)
  expect(saved.map(({ stage }) => stage)).toEqual(['committing'])
  if (step.state !== 'pending') throw new Error('done too early')
  expect(step.progress).toMatchObject({ stage: 'committed', shareId: expect.stringMatching(/^v_pub_url/) })
  expect(step.checkAfterMs).toBeGreaterThan(0)
  await fault('status', 'not-ready')
  const again = await tiktok.publish(actor, draft('Robots #dance'), save, step.progress)
  expect(again).toMatchObject({ state: 'pending', progress: step.progress })
  await advance(10_000)
  const done = await tiktok.publish(actor, draft('Robots #dance'), save, JSON.parse(JSON.stringify(step.progress)))
  const [post, ...more] = await posts()
  expect(more).toEqual([])
  expect(post).toMatchObject({ text: 'Robots #dance', media: [{ mime: 'video/mp4' }] })
  const remoteUrl = expect.stringMatching(new RegExp(`/www.tiktok.com/@northwindoutdoor/video/${post.remoteId}$`))
  expect(done).toMatchObject({ state: 'done', remoteId: post.remoteId, remoteUrl, at: expect.any(Date) })
})

test('photos have a title and longer texts than videos', async () => {
  const { media, published } = sandbox
  const text = 'p'.repeat(3000)
  const remoteId = await published(text, { title: 'Two arms', media: [media('jpeg'), media('jpeg')] })
  expect(await posts()).toMatchObject([{ remoteId, text, title: 'Two arms', media: [{}, {}] }])
})

test('photo posts use the widest privacy level that the account allows', async () => {
  const { media, published, allow } = sandbox
  await published('For everybody', { media: [media('jpeg')] })
  await allow('private')
  await published('For followers', { media: [media('jpeg')] })
  expect((await posts()).map(({ extra }: { extra: { privacy: string } }) => extra.privacy)).toEqual([
    'PUBLIC_TO_EVERYONE',
    'FOLLOWER_OF_CREATOR',
  ])
})

test('unreadable settings do not block a post', async () => {
  const { media, published, fault } = sandbox
  await fault('profile', 'answer', { answer: { status: 200, body: JSON.stringify({ code: 40001, message: 'No.' }) } })
  await published('Anyway', { media: [media('jpeg')] })
  expect(await posts()).toMatchObject([{ extra: { privacy: 'PUBLIC_TO_EVERYONE' } }])
})

test('an account without comments gets posts without them, and no video longer than its limit', async () => {
  const { tiktok, actor, draft, media, published, allow, fault } = sandbox
  await allow('no-comments')
  await published('Quiet')
  await published('Quiet pictures', { media: [media('jpeg')] })
  expect(await posts()).toHaveLength(2)
  const data = { privacy_level_options: ['PUBLIC_TO_EVERYONE'], max_video_post_duration_sec: 60 }
  await fault('profile', 'answer', { answer: { status: 200, body: JSON.stringify({ code: 0, data }) } })
  const long = draft('Long', { media: [{ ...media('mp4'), durationMs: 61_000 }] })
  const { saved, save } = checkpoints()
  const error = await faultOf(tiktok.publish(actor, long, save))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'input', field: 'media' })
  expect(error.message).toContain('this account may publish videos of up to 60 s')
  expect(saved).toEqual([])
})

test('publishing waits for an id that is assigned late', async () => {
  const { control, draft, publishToEnd } = sandbox
  await control('/processing', { network: 'TikTok', idDelayMs: 180_000 })
  const { remoteId } = await publishToEnd(draft('Late'))
  expect(await posts()).toMatchObject([{ remoteId }])
})

test('a public post that gets no id is completed after five minutes, identified by its publish request', async () => {
  const { control, draft, publishToEnd } = sandbox
  await control('/processing', { network: 'TikTok', idDelayMs: 86_400_000 })
  const done = await publishToEnd(draft('Nameless'))
  expect(done).toMatchObject({
    remoteId: expect.stringMatching(/^v_pub_url~/),
    remoteUrl: expect.stringMatching(/\/@northwindoutdoor$/),
  })
  expect(done.waitedMs).toBeGreaterThan(4 * 60_000)
  expect(done.waitedMs).toBeLessThan(8 * 60_000)
  expect(await posts()).toHaveLength(1)
})

test('a post that is not public is done when published, because TikTok never assigns an id', async () => {
  const { draft, media, publishToEnd, allow, tiktok, actor } = sandbox
  await allow('private')
  const done = await publishToEnd(draft('For followers', { media: [media('jpeg')] }))
  expect(done.remoteId).toMatch(/_pub_url~/)
  expect(done.waitedMs).toBeLessThan(60_000)
  expect(await tiktok.metrics(actor, [done.remoteId])).toEqual(new Map())
  expect((await tiktok.fetchComments(actor, done.remoteId)).items).toEqual([])
})

test('a post identified by its publish request gets metrics and comments once TikTok has assigned an id', async () => {
  const { control, draft, publishToEnd, tiktok, actor, commented } = sandbox
  await control('/processing', { network: 'TikTok', idDelayMs: 86_400_000 })
  const { remoteId } = await publishToEnd(draft('Named tomorrow'))
  await control('/processing', { network: 'TikTok', idDelayMs: 0 })
  const [post] = await posts()
  await commented(post.remoteId, 'At last')
  expect((await tiktok.metrics(actor, [remoteId])).get(remoteId)).toMatchObject({ comments: 1 })
  expect((await tiktok.fetchComments(actor, remoteId)).items).toMatchObject([{ text: 'At last' }])
})

test('a post that TikTok saved as a draft is not published, and reports what to do', async () => {
  const { tiktok, actor, draft, fault } = sandbox
  const step = await tiktok.publish(actor, draft('Draft'), async () => {})
  if (step.state !== 'pending') throw new Error('done too early')
  const body = { code: 0, message: 'OK', data: { status: 'SEND_TO_USER_INBOX' } }
  await fault('status', 'answer', { answer: { status: 200, body: JSON.stringify(body) } })
  const error = await faultOf(tiktok.publish(actor, draft('Draft'), async () => {}, step.progress))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'policy' })
  expect(error.message).toContain('finish it in the TikTok app')
})

test('media on an unverified domain is rejected with instructions for the operator', async () => {
  const { tiktok, actor, draft, call, app } = sandbox
  const url_property_meta = { property_type: 1, url: '127.0.0.1' }
  const json = { app_id: app('TikTok').clientId, url_property_meta }
  await call('/tiktok/open_api/v1.3/business/property/delete/', { json })
  const error = await faultOf(tiktok.publish(actor, draft('Not ours'), async () => {}))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'config' })
  expect(error.message).toContain('Verify 127.0.0.1 as a URL property')
  await call('/tiktok/open_api/v1.3/business/property/verify/', { json })
  expect((await tiktok.publish(actor, draft('Ours'), async () => {})).state).toBe('pending')
})

test('a crash before the publish request results in one post after a restart', async () => {
  const { tiktok, actor, draft, published } = sandbox
  const crash = tiktok.publish(actor, draft('Once'), () => Promise.reject(new Error('crash')))
  await expect(crash).rejects.toThrow('crash')
  expect(await posts()).toEqual([])
  await published('Once')
  expect(await posts()).toHaveLength(1)
})

test("a file that TikTok can't fetch is requested three times and then fails", async () => {
  const { tiktok, actor, draft, media } = sandbox
  const gone = { ...media('mp4'), publicUrl: media('mp4').publicUrl.replace(/mp4$/, 'gone') }
  const post = draft('Gone', { media: [gone] })
  const { saved, save } = checkpoints()
  const faults: unknown[] = []
  for (let round = 0; round < 3; round += 1) {
    const step = await tiktok.publish(actor, post, save, saved.at(-1))
    if (step.state !== 'pending') throw new Error('published')
    const error = await faultOf(tiktok.publish(actor, post, save, step.progress))
    expect(error.message).toBe('TikTok did not publish the post: the video could not be fetched from its address.')
    faults.push(error.fault)
    expect(saved.at(-1)).toEqual({ stage: 'uploading', failed: round + 1 })
  }
  const again = { kind: 'retryable', afterMs: expect.any(Number) }
  expect(faults).toEqual([again, again, { kind: 'permanent', why: 'input', field: 'media' }])
  const step = await tiktok.publish(actor, draft('Gone'), save, saved[1])
  expect(step).toMatchObject({ state: 'pending', progress: { stage: 'committed' } })
})

const refused = { kind: 'permanent', why: 'input', field: 'media' }
test.each([
  ['file_format_check_failed', refused],
  ['duration_check_failed', refused],
  ['frame_rate_check_failed', refused],
  ['picture_size_check_failed', refused],
  ['something_new', refused],
  ['photo_pull_failed', { kind: 'retryable' }],
  ['internal', { kind: 'retryable' }],
  ['auth_removed', { kind: 'token', remedy: 'reconnect' }],
  ['spam_risk_too_many_posts', { kind: 'throttled', scope: 'actor' }],
  ['spam_risk_user_banned_from_posting', { kind: 'permanent', why: 'policy' }],
  ['spam_risk_text', { kind: 'permanent', why: 'policy' }],
])('a publish request that fails with %s is mapped to the expected fault', async (failure, expected) => {
  const { tiktok, actor, draft, control, advance } = sandbox
  await control('/processing', { network: 'TikTok', delayMs: 0, failure })
  const step = await tiktok.publish(actor, draft('Fails'), async () => {})
  if (step.state !== 'pending') throw new Error('published')
  await advance(1000)
  const { saved, save } = checkpoints()
  const error = await faultOf(tiktok.publish(actor, draft('Fails'), save, step.progress))
  expect(error.fault).toMatchObject(expected)
  expect(error.remote).toEqual({ code: 'FAILED', subcode: failure })
  expect(saved).toEqual([{ stage: 'uploading', failed: 1 }])
  expect(await tiktok.findPost(actor, draft('Fails'), before(), step.progress)).toEqual({ state: 'absent' })
})

test.each<[string, (draft: Draft) => Partial<Draft>, string, RegExp]>([
  ['no media', () => ({ media: [] }), 'unsupported', /needs an image or a video/],
  ['a link', () => ({ link: { url: 'u', title: '', description: '', imageUrl: '' } }), 'unsupported', /link/],
  ['an audience', () => ({ audience: { Industry: ['4'] } }), 'unsupported', /audience/],
  ['a reshare', () => ({ reshareOf: '1' }), 'unsupported', /shared again/],
  ['a PNG', () => ({ media: [sandbox.media('png')] }), 'input', /is image\/png; TikTok takes image\/jpeg, image\/webp/],
  ['a PDF', () => ({ media: [sandbox.media('pdf')] }), 'unsupported', /sample\.pdf is a PDF; TikTok takes none/],
  ['two videos', ({ media }) => ({ media: [...media, ...media] }), 'input', /2 videos; TikTok takes 1 at most/],
  ['a mix', ({ media }) => ({ media: [...media, sandbox.media('jpeg')] }), 'input', /takes one kind in a post/],
  [
    '36 photos',
    () => ({ media: Array.from({ length: 36 }, () => sandbox.media('jpeg')) }),
    'input',
    /36 images; TikTok takes 35 at most/,
  ],
  [
    'a huge file',
    () => ({ media: [{ ...sandbox.media('jpeg'), bytes: 2e7 + 1 }] }),
    'input',
    /has 20.01 MB; TikTok takes 20 MB at most/,
  ],
  [
    'a long video',
    () => ({ media: [{ ...sandbox.media('mp4'), durationMs: 601_000 }] }),
    'input',
    /lasts 601 s; the maximum is 600 s/,
  ],
  ['a long text', () => ({ text: 'x'.repeat(2201) }), 'input', /2201 characters on TikTok; 2200 is the most/],
  ['a long title', () => ({ media: [sandbox.media('jpeg')], title: 'x'.repeat(91) }), 'input', /title counts 91/],
])('%s is rejected before any request', async (_, change, why, sentence) => {
  const { tiktok, actor, draft } = sandbox
  const { saved, save } = checkpoints()
  const post = { ...draft('Refused'), ...change(draft('Refused')) }
  const error = await faultOf(tiktok.publish(actor, post, save))
  expect(error.fault).toMatchObject({ kind: 'permanent', why })
  expect(error.message).toMatch(sentence)
  expect(error.remote).toEqual({})
  expect(saved).toEqual([])
})
