import type { Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'
import type { OutboundFailure } from './failure.ts'

/** The beginning of an answer. */
export interface Collected {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** There was more, which was not read. */
  truncated: boolean
}

/**
 * Makes one request and keeps the beginning of its answer. Without the streams that a reader of the whole would need: for
 * a short call they cost more than the call.
 */
export function collect(
  client: Dispatcher,
  request: Dispatcher.DispatchOptions,
  maximum: number,
  deadline: Deadline,
): Promise<Collected> {
  return new Promise((resolve, reject) => {
    client.dispatch(request, new Collector(maximum, deadline, resolve, reject))
  })
}

/** What the client calls while the answer comes in. One is made for every call: hence the class. */
class Collector implements Dispatcher.DispatchHandler {
  private readonly maximum: number
  private readonly deadline: Deadline
  private readonly resolve: (answer: Collected) => void
  private readonly reject: (error: unknown) => void
  private controller: Dispatcher.DispatchController | undefined
  private readonly chunks: Buffer[] = []
  private size = 0
  private status = 0
  private headers: Record<string, string> = {}

  constructor(
    maximum: number,
    deadline: Deadline,
    resolve: (answer: Collected) => void,
    reject: (error: unknown) => void,
  ) {
    this.maximum = maximum
    this.deadline = deadline
    this.resolve = resolve
    this.reject = reject
    deadline.onEnd(this.giveUp)
  }

  /** Also while the connection is still being opened, when there is no request to abort yet. */
  private readonly giveUp = (reason: OutboundFailure) => {
    this.controller?.abort(reason)
    this.reject(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.controller = controller
    this.deadline.sent = true
    // The time may have run out while the connection was being opened.
    if (this.deadline.reason) controller.abort(this.deadline.reason)
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>) {
    this.status = status
    this.headers = flat(headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    // A copy: what came may be a small part of something large that would be kept in memory with it.
    const wanted = this.maximum - this.size
    if (wanted > 0) this.chunks.push(Buffer.from(chunk.subarray(0, wanted)))
    this.size += chunk.length
    if (this.size <= this.maximum) return
    this.finish(true)
    controller.abort(enough)
  }

  onResponseEnd() {
    this.finish(false)
  }

  onResponseError(_controller: unknown, error: Error) {
    this.deadline.forget(this.giveUp)
    this.reject(error)
  }

  private finish(truncated: boolean) {
    const { status, headers, chunks } = this
    this.deadline.forget(this.giveUp)
    this.resolve({ status, headers, body: chunks.length === 0 ? nothing : Buffer.concat(chunks), truncated })
  }
}

const nothing = Buffer.alloc(0)
const enough = new Error('The rest of the answer is not wanted.')

/** Several headers of the same name as one. */
export function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    plain[name] = typeof value === 'string' ? value : [value].flat().join(', ')
  }
  return plain
}
