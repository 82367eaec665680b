import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { contentProblems } from '#networks/content/content-check.ts'
import { ownSentences, remoteGenerator, type Source, sentencesIn } from './generator.ts'

const text =
  'Forty walks start at a station. None of them needs a car! Have you seen example.com/walks?\nWhich one is yours?'
const source: Source = { seed: '0ASseed', title: 'The guide is out', text, link: '', network: 'LinkedIn', count: 8 }

test('sentences are split as people write them, and URLs stay whole', () => {
  expect(sentencesIn('See https://a.example/x.html?a=1. Then “go.” Now!? 3.5 km\nleft')).toEqual([
    'See https://a.example/x.html?a=1.',
    'Then “go.”',
    'Now!?',
    '3.5 km',
    'left',
  ])
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (any) => {
      const bare = (one: string) => one.replace(/\s/g, '')
      expect(bare(sentencesIn(any).join(''))).toBe(bare(any))
    }),
    { numRuns: 200 },
  )
})

test('variations contain the source’s sentences in order, are distinct, and deterministic for a seed', async () => {
  const texts = await ownSentences.generate(source)
  expect(texts.length).toBe(8)
  expect(new Set(texts).size).toBe(8)
  expect(texts[0]).toContain('Forty walks start at a station. None of them needs a car!')
  const words = new Set(`${source.title} ${text}`.split(/\s/))
  for (const one of texts)
    expect(one.split(/\s/).filter((word) => !words.has(word) && word !== 'example.com/walks')).toEqual([])
  expect(await ownSentences.generate(source)).toEqual(texts)
  expect(await ownSentences.generate({ ...source, seed: 'other' })).not.toEqual(texts)
  const short = await ownSentences.generate({
    ...source,
    text: `${'Very long. '.repeat(60)}${text}`,
    network: 'Twitter',
  })
  for (const one of short) expect(contentProblems('Twitter', { text: one, media: [] })).toEqual([])
  expect(await ownSentences.generate({ ...source, title: '', text: '' })).toEqual([])
})

const requests: { headers: IncomingMessage['headers']; url: string | undefined; body: string }[] = []
let modelResponse: { status: number; body: string }
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  requests.push({ headers: request.headers, url: request.url, body })
  response.writeHead(modelResponse.status).end(modelResponse.body)
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
const outbound = openOutbound({ allow: ['127.0.0.1'] })
afterAll(async () => {
  await outbound.close()
  server.close()
})

const warnings: unknown[] = []
const log = { warn: (...completion: unknown[]) => void warnings.push(completion) }
const generate = () =>
  remoteGenerator({ url, model: 'small', key: 'secret' }, { outbound, log }, ownSentences).generate(source)
const completion = (content: unknown) => ({
  status: 200,
  body: JSON.stringify({ choices: [{ message: { content } }] }),
})

test('a model is queried, and only usable texts of its output are kept', async () => {
  const good = ['I walked one of them. example.com/walks', 'Take the train.']
  const bad = ['Take the train. ', 'See evil.example/now', 'x'.repeat(4000), '', 7]
  modelResponse = completion(`Here you are: ${JSON.stringify([...good, ...bad])} Enjoy!`)
  expect(await generate()).toEqual(good)
  const [{ headers, url: path, body } = { headers: {}, url: '', body: '' }] = requests
  expect([path, headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer secret'])
  expect(JSON.parse(body)).toMatchObject({ model: 'small', messages: [{ role: 'system' }, { role: 'user' }] })
})

test.each([
  ['refuses', { status: 500, body: 'no' }],
  ['says nothing that is JSON', { status: 200, body: '<html>' }],
  ['contains no list', completion('I would rather not.')],
  ['contains no usable text', completion('["", "see evil.example/now"]')],
  ['says too much', { status: 200, body: `"${'x'.repeat(300_000)}"` }],
])('if it %s, the source’s own sentences are used', async (_what, given) => {
  modelResponse = given
  warnings.length = 0
  expect(await generate()).toEqual(await ownSentences.generate(source))
  expect(warnings.length).toBe(1)
})
