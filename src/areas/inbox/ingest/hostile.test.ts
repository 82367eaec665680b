import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxApps } from '#main/process/network-apps.ts'
import { openNetworks } from '#networks/networks.ts'
import { processorTime } from '../../../../tests/support/measurement.ts'
import { byTurns, until } from '../../../../tests/support/publishing.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { nowhere } from '../../../../tests/support/service.ts'
import { termsOf } from '../item/search-terms.ts'
import { hostileContents } from './hostile.fixture.ts'
import { type Inbox, profiles, remoteOf, startInbox } from './ingest.fixture.ts'
import { cleanMedia, cleanName, cleanText, languageOf, receivedOf } from './received.ts'

let inbox: Inbox
beforeAll(async () => {
  inbox = await startInbox(3600)
  await inbox.subscribed()
})
afterAll(() => inbox.stop())

const page = remoteOf(profiles.facebook)

const signed = (body: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', 'sandbox-facebook-secret').update(body).digest('hex')}`,
})

/** A push in Facebook's format with any content. */
const push = (body: string) =>
  fetch(`${inbox.url}/push/facebook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed(body) },
    body,
  })

const commentPush = (id: string, message: unknown, more: object = {}) =>
  JSON.stringify({
    object: 'page',
    entry: [
      {
        id: page,
        time: Math.floor(Date.now() / 1000),
        changes: [
          {
            field: 'feed',
            value: {
              item: 'comment',
              verb: 'add',
              comment_id: id,
              post_id: `${page}_1`,
              parent_id: `${page}_1`,
              from: { id: '7', name: message },
              message,
              ...more,
            },
          },
        ],
      },
    ],
  })

test('malicious contents are stored as harmless text or rejected with a status, and nothing blocks', async () => {
  const contents = hostileContents()
  expect(contents.length).toBeGreaterThanOrEqual(deep(75, 300))
  await push(commentPush('warm', 'To begin with'))
  await inbox.item(profiles.facebook, 'To begin with')
  const statuses = new Map<number, number>()
  let accepted = 0
  await byTurns(contents.entries(), 6, async ([number, { text }]) => {
    const { status } = await push(commentPush(`evil_${number}`, text, { photo: text, created_time: text.length }))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 200) accepted += 1
  })
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
  expect([...statuses.keys()].sort()).toEqual([200, 413])
  const evil = `select from inbox_items where remote_key like 'comment:evil%'`
  await until(async () => (await inbox.ask(evil)).length === accepted)
  const rows = await inbox.ask<{ text: string; personName: string }>(
    `select text, person_name as "personName" from inbox_items where remote_key like 'comment:evil%'`,
  )
  for (const { text, personName } of rows) {
    expect(text.length).toBeLessThanOrEqual(10_000)
    expect(personName.length).toBeLessThanOrEqual(200)
    expect(text.isWellFormed()).toBe(true)
    expect(text).not.toMatch(unseen)
    expect(personName).not.toMatch(unseen)
  }
  const [refused] = await inbox.ask<{ count: number }>(`select count(*)::int from inbox_activities where state = 'new'`)
  expect(refused?.count).toBe(0)
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must be removed
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u

test('no content blocks the event loop much longer than plain text of the same size', async () => {
  const connector = openNetworks(sandboxApps('http://127.0.0.1:1'), {
    outbound: nowhere,
    clock: { now: () => new Date() },
  }).connector('Facebook')
  await languageOf('So that its tables are there')
  /** The longest uninterrupted step; if it is long, the fastest of three tries. */
  const longest = async (text: string, much = 0) => {
    const body = commentPush('1', text)
    const request = { query: new URLSearchParams(), headers: signed(body), raw: Buffer.from(body) }
    const once = (work: () => unknown) => {
      const begun = processorTime()
      work()
      return processorTime() - begun
    }
    const timed = (work: () => unknown) => {
      const first = once(work)
      return first < much ? first : Math.min(first, once(work), once(work))
    }
    const verify = () => connector?.verifyPush({ method: 'POST', ...request, receivedAt: new Date() })
    const verdict = verify()
    const [activity] = verdict?.ok ? verdict.items : []
    const received = activity ? receivedOf(activity, new Date()).activity : undefined
    const steps = [verify, () => activity && receivedOf(activity, new Date()), () => termsOf([received?.text ?? ''])]
    return Math.max(...steps.map(timed))
  }
  const plain = await longest('Plain words of somebody who likes to write. '.repeat(10_000))
  const times: number[] = []
  for (const { text } of hostileContents()) {
    // The maximum a request may contain.
    const most = text.slice(0, Math.floor((450_000 * text.length) / Buffer.byteLength(JSON.stringify(text))))
    times.push(await longest(most, 5 * plain))
  }
  const slowest = Math.max(...times)
  console.info(
    `The longest step of ${times.length} hostile contents: ${slowest.toFixed(1)} ms; of plain words: ${plain.toFixed(1)} ms`,
  )
  expect(slowest).toBeLessThan(15 * plain)
})

test.each([
  ['nothing', ''],
  ['half a body', '{"object":"page","entry":[{'],
  ['deep lists', `{"object":"page","entry":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['deep objects', `{"object":"page","entry":[${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}]}`],
  ['many entries', JSON.stringify({ object: 'page', entry: Array.from({ length: 50_000 }, () => ({})) })],
  [
    'other kinds of values',
    JSON.stringify({ object: 'page', entry: [{ id: {}, time: [], changes: 'x', messaging: 7 }] }),
  ],
  ['ids of all kinds', commentPush('x', 'y', { comment_id: ['a'], post_id: { b: 1 }, from: { id: null, name: 7 } })],
  ['an id that is too long', commentPush('i'.repeat(5_000), 'A long id')],
  ['an id with blanks', commentPush('a b\u0000c', 'A strange id')],
])('a signed push of %s is answered and does no harm', async (_, body) => {
  const { status } = await push(body)
  expect(status).toBeLessThan(500)
  await inbox.quiet()
})

test('more than a mebibyte is rejected before it is read', async () => {
  expect((await push(commentPush('big', 'x'.repeat(1_100_000)))).status).toBe(413)
})

test('media URLs are stored if they are public, and nothing else', () => {
  const evil = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    '//nowhere',
    `https://a/${'x'.repeat(3_000)}`,
  ]
  const good = 'https://cdn.example/42.zip'
  expect(cleanMedia([...evil, good, 7, null])).toEqual([good])
  expect(cleanMedia(Array.from({ length: 50 }, () => good))).toHaveLength(10)
})

test('characters of natural languages are kept', () => {
  for (const text of [
    'Zürich, naïve, Straße',
    '👩‍👩‍👧 passt',
    'می‌خواهم',
    'नमस्ते',
    'שָׁלוֹם',
    'one\n\ntwo',
    '日本語のテキスト',
  ])
    expect(cleanText(text)).toBe(text)
  expect(cleanText('a\r\nb')).toBe('a\nb')
  expect(cleanName('  Ada\n\u202eMarsh ')).toBe('Ada Marsh')
  expect(cleanText('x'.repeat(20_000))).toBe(`${'x'.repeat(9_999)}…`)
})
