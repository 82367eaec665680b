import { createHash } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import type { OutboundRequest } from '#kernel/outbound/exchange.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound, OutboundAnswer } from '#kernel/outbound/outbound.ts'
import { readJson } from '#networks/http/json.ts'
import type { Bytes, RecordedBody, RecordedResponse } from './recording.ts'

/** A request and its response including secrets; must be scrubbed before it is written anywhere. */
export interface RawExchange {
  step: string
  at: number
  ms: number
  method: string
  url: string
  headers: { [name: string]: string }
  sent: RecordedBody
  answer: RecordedResponse
}

export interface Recorder {
  outbound: Outbound
  exchanges: RawExchange[]
  /** Assigns all later calls to this step. */
  startStep(step: string): void
}

/** Wraps an outbound client and records each exchange, ordered by start. */
export function recordOutbound(outbound: Outbound, clock: Clock): Recorder {
  const exchanges: RawExchange[] = []
  let step = 'connect'
  return {
    exchanges,
    startStep: (name) => {
      step = name
    },
    outbound: {
      ...outbound,
      async send(request) {
        const { copy, sent } = observeRequest(request)
        const at = clock.now().getTime()
        const started = performance.now()
        const index = exchanges.length
        const { method, url, headers = {} } = request
        const base = { step, at, method, url, headers: lowerCase(headers) }
        const record = (answer: RecordedResponse) => {
          exchanges[index] = { ...base, ms: Math.round(performance.now() - started), sent: sent(), answer }
        }
        // Recorded immediately, so that concurrent calls keep their order.
        record({ failure: 'aborted', sent: true, message: 'The call has not ended.' })
        try {
          const answer = await outbound.send(copy)
          record(recordedResponse(answer))
          return answer
        } catch (error) {
          if (error instanceof OutboundFailure)
            record({ failure: error.kind, sent: error.sent, message: error.message })
          throw error
        }
      },
    },
  }
}

function recordedResponse({ status, headers, body }: OutboundAnswer): RecordedResponse {
  const text = body.toString('utf8')
  const json = readJson(text)
  return json === undefined
    ? { status, headers: lowerCase(headers), text }
    : { status, headers: lowerCase(headers), json }
}

/** A copy of the request to forward, and its body as recorded after sending. */
export function observeRequest(request: OutboundRequest): { copy: OutboundRequest; sent: () => RecordedBody } {
  const { body, headers = {} } = request
  if (body === undefined) return { copy: request, sent: () => ({ form: 'nothing' }) }
  const type = lowerCase(headers)['content-type'] ?? ''
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const sent = readSent(Buffer.from(body), type)
    return { copy: request, sent: () => sent }
  }
  const hash = createHash('sha256')
  let length = 0
  const passThrough = async function* () {
    for await (const chunk of body) {
      hash.update(chunk)
      length += chunk.length
      yield chunk
    }
  }
  let digest: string | undefined
  const value = () => {
    // The digest of a hash can be computed only once, at the end.
    if (length > 0 && length === request.bodyBytes) digest ??= hash.digest('hex')
    return { sha256: digest ?? '', length }
  }
  return { copy: { ...request, body: passThrough() }, sent: () => ({ form: 'bytes', value: value() }) }
}

function readSent(body: Buffer, type: string): RecordedBody {
  if (type.startsWith('application/x-www-form-urlencoded'))
    return { form: 'fields', value: Object.fromEntries(new URLSearchParams(body.toString('utf8'))) }
  const boundary = /^multipart\/form-data; *boundary=(.+)$/.exec(type)?.[1]
  if (boundary) return { form: 'fields', value: readParts(body, boundary) }
  const json = type.startsWith('application/json') ? readJson(body.toString('utf8')) : undefined
  return json === undefined ? { form: 'bytes', value: bytesOf(body) } : { form: 'json', value: json }
}

/** Parses multipart forms in the format that the service writes. */
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
