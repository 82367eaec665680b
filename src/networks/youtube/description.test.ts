import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { methods } from './client.ts'
import { type Exchange, problemsOf, unknownNamesIn } from './description.fixture.ts'
import { film, youtubeChannel } from './youtube.fixture.ts'
import { openYouTube } from './youtube.ts'

const exchanges: Exchange[] = []
let channel: Awaited<ReturnType<typeof youtubeChannel>>
beforeAll(async () => {
  channel = await youtubeChannel()
  await everything()
})
afterAll(() => channel.close())

/** Records requests to the Data API and their responses. */
const recording = (outbound: Outbound): Outbound => ({
  ...outbound,
  async send(request) {
    const response = await outbound.send(request)
    if (!request.url.includes('/youtube/v3/')) return response
    const sent = typeof request.body === 'string' ? JSON.parse(request.body) : undefined
    const answered = response.body.length ? JSON.parse(response.body.toString()) : undefined
    exchanges.push({ method: request.method, url: request.url, sent, status: response.status, response: answered })
    return response
  },
})

/** Makes the connector send every kind of request to the sandbox. */
async function everything() {
  const { actor, save, advance } = channel
  const connector = openYouTube(channel.app('YouTube'), {
    ...channel.world,
    outbound: recording(channel.world.outbound),
  })
  const draft = { text: 'About robots', media: [film()] }
  const publishCompletely = async (): Promise<string> => {
    const step = await connector.publish(actor, draft, save)
    if (step.state === 'done') throw new Error('Nothing was left to do.')
    await connector.publish(actor, draft, save, step.progress)
    await advance(step.checkAfterMs)
    await connector.publish(actor, draft, save, step.progress)
    return String(step.progress.id)
  }
  const postId = await publishCompletely()
  const since = new Date(Date.now() - 1000)
  await connector.findPost(actor, draft, since, channel.saved.at(-1))
  await connector.findPost(actor, draft, since)
  await expect(publishCompletely(), 'the same film is rejected').rejects.toThrow('has it already')
  const commentId = (await channel.inject({ postRemoteId: postId, text: 'Nice' })).remoteId
  for (let count = 0; count < 6; count += 1) await channel.inject({ parentId: commentId, text: 'Indeed' })
  for (const to of [{ postId }, { postId, commentId }]) {
    await connector.reply(actor, to, 'Thanks', [])
    await connector.findReply(actor, to, 'Thanks', since)
  }
  const { cursor } = await connector.fetchComments(actor, postId)
  await connector.fetchComments(actor, postId, cursor)
  for (let count = 0; count < 50; count += 1) await channel.inject({ postRemoteId: postId, text: 'Me too' })
  const { cursor: next } = await connector.fetchInbox(actor)
  await connector.fetchInbox(actor, next)
  await connector.like(actor, { postId })
  await connector.metrics(actor, [postId])
  await connector.profile(actor)
  await connector.remove(actor, commentId)
  await connector.remove(actor, postId)
}

test('requests of the connector and responses of the sandbox match Google’s description for every method', () => {
  expect(exchanges.flatMap((exchange) => problemsOf(exchange))).toEqual([])
  const used = exchanges.map(({ method, url }) => `${method} ${new URL(url).pathname.split('/v3/')[1]}`)
  const known = Object.values(methods).map(({ method, path }) => `${method} ${path}`)
  expect([...new Set(used)].sort()).toEqual([...known, 'PUT videos'].sort())
})

test('a single misspelled name in any request or response is detected', () => {
  let tried = 0
  for (const exchange of exchanges.map(shortened)) {
    for (const [what, changed] of misspellings(exchange)) {
      tried += 1
      expect(problemsOf(changed), `${exchange.method} ${exchange.url} ${what}`).not.toEqual([])
    }
  }
  expect(tried).toBeGreaterThan(500)
})

test('a value missing in the description is detected', () => {
  const values = /"?(privacyStatus|uploadStatus|rejectionReason|viewerRating)"?:"\w+"|(rating|order|textFormat)=\w+/g
  const found = new Set<string>()
  for (const exchange of exchanges) {
    for (const [match] of JSON.stringify(exchange).matchAll(values)) {
      const changed = match.endsWith('"') ? `${match.slice(0, -1)}x"` : `${match}x`
      found.add(match)
      expect(problemsOf(JSON.parse(JSON.stringify(exchange).replace(match, changed))), match).not.toEqual([])
    }
  }
  expect([...found].join(' ')).toMatch(
    /(?=.*privacyStatus)(?=.*uploadStatus)(?=.*rejectionReason)(?=.*rating)(?=.*order)(?=.*textFormat)/,
  )
})

test.each(['Video', 'VideoStat', 'Channel', 'PlaylistItem', 'Comment', 'CommentThread'])(
  'of a %s only described names are read',
  (name) => {
    expect(unknownNamesIn(fileURLToPath(new URL('./client.ts', import.meta.url)), name)).toEqual([])
  },
)

/** One item of a list is enough. */
function shortened(exchange: Exchange): Exchange {
  const answered = exchange.response as { items?: unknown[] } | undefined
  return answered?.items ? { ...exchange, response: { ...answered, items: answered.items.slice(0, 1) } } : exchange
}

function* misspellings(exchange: Exchange): Generator<[string, Exchange]> {
  const url = new URL(exchange.url)
  if (!url.searchParams.has('upload_id')) {
    for (const [name, value] of url.searchParams) {
      const changed = new URL(url)
      changed.searchParams.delete(name)
      changed.searchParams.set(`${name}x`, value)
      yield [name, { ...exchange, url: changed.href }]
    }
    yield ['path', { ...exchange, url: exchange.url.replace(/\/v3\/\w+/, '$&x') }]
  }
  for (const [name, sent] of renamed(exchange.sent)) yield [name, { ...exchange, sent }]
  for (const [name, answered] of renamed(exchange.response)) yield [name, { ...exchange, response: answered }]
}

/** Copies of a value with one name changed in each. */
function* renamed(value: unknown): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    const { [name]: _, ...others } = value as Record<string, unknown>
    if (!Array.isArray(value)) yield [name, { ...others, [`${name}x`]: inner }]
    for (const [deep, changed] of renamed(inner)) {
      const copy = Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed }
      yield [`${name}.${deep}`, copy]
    }
  }
}
