import type { Socket } from 'node:net'
import { type ConnectorOptions, openPinned } from './connector.ts'
import type { Deadline } from './deadline.ts'
import { HttpError } from './failure.ts'
import { type Collected, ResponseReader } from './response-reader.ts'

/** A request as it is sent. */
export interface WrittenRequest {
  method: string
  /** The request line and the headers, except the length of the body. */
  head: string
  body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  /** The length of an iterable body. */
  bodyBytes: number | undefined
}

/**
 * One socket for short exchanges, one after the other; the first opens it. An exchange takes two thirds of the processor time of one with `undici`,
 * which can also stream and pipeline.
 */
export class HttpConnection {
  private readonly target: Omit<ConnectorOptions, 'sockets' | 'receive'>
  private readonly idleMs: number
  private readonly sockets = new Set<Socket>()
  private socket: Socket | undefined
  /** Reads the response; undefined between exchanges. */
  private reader: ResponseReader | undefined
  private request: WrittenRequest | undefined
  private deadline: Deadline | undefined
  private resolve: (response: Collected) => void = () => {}
  private reject: (error: unknown) => void = () => {}
  /** A body is not sent completely. */
  private isWriting = false
  private isSettling = false
  /** Until when another exchange may start on the socket. */
  private usableUntil = 0

  constructor(target: Omit<ConnectorOptions, 'sockets' | 'receive'>, idleMs: number) {
    this.target = target
    this.idleMs = idleMs
  }

  /** Whether the last exchange was completed and the server should still accept another one. */
  isUsable(): boolean {
    return this.socket !== undefined && performance.now() < this.usableUntil
  }

  /** Sends a request and returns the beginning of its response. */
  send(request: WrittenRequest, maximum: number, deadline: Deadline): Promise<Collected> {
    return new Promise((resolve, reject) => {
      this.reader = new ResponseReader(request.method, maximum, this.idleMs)
      this.request = request
      this.deadline = deadline
      this.resolve = resolve
      this.reject = reject
      deadline.onEnd(this.fail)
      // Ended already.
      if (!this.reader) return
      if (!this.socket) void this.open()
      else if (!this.isSettling) this.write(this.socket, request)
    })
  }

  /** Closes the socket immediately, whether it is idle, busy or being opened. */
  drop() {
    this.usableUntil = 0
    this.isSettling = false
    this.socket?.destroy()
    this.socket = undefined
    for (const socket of this.sockets) socket.destroy()
  }

  private async open() {
    const { request, target, sockets, receive } = this
    try {
      const socket = await openPinned({ ...target, sockets, receive })
      // The deadline may have passed in the meantime.
      if (!this.reader || !request) return void socket.destroy()
      this.socket = socket
      socket.on('error', (error) => this.lose(socket, error))
      socket.on('end', () => this.end(socket))
      socket.on('close', () => this.end(socket))
      socket.setTimeout(this.idleMs, this.dropIdle)
      this.write(socket, request)
    } catch (error) {
      this.fail(error)
    }
  }

  /** After an exchange, the next one waits for an iteration of the event loop, in which the server's end of the connection may arrive. */
  private settle() {
    this.isSettling = true
    // The first is called before the event loop reads from sockets again.
    if (settling.push(this) === 1) setImmediate(setImmediate, writeSettled)
  }

  settled() {
    this.isSettling = false
    if (this.reader && this.request && this.socket) this.write(this.socket, this.request)
  }

  private write(socket: Socket, { method, head, body, bodyBytes }: WrittenRequest) {
    this.usableUntil = 0
    this.request = undefined
    if (this.deadline) this.deadline.sent = true
    if (body === undefined) {
      socket.write(`${head}${methodsWithBody.has(method) ? 'content-length: 0\r\n' : ''}\r\n`, 'latin1')
    } else if (typeof body === 'string') {
      const length = Buffer.byteLength(body)
      const start = `${head}content-length: ${length}\r\n\r\n`
      // In one piece if all characters of the body are one byte, as those of the head are.
      if (length === body.length) return void socket.write(start + body, 'latin1')
      socket.cork()
      socket.write(start, 'latin1')
      socket.write(body)
      socket.uncork()
    } else if (body instanceof Uint8Array) {
      socket.cork()
      socket.write(`${head}content-length: ${body.length}\r\n\r\n`, 'latin1')
      socket.write(body)
      socket.uncork()
    } else void this.writePieces(socket, head, body, bodyBytes)
  }

  private async writePieces(socket: Socket, head: string, body: AsyncIterable<Uint8Array>, length: number | undefined) {
    const { reader } = this
    const isCurrent = () => this.reader === reader
    this.isWriting = true
    let written = 0
    try {
      if (length === undefined) throw new HttpError('invalid-request', 'The length of the body is missing.')
      socket.write(`${head}content-length: ${length}\r\n\r\n`, 'latin1')
      for await (const piece of body) {
        // The response came before the end of the request, or never will.
        if (!isCurrent()) return
        written += piece.length
        if (written > length) break
        if (!socket.write(piece)) await drained(socket)
      }
      if (written !== length) throw new HttpError('invalid-request', 'The body has another length.')
      if (isCurrent()) this.isWriting = false
    } catch (error) {
      if (isCurrent()) this.fail(error)
    }
  }

  private readonly receive = (bytes: Buffer) => {
    const { reader } = this
    // Nobody asked for them: they would be mistaken for the next response.
    if (!reader || this.isSettling) return this.fail(new HttpError('invalid-response'))
    try {
      const response = reader.read(bytes)
      if (response) this.finish(reader, response)
    } catch (error) {
      this.fail(error)
    }
  }

  private end(socket: Socket) {
    const { reader } = this
    const response = socket === this.socket && !this.request && reader?.end()
    if (reader && response) this.finish(reader, response)
    else this.lose(socket, new HttpError('closed'))
  }

  private lose(socket: Socket, error: unknown) {
    if (socket !== this.socket) return
    if (!this.reader || !this.request) return this.fail(error)
    // The server closed the idle socket before any of the request was sent.
    this.drop()
    void this.open()
  }

  private readonly dropIdle = () => {
    if (!this.reader) this.drop()
  }

  private finish({ idleMs }: ResponseReader, response: Collected) {
    this.reader = undefined
    this.deadline?.removeListener(this.fail)
    const isSent = !this.isWriting && this.socket?.writableLength === 0
    if (idleMs > 0 && isSent) {
      this.usableUntil = performance.now() + idleMs
      this.settle()
    } else this.drop()
    this.resolve(response)
  }

  private readonly fail = (error: unknown) => {
    const isRunning = this.reader !== undefined
    this.reader = undefined
    this.drop()
    if (!isRunning) return
    this.deadline?.removeListener(this.fail)
    this.reject(error)
  }
}

const settling: HttpConnection[] = []

function writeSettled() {
  for (const connection of settling.splice(0)) connection.settled()
}

/** Without a body they state that it is empty. */
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH'])

const drained = (socket: Socket) =>
  new Promise<void>((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
    if (socket.destroyed) done()
  })
