import { createHash } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import type { OutboundRequest } from '#kernel/outbound/exchange.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound, OutboundAnswer } from '#kernel/outbound/outbound.ts'
import { readJson } from '#networks/http/json.ts'
import type { Answered, Bytes, Sent } from './recording.ts'

/** One call as it was made, with every secret in it: never written anywhere before it was scrubbed. */
export interface RawExchange {
  step: string
  at: number
  ms: number
  method: string
  url: string
  headers: { [name: string]: string }
  sent: Sent
  answer: Answered
}

export interface Recorder {
  outbound: Outbound
  exchanges: RawExchange[]
  /** Calls from now on belong to this step. */
  begins(step: string): void
}

/** An outbound that remembers each exchange in the order in which they began. */
export function recordOutbound(outbound: Outbound, clock: Clock): Recorder {
  const exchanges: RawExchange[] = []
  let step = 'connect'
  return {
    exchanges,
    begins: (name) => {
      step = name
    },
    outbound: {
      ...outbound,
      async send(request) {
        const { copy, sent } = observed(request)
        const at = clock.now().getTime()
        const started = performance.now()
        const place = exchanges.length
        const { method, url, headers = {} } = request
        const base = { step, at, method, url, headers: lowerCase(headers) }
        const keep = (answer: Answered) => {
          exchanges[place] = { ...base, ms: Math.round(performance.now() - started), sent: sent(), answer }
        }
        // Taken at once, so that calls that run side by side keep their order.
        keep({ failure: 'aborted', sent: true, message: 'The call has not ended.' })
        try {
          const answer = await outbound.send(copy)
          keep(answeredBy(answer))
          return answer
        } catch (error) {
          if (error instanceof OutboundFailure) keep({ failure: error.kind, sent: error.sent, message: error.message })
          throw error
        }
      },
    },
  }
}

function answeredBy({ status, headers, body }: OutboundAnswer): Answered {
  const text = body.toString('utf8')
  const json = readJson(text)
  return json === undefined
    ? { status, headers: lowerCase(headers), text }
    : { status, headers: lowerCase(headers), json }
}

/** The request to send on, and what it carried once it was sent. */
export function observed(request: OutboundRequest): { copy: OutboundRequest; sent: () => Sent } {
  const { body, headers = {} } = request
  if (body === undefined) return { copy: request, sent: () => ({ form: 'nothing' }) }
  const type = lowerCase(headers)['content-type'] ?? ''
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const sent = readSent(Buffer.from(body), type)
    return { copy: request, sent: () => sent }
  }
  const hash = createHash('sha256')
  let length = 0
  const passing = async function* () {
    for await (const chunk of body) {
      hash.update(chunk)
      length += chunk.length
      yield chunk
    }
  }
  let digest: string | undefined
  const value = () => {
    // A hash can be read once, at the end.
    if (length > 0 && length === request.bodyBytes) digest ??= hash.digest('hex')
    return { sha256: digest ?? '', length }
  }
  return { copy: { ...request, body: passing() }, sent: () => ({ form: 'bytes', value: value() }) }
}

function readSent(body: Buffer, type: string): Sent {
  if (type.startsWith('application/x-www-form-urlencoded'))
    return { form: 'fields', value: Object.fromEntries(new URLSearchParams(body.toString('utf8'))) }
  const boundary = /^multipart\/form-data; *boundary=(.+)$/.exec(type)?.[1]
  if (boundary) return { form: 'fields', value: readParts(body, boundary) }
  const json = type.startsWith('application/json') ? readJson(body.toString('utf8')) : undefined
  return json === undefined ? { form: 'bytes', value: bytesOf(body) } : { form: 'json', value: json }
}

/** The parts of a form as our own requests write them. */
function readParts(body: Buffer, boundary: string): { [name: string]: string | Bytes } {
  const parts: { [name: string]: string | Bytes } = {}
  const divider = Buffer.from(`--${boundary}\r\n`)
  const ending = Buffer.from(`\r\n--${boundary}`)
  for (let from = body.indexOf(divider); from >= 0; from = body.indexOf(divider, from)) {
    const start = body.indexOf('\r\n\r\n', from)
    const end = body.indexOf(ending, start)
    if (start < 0 || end < 0) break
    const heading = body.subarray(from + divider.length, start).toString('utf8')
    const content = body.subarray(start + 4, end)
    const name = / name="([^"]*)"/.exec(heading)?.[1] ?? ''
    parts[name] = heading.includes('filename="') ? bytesOf(content) : content.toString('utf8')
    from = end
  }
  return parts
}

const bytesOf = (content: Uint8Array): Bytes => ({
  sha256: createHash('sha256').update(content).digest('hex'),
  length: content.length,
})

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
