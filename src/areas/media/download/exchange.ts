import type { OutboundHead } from '#kernel/outbound/outbound.ts'
import { explained } from './download-failed.ts'
import type { Run } from './run.ts'

type Body = AsyncGenerator<Buffer>

/** Makes one GET for so many bytes and gives it up when the server gets too slow; whatever happens, nothing of it is left afterwards. */
export async function exchange<Result>(
  { installation, rules, order, signal }: Run,
  headers: Record<string, string>,
  bytes: number,
  use: (answer: OutboundHead, body: Body) => Promise<Result>,
): Promise<Result> {
  const cut = new AbortController()
  const giveUp = () => cut.abort()
  signal.addEventListener('abort', giveUp, { once: true })
  let ended = false
  const noted = async function* (body: Body): Body {
    yield* body
    ended = true
  }
  try {
    const { redirects, maximumBytes, slowestBytesPerSecond: bytesPerSecond, windowMs } = rules
    const request = { method: 'GET' as const, url: order.url, headers, redirects, maximumBytes }
    // At the slowest pace that is borne, all of it is here by then.
    const timeoutMs = Math.min(2 * windowMs + (bytes / bytesPerSecond) * 1_000, longestTimer)
    const pace = { bytesPerSecond, windowMs }
    const { body, ...answer } = await installation.outbound.stream({ ...request, timeoutMs, pace, signal: cut.signal })
    return await use(answer, noted(body))
  } catch (error) {
    signal.throwIfAborted()
    throw explained(error, rules.maximumBytes)
  } finally {
    signal.removeEventListener('abort', giveUp)
    // A body that nobody has begun to read would keep its connection.
    if (!ended) cut.abort()
  }
}

const longestTimer = 2 ** 31 - 1
