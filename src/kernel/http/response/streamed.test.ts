import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { Refusal } from '../../errors.ts'
import { openEventLoopTime } from '../../event-loop/event-loop-time.ts'
import { openLog } from '../../log.ts'
import { asRefusal, sendRefusal } from './response.ts'
import { openStreamedAnswers } from './streaming.ts'

/** Responses in progress, and pages that were read. */
interface Counts {
  open: number
  pages: number
}

let server: FastifyInstance
let url: string
let counts: Counts
afterEach(() => server.close())

/** No client is disconnected, however slow the machine is. */
const neverStalls = 600_000

/** A service that returns pages of a hundred thousand characters, as many as the URL says; `fail` is the page that can't be read. */
async function start({ stallMs = neverStalls } = {}) {
  const counted = { open: 0, pages: 0 }
  counts = counted
  const streamed = openStreamedAnswers(openEventLoopTime(4), openLog('silent'), { stallMs, patienceMs: 300 })
  server = fastify({ forceCloseConnections: true })
  server.setErrorHandler((error, _request, reply) => {
    const refusal = asRefusal(error)
    return refusal ? sendRefusal(reply, refusal) : reply.code(500).send('failed')
  })
  server.get('/', (request, reply) => {
    const { count = '1', fail, account = 'one' } = request.query as { [name: string]: string }
    return streamed.write(reply, account, () => pagesOf(Number(count), Number(fail ?? -1), counted))
  })
  url = await server.listen({ port: 0, host: '127.0.0.1' })
}

async function* pagesOf(count: number, fail: number, counted: Counts): AsyncGenerator<Iterable<string>> {
  counted.open++
  try {
    for (let page = 0; page < count; page++) {
      if (page === fail) throw new Refusal('unavailable', 'The database cannot answer right now.')
      counted.pages++
      yield [`${String(page).padStart(9, '0')}\n`.repeat(9_999), '🏕️🏕️🏕️\n']
    }
  } finally {
    counted.open--
  }
}

/** The part of the response that arrived, and whether it was complete. */
async function read(path: string) {
  const response = await begin(path)
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  await closed(response)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString(), isWhole: response.complete, response }
}

async function begin(path: string): Promise<IncomingMessage> {
  const asking = request(`${url}${path}`).end()
  asking.on('error', () => {})
  const [response] = await once(asking, 'response')
  response.on('error', () => {})
  return response
}

/** Not `once`, which rejects when the connection is cut. */
const closed = (response: IncomingMessage) => new Promise<void>((resolve) => response.once('close', resolve))

const patience = { timeout: 120_000 }

test('small and streamed responses have the same text; only small ones have a Content-Length', async () => {
  await start()
  const [small, large] = [await read('/?count=2'), await read('/?count=40')]
  expect(small.response.headers['content-length']).toBe(String(Buffer.byteLength(small.text)))
  expect(large.response.headers['content-length']).toBeUndefined()
  const expected = async (count: number) => {
    let text = ''
    for await (const page of pagesOf(count, -1, { open: 0, pages: 0 })) for (const piece of page) text += piece
    return text
  }
  expect(small.text).toBe(await expected(2))
  expect(large.text === (await expected(40))).toBe(true)
  expect(counts.open).toBe(0)
})

test('no more is generated than the client reads, and a client that reads nothing is disconnected', async () => {
  await start({ stallMs: 400 })
  const response = await begin('/?count=5000')
  await expect.poll(() => counts.open, patience).toBe(0)
  // Only as many pages as fit into system buffers, never the requested half gigabyte.
  expect(counts.pages).toBeLessThan(500)
  response.resume()
  await closed(response)
  expect(response.complete).toBe(false)
})

test('a client that disconnects ends its response', async () => {
  await start()
  const response = await begin('/?count=5000')
  response.once('data', () => response.destroy())
  await expect.poll(() => counts.open, patience).toBe(0)
  expect(counts.pages).toBeLessThan(500)
})

test('a failure before the first byte is an error response; a later one cuts the connection', async () => {
  await start()
  const early = await read('/?count=40&fail=1')
  expect([early.status, early.isWhole]).toEqual([503, true])
  const late = await read('/?count=40&fail=30')
  expect([late.status, late.isWhole]).toEqual([200, false])
  await expect.poll(() => counts.open, patience).toBe(0)
})

test('an account with too many large responses in progress is refused until they end; other accounts are served', async () => {
  await start()
  const stuck = await Promise.all(Array.from({ length: 8 }, () => begin('/?count=5000')))
  const refused = await read('/?count=40')
  expect([refused.status, refused.response.headers['retry-after']]).toEqual([503, '5'])
  expect(refused.text).toContain('Other large answers of this account are still being sent.')
  // Small responses need no slot.
  expect((await read('/?count=2')).status).toBe(200)
  expect((await read('/?count=40&account=other')).isWhole).toBe(true)
  for (const response of stuck) response.destroy()
  await expect.poll(async () => (await read('/?count=40')).status, patience).toBe(200)
})

test('a HEAD request generates only the beginning of the response', async () => {
  await start()
  const asking = request(`${url}/?count=5000`, { method: 'HEAD' }).end()
  const [response] = await once(asking, 'response')
  response.resume()
  expect(response.statusCode).toBe(200)
  await expect.poll(() => counts.open, patience).toBe(0)
  expect(counts.pages).toBeLessThan(10)
})
