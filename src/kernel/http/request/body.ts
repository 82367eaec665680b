import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors.ts'
import { type FairSemaphore, NoFreeSlot, openFairSemaphore } from '../../fair-semaphore.ts'

interface Bodies {
  /** Reads a body of at most so many bytes into memory, in the pieces it comes in; none where the request has no body. */
  read(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: string | undefined,
    maximum: number,
  ): Promise<readonly Buffer[]>
}

/** Up to this size nobody asks how many there are. */
const smallBytes = 64 * 1024
/** Larger ones have places: at most so many are in memory, and of one account no more than its share. */
const rooms = [
  { upTo: 2 ** 20, places: 64, share: 16 },
  { upTo: Number.POSITIVE_INFINITY, places: 16, share: 4 },
]
const placePatienceMs = 10_000
/** A sender that brings less than this in a window, and is not at the end, is given up. */
const pace = { bytes: 8 * 1024, windowMs: 10_000 }

export function openBodies(): Bodies {
  const opened = rooms.map(({ upTo, ...room }) => ({ upTo, places: openFairSemaphore(room) }))
  const roomFor = (maximum: number) => opened.find(({ upTo }) => maximum <= upTo)?.places as FairSemaphore
  return {
    async read({ raw }, reply, owner = '', maximum) {
      const { 'content-length': length, 'transfer-encoding': chunked, expect } = raw.headers
      if (chunked === undefined && (length === undefined || length === '0')) return []
      const declared = Number(length ?? 0)
      if (declared > maximum) throw tooLarge(maximum)
      const hold = () => takePlace(roomFor(maximum), owner, reply)
      if (declared > smallBytes) await hold()
      if (expect !== undefined && raw.httpVersion === '1.1') reply.raw.writeContinue()
      if (raw.complete && raw.readableLength <= smallBytes) return whole(raw, maximum)
      return collect(raw, maximum, declared > smallBytes ? undefined : hold)
    },
  }
}

/** The place is held until the answer is on its way: until then the body is in memory. */
async function takePlace(places: FairSemaphore, owner: string, reply: FastifyReply) {
  const gone = new AbortController()
  const { raw } = reply
  const leave = () => gone.abort(cutOff())
  raw.once('close', leave)
  try {
    await places.take(owner, { patienceMs: placePatienceMs, signal: gone.signal })
  } catch (error) {
    throw error instanceof NoFreeSlot ? tooMany() : error
  } finally {
    raw.off('close', leave)
  }
  if (raw.closed) places.release(owner)
  else raw.once('close', () => places.release(owner))
}

/** Most bodies are small and come in one packet with their headers: all of it is there, and there is nothing to wait for. */
function whole(raw: IncomingMessage, maximum: number): readonly Buffer[] {
  if (raw.readableLength > maximum) throw tooLarge(maximum)
  const bytes: Buffer | null = raw.read()
  return bytes ? [bytes] : []
}

function collect(
  raw: IncomingMessage,
  maximum: number,
  /** Asked once, when the body turns out to be large. */
  hold: (() => Promise<void>) | undefined,
): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let before = 0
    let holding = hold === undefined
    const look = () => {
      if (!raw.isPaused() && size - before < pace.bytes) fail(tooSlow())
      before = size
    }
    const timer = setInterval(look, pace.windowMs)
    const settle = () => {
      clearInterval(timer)
      raw.off('data', add).off('end', finish).off('error', cut).off('close', cut)
    }
    const fail = (reason: unknown) => {
      settle()
      // What still comes is thrown away.
      raw.resume()
      reject(reason)
    }
    const add = (chunk: Buffer) => {
      size += chunk.length
      if (size > maximum) return fail(tooLarge(maximum))
      chunks.push(chunk)
      if (holding || size <= smallBytes) return
      holding = true
      raw.pause()
      hold?.().then(() => raw.resume(), fail)
    }
    const finish = () => {
      settle()
      resolve(chunks)
    }
    const cut = () => fail(cutOff())
    raw.on('data', add).on('end', finish).on('error', cut).on('close', cut)
  })
}

const tooLarge = (maximum: number) =>
  new Refusal('tooLarge', `The body is larger than the limit of ${inUnits(maximum)}.`)

const inUnits = (bytes: number) => (bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`)

const tooSlow = () => new Refusal('late', 'The body of the request arrived too slowly.')

const cutOff = () => new Refusal('invalid', 'The connection ended before the body was complete.')

const tooMany = () =>
  new Refusal('unavailable', 'Too many large requests are being read at the moment. Try again in a few seconds.', {
    retryAfter: 5,
  })
