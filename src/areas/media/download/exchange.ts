import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { OutboundHead } from '#kernel/outbound/outbound.ts'
import { explained, TryFailed } from './download-failed.ts'
import type { Run } from './run.ts'

type Body = AsyncGenerator<Buffer>

/** Makes one GET and gives it up when the server gets too slow; whatever happens, nothing of it is left afterwards. */
export async function exchange<Result>(
  { world, rules, order, signal }: Run,
  headers: Record<string, string>,
  use: (answer: OutboundHead, body: Body) => Promise<Result>,
): Promise<Result> {
  const cut = new AbortController()
  const giveUp = () => cut.abort()
  const pace = watchPace(rules, giveUp)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const { redirects, maximumBytes } = rules
    const request = { method: 'GET' as const, url: order.url, headers, redirects, maximumBytes, timeoutMs }
    const { body, ...answer } = await world.outbound.stream({ ...request, signal: cut.signal })
    return await use(answer, pace.count(body))
  } catch (error) {
    signal.throwIfAborted()
    if (pace.tooSlow() && error instanceof OutboundFailure) throw new TryFailed(slow)
    throw explained(error, rules.maximumBytes)
  } finally {
    pace.stop()
    signal.removeEventListener('abort', giveUp)
    // A body that nobody has begun to read would keep its connection.
    if (!pace.ended()) cut.abort()
  }
}

function watchPace({ slowestBytesPerSecond, windowMs }: Run['rules'], giveUp: () => void) {
  let received = 0
  let slow = false
  let ended = false
  const timer = setInterval(() => {
    slow = received < (slowestBytesPerSecond * windowMs) / 1_000
    if (slow) giveUp()
    received = 0
  }, windowMs)
  return {
    async *count(body: Body): Body {
      for await (const chunk of body) {
        received += chunk.length
        yield chunk
      }
      ended = true
    },
    tooSlow: () => slow,
    ended: () => ended,
    stop: () => clearInterval(timer),
  }
}

// The pace decides when an exchange has taken too long; this is the longest that timers can count.
const timeoutMs = 2 ** 31 - 1

const slow = 'The server sends the file too slowly.'
