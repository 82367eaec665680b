import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../../errors.ts'
import type { EventLoopTime } from '../../event-loop/event-loop-time.ts'
import { inLaterIteration } from '../../event-loop/event-loop-time.ts'
import { NoFreeSlot, openFairSemaphore } from '../../fair-semaphore.ts'
import type { Log } from '../../log.ts'
import type { Pieces } from '../../wire/long-lists.ts'

/** Maximum number of large responses in progress, in total and per account. */
const [maximumInTotal, maximumPerAccount] = [128, 8]
/** How many more may wait per account, and for how long. */
const maximumWaiting = 8
const usualPatienceMs = 8_000
/** A client that reads nothing for this long is disconnected. */
const usualStallMs = 30_000

/** Sends responses that are too large for memory. */
export interface StreamedAnswers {
  /** Sends a response that was begun; status and headers are already set. Refuses an account that has too many in progress. */
  send(reply: FastifyReply, owner: string, answer: Begun, options?: { gzip?: boolean }): Promise<FastifyReply>
  /** Writes and sends a response of any size. */
  write(reply: FastifyReply, owner: string, pieces: () => Pieces): Promise<FastifyReply>
}

type Begun = Written & { rest: NonNullable<Written['rest']> }

/**
 * Responses are generated as fast as the client reads them, each part within the account's share of the event loop. Between parts only the
 * position is kept. A response ends if its client disconnects or stops reading.
 */
export function openStreamedAnswers(
  thread: Pick<EventLoopTime, 'inTurn' | 'partInTurn' | 'charge'>,
  log: Pick<Log, 'error'>,
  { stallMs = usualStallMs, patienceMs = usualPatienceMs } = {},
): StreamedAnswers {
  const inProgress = openFairSemaphore({ slots: Number.POSITIVE_INFINITY, share: maximumPerAccount + maximumWaiting })
  const sending = openFairSemaphore({ slots: maximumInTotal, share: maximumPerAccount })

  const takeSlot = async (owner: string, { raw }: FastifyReply) => {
    if (!inProgress.tryTake(owner)) throw tooMany()
    const gone = new AbortController()
    const disconnect = () => gone.abort()
    raw.once('close', disconnect)
    try {
      await sending.take(owner, { patienceMs, signal: gone.signal })
    } catch (error) {
      inProgress.release(owner)
      throw error instanceof NoFreeSlot ? tooMany(error) : error
    } finally {
      raw.off('close', disconnect)
    }
    return () => {
      sending.release(owner)
      inProgress.release(owner)
    }
  }

  const send: StreamedAnswers['send'] = async (reply, owner, { body, rest }, { gzip = false } = {}) => {
    const { raw, request } = reply
    if (request.method === 'HEAD') {
      await rest.return(undefined)
      return reply.send(Readable.from([]))
    }
    const release = await takeSlot(owner, reply).catch(async (error) => {
      await rest.return(undefined)
      throw error
    })
    async function* chunks(): AsyncGenerator<string> {
      let chunk = body
      for (;;) {
        const stalled = setTimeout(() => raw.destroy(), stallMs)
        try {
          yield chunk
        } finally {
          clearTimeout(stalled)
        }
        const next = await thread
          .partInTurn(owner, () => rest.next())
          .catch((error: unknown) => {
            log.error({ requestId: request.id, err: error }, 'request failed')
            throw error
          })
        if (next.done) return
        chunk = next.value
      }
    }
    const source = Readable.from(chunks(), { objectMode: false })
    source.once('close', () => {
      release()
      void rest.return(undefined)
    })
    if (!gzip) return reply.send(source)
    reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    // If either stream ends early, the other is destroyed as well.
    return reply.send(pipeline(source, createGzip({ level: 1 }), () => {}))
  }

  return {
    send,
    async write(reply, owner, pieces) {
      const account = { owner, charge: (milliseconds: number) => thread.charge(owner, milliseconds) }
      const { body, rest } = await thread.inTurn(owner, async () => begin(pieces, account))
      return rest ? send(reply, owner, { body, rest }) : reply.send(body)
    },
  }
}

const tooMany = (cause?: unknown) =>
  new Refusal('unavailable', 'Other large answers of this account are still being sent. Try again in a few seconds.', {
    retryAfter: 5,
    cause,
  })

/** Time slice after which other work runs first. */
const sliceMs = 2
/** Up to this size, in characters, a response is sent as a whole. */
const wholeSize = 256 * 1024
/** Larger ones are sent in chunks of about this size. */
const chunkSize = 64 * 1024

/** A response: complete if it is small, else its beginning and a generator for the rest. */
export interface Written {
  body: string
  rest?: AsyncGenerator<string> | undefined
}

/** The account of a response, and where its generation time is recorded. */
export interface Account {
  owner: string
  charge(milliseconds: number): void
}

/** Generates a response up to the size that is sent as a whole, yielding to other work if that takes long. Small ones are there at once. */
export function begin(pieces: () => Pieces, account: Account): Written | Promise<Written> {
  const begun = performance.now()
  const written = pieces()
  account.charge(performance.now() - begun)
  // Most responses are one small piece.
  if (Array.isArray(written) && written.length === 1 && written[0].length < chunkSize) return { body: written[0] }
  return beginLong(written, account)
}

async function beginLong(written: Pieces, account: Account): Promise<Written> {
  const chunks = chunksOf(written, account)
  let body = ''
  while (body.length < wholeSize) {
    const { value, done } = await chunks.next()
    if (done) return { body }
    body += value
  }
  return { body, rest: chunks }
}

/** The complete text, for callers that must store it. */
export async function whole(pieces: () => Pieces, account: Account): Promise<string> {
  const { body, rest } = await begin(pieces, account)
  let text = body
  if (rest) for await (const chunk of rest) text += chunk
  return text
}

async function* chunksOf(pieces: Pieces, { owner, charge }: Account): AsyncGenerator<string> {
  let begun = performance.now()
  const stop = () => charge(performance.now() - begun)
  const resume = () => {
    begun = performance.now()
  }
  const letOthers = async () => {
    stop()
    await new Promise<void>((resolve) => inLaterIteration(owner, resolve))
    resume()
  }
  let text = ''
  for await (const group of Symbol.asyncIterator in pieces ? pieces : [pieces]) {
    // Time spent waiting doesn't count as event loop time.
    resume()
    for (const piece of group) {
      text += piece
      while (text.length >= chunkSize) {
        const end = chunkEnd(text)
        stop()
        yield text.slice(0, end)
        resume()
        text = text.slice(end)
      }
      if (performance.now() - begun >= sliceMs) await letOthers()
    }
    stop()
  }
  if (text !== '') yield text
}

/** Never splits a surrogate pair: each chunk is encoded on its own. */
function chunkEnd(text: string): number {
  const last = text.charCodeAt(chunkSize - 1)
  return last >= 0xd800 && last <= 0xdbff ? chunkSize - 1 : chunkSize
}
