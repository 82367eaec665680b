import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors.ts'
import { type FairSemaphore, NoFreeSlot, openFairSemaphore } from '../../fair-semaphore.ts'

interface Bodies {
  /** Reads a body into memory as chunks, up to a maximum size; empty if the request has no body. */
  read(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: string | undefined,
    maximum: number,
  ): Promise<readonly Buffer[]>
}

/** Bodies up to this size are not limited in number. */
const smallBytes = 64 * 1024
/** Larger bodies need a slot: this limits how many are in memory, in total and per account. */
const sizeClasses = [
  { upTo: 2 ** 20, slots: 64, share: 16 },
  { upTo: Number.POSITIVE_INFINITY, slots: 16, share: 4 },
]
const slotPatienceMs = 10_000
/** A sender that delivers less than this per window, before the end of the body, is disconnected. */
const pace = { bytes: 8 * 1024, windowMs: 10_000 }

/** Whether a request has a body, according to its headers. */
export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0')

export function openBodies(): Bodies {
  const opened = sizeClasses.map(({ upTo, ...options }) => ({ upTo, slots: openFairSemaphore(options) }))
  const slotsFor = (maximum: number) => opened.find(({ upTo }) => maximum <= upTo)?.slots as FairSemaphore
  return {
    async read({ raw }, reply, owner = '', maximum) {
      const { 'content-length': length, expect } = raw.headers
      if (!hasBody(raw)) return []
      const declared = Number(length ?? 0)
      if (declared > maximum) throw tooLarge(maximum)
      const hold = () => takeSlot(slotsFor(maximum), owner, reply)
      if (declared > smallBytes) await hold()
      if (expect !== undefined && raw.httpVersion === '1.1') reply.raw.writeContinue()
      if (raw.complete && raw.readableLength <= smallBytes) return whole(raw, maximum)
      return collect(raw, maximum, declared > smallBytes ? undefined : hold)
    },
  }
}

/** The slot is held until the response is being sent: until then the body is in memory. */
async function takeSlot(slots: FairSemaphore, owner: string, reply: FastifyReply) {
  const gone = new AbortController()
  const { raw } = reply
  const leave = () => gone.abort(cutOff())
  raw.once('close', leave)
  try {
    await slots.take(owner, { patienceMs: slotPatienceMs, signal: gone.signal })
  } catch (error) {
    throw error instanceof NoFreeSlot ? tooMany() : error
  } finally {
    raw.off('close', leave)
  }
  if (raw.closed) slots.release(owner)
  else raw.once('close', () => slots.release(owner))
}

/** Most bodies are small and arrive in one packet with their headers, so they are complete without waiting. */
function whole(raw: IncomingMessage, maximum: number): readonly Buffer[] {
  if (raw.readableLength > maximum) throw tooLarge(maximum)
  const bytes: Buffer | null = raw.read()
  return bytes ? [bytes] : []
}

function collect(
  raw: IncomingMessage,
  maximum: number,
  /** Called once, when the body turns out to be large. */
  hold: (() => Promise<void>) | undefined,
): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let before = 0
    let holding = hold === undefined
    const checkPace = () => {
      if (!raw.isPaused() && size - before < pace.bytes) fail(tooSlow())
      before = size
    }
    const timer = setInterval(checkPace, pace.windowMs)
    const settle = () => {
      clearInterval(timer)
      raw.off('data', add).off('end', finish).off('error', cut).off('close', cut)
    }
    const fail = (reason: unknown) => {
      settle()
      // Discards the remaining data.
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
