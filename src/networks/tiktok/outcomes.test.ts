import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { before, faultOf, openTestTikTok } from './tiktok.fixture.ts'

let sandbox: Awaited<ReturnType<typeof openTestTikTok>>
beforeAll(async () => {
  sandbox = await openTestTikTok()
})
beforeEach(() => sandbox.control('/reset', {}))
afterAll(() => sandbox.close())

const posts = () => sandbox.ledger('network=TikTok&kind=post')
const publish = (text: string) => sandbox.tiktok.publish(sandbox.actor, sandbox.draft(text), async () => {})

test('a post whose response was lost is found by its caption, independent of line breaks', async () => {
  const { tiktok, actor, draft, fault } = sandbox
  const text = 'Lost\n\nand  found '
  await fault('publish', 'lost-answer')
  expect((await faultOf(publish(text))).fault).toEqual({ kind: 'unknownOutcome' })
  const [{ remoteId }] = await posts()
  const remoteUrl = expect.stringMatching(new RegExp(`/@northwindoutdoor/video/${remoteId}$`))
  const found = await tiktok.findPost(actor, draft('Lost and found'), before())
  expect(found).toEqual({ state: 'found', remoteId, remoteUrl, at: expect.any(Date) })
  expect(await posts()).toHaveLength(1)
})

test('a failed post is absent only after TikTok had time to list it', async () => {
  const { tiktok, actor, draft, fault } = sandbox
  await fault('publish', 'server-error')
  expect((await faultOf(publish('Failed'))).fault).toEqual({ kind: 'unknownOutcome' })
  expect(await tiktok.findPost(actor, draft('Failed'), before())).toEqual({ state: 'absent' })
  const outcome = await tiktok.findPost(actor, draft('Failed'), new Date())
  expect(outcome).toMatchObject({ state: 'undecidable', why: expect.stringContaining('may not list the post yet') })
  expect(await posts()).toEqual([])
})

test('an older post with the same text is not matched', async () => {
  const { tiktok, actor, draft, published, advance } = sandbox
  await published('Every week')
  const { now } = (await sandbox.control('/clock')).body
  await advance(3_600_000)
  await published('Something else')
  const since = new Date(new Date(now).getTime() + 1_800_000)
  const found = await tiktok.findPost(actor, draft('Every week'), since)
  expect(found.state).not.toBe('found')
})

test('two posts with the same text, or none, leave the outcome unknown', async () => {
  const { tiktok, actor, draft, published, advance } = sandbox
  await published('Twin')
  await advance(90_000)
  await published('Twin')
  await published('')
  expect((await tiktok.findPost(actor, draft('Twin'), before())).state).toBe('undecidable')
  expect((await tiktok.findPost(actor, draft(''), before())).state).toBe('undecidable')
})

test('a publish request with a known id is queried directly', async () => {
  const { tiktok, actor, draft, advance } = sandbox
  const step = await publish('Ordered')
  if (step.state !== 'pending') throw new Error('done too early')
  const ask = () => tiktok.findPost(actor, draft('Words that are not searched for'), before(), step.progress)
  expect((await ask()).state).toBe('undecidable')
  await advance(10_000)
  const [{ remoteId }] = await posts()
  expect(await ask()).toMatchObject({ state: 'found', remoteId })
})

test('a search continues through the pages', async () => {
  const { tiktok, actor, draft, published } = sandbox
  await published('First')
  for (let number = 0; number < 21; number += 1) await published(`Filler ${number}`)
  expect(await tiktok.findPost(actor, draft('First'), before())).toMatchObject({ state: 'found' })
})

test('a publish request is distinguished from one that TikTok rejects as a duplicate', async () => {
  const { fault } = sandbox
  await publish('Again')
  expect((await faultOf(publish('Again'))).fault).toEqual({ kind: 'duplicate' })
  expect(await posts()).toHaveLength(1)
  await fault('publish', 'answer', { afterEffect: true, answer: { status: 502, body: '<html>' } })
  expect((await faultOf(publish('Gateway'))).fault).toEqual({ kind: 'unknownOutcome' })
  await fault('publish', 'answer', { afterEffect: true, answer: { status: 200, body: '<html>' } })
  expect((await faultOf(publish('Page'))).fault).toEqual({ kind: 'unknownOutcome' })
})
