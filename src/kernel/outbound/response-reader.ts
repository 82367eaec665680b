import { HttpError } from './failure.ts'

/** The beginning of a response. */
export interface Collected {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The rest of the body was not read. */
  truncated: boolean
}

/** What the bytes that come next belong to. */
type Part = 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'done'

export const maximumHeaderBytes = 16_384
const maximumChunkLine = 1_024

/**
 * Reads one HTTP/1.1 response, as strictly as the standard permits: whatever two parsers could understand differently is an error, because the
 * connection is used again. A class, because one is created for every call.
 */
export class ResponseReader {
  /** The connection may carry another request, for this long at most. */
  idleMs: number
  private readonly hasBody: boolean
  private readonly maximum: number
  private part: Part = 'head'
  private status = 0
  private headers: Record<string, string> = {}
  /** Bytes of an incomplete line or head. */
  private rest: Buffer | undefined
  /** Bytes of the body or chunk that are still to come. */
  private remaining = 0
  private trailerBytes = 0
  private readonly chunks: Buffer[] = []
  private size = 0

  constructor(method: string, maximum: number, idleMs: number) {
    this.hasBody = method !== 'HEAD'
    this.maximum = maximum
    this.idleMs = idleMs
  }

  /** Takes received bytes, which may be overwritten afterwards; returns the response once nothing more of it is needed. */
  read(received: Buffer): Collected | undefined {
    const { rest } = this
    let bytes = rest ? Buffer.concat([rest, received]) : received
    let searched = rest?.length ?? 0
    this.rest = undefined
    while (bytes.length > 0 && this.part !== 'done') {
      const used = this.readPart(bytes, searched)
      if (this.size > this.maximum) return this.collected(true)
      if (used === 0) {
        this.rest = rest ? bytes : Buffer.from(bytes)
        return undefined
      }
      bytes = bytes.subarray(used)
      searched = 0
    }
    if (this.part !== 'done') return undefined
    // Bytes that nobody asked for.
    if (bytes.length > 0) this.idleMs = 0
    return this.collected(false)
  }

  /** The server has closed the connection: returns the response if that was its end. */
  end(): Collected | undefined {
    return this.part === 'until-close' ? this.collected(false) : undefined
  }

  private collected(truncated: boolean): Collected {
    if (truncated) this.idleMs = 0
    const { status, headers, chunks } = this
    return { status, headers, body: chunks.length === 0 ? nothing : Buffer.concat(chunks), truncated }
  }

  /** Reads one part and returns the number of its bytes; 0 if it is incomplete. Its end is not in the bytes already searched. */
  private readPart(bytes: Buffer, searched: number): number {
    switch (this.part) {
      case 'head':
        return this.readHead(bytes, searched)
      case 'length':
      case 'chunk':
        return this.readCounted(bytes)
      case 'until-close':
        this.keep(bytes)
        return bytes.length
      case 'chunk-size':
        return this.readChunkSize(bytes)
      case 'chunk-end':
        return this.readChunkEnd(bytes)
      default:
        return this.readTrailer(bytes)
    }
  }

  private readHead(bytes: Buffer, searched: number): number {
    // Shows at once, instead of at the deadline, that the server does not speak HTTP.
    if (!startsLikeHttp(bytes)) throw new HttpError('invalid-response', 'The response does not start with HTTP/1.')
    const end = bytes.indexOf('\r\n\r\n', Math.max(0, searched - 3), 'latin1')
    if (end > maximumHeaderBytes || (end < 0 && bytes.length > maximumHeaderBytes)) throw new HttpError('large-headers')
    if (end < 0) return 0
    const text = bytes.toString('utf8', 0, end)
    if (forbidden.test(text)) throw new HttpError('invalid-response', 'The head contains control characters.')
    const [first = '', ...lines] = text.split('\r\n')
    const [, minor, status] = statusLine.exec(first) ?? []
    if (status === undefined) throw new HttpError('invalid-response', 'The status line is not valid.')
    this.status = Number(status)
    this.headers = {}
    for (const line of lines) this.readHeader(line)
    this.chooseFraming(minor === '1')
    return end + 4
  }

  private readHeader(line: string) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (!token.test(name)) throw new HttpError('invalid-response', 'A header is not valid.')
    const key = name.toLowerCase()
    const value = trimmed(line, colon + 1)
    const known = Object.hasOwn(this.headers, key) ? this.headers[key] : undefined
    if (known !== undefined && key === 'content-length')
      throw new HttpError('invalid-response', 'There are two lengths.')
    this.headers[key] = known === undefined ? value : `${known}, ${value}`
  }

  private chooseFraming(isCurrent: boolean) {
    const { status, headers } = this
    const length = headers['content-length']
    const coding = headers['transfer-encoding']
    if (length !== undefined && (coding !== undefined || !/^\d{1,15}$/.test(length)))
      throw new HttpError('invalid-response', 'The length of the body is not clear.')
    // The client asks neither for a continuation nor for another protocol.
    if (status === 100 || status === 101)
      throw new HttpError('invalid-response', `The status ${status} was not asked for.`)
    // Further informational responses precede the final one.
    if (status < 200) return
    this.idleMs = Math.min(this.idleMs, idleTime(headers, isCurrent))
    if (!this.hasBody || status === 204 || status === 304) this.part = 'done'
    else if (coding !== undefined) {
      const isChunked =
        coding
          .slice(coding.lastIndexOf(',') + 1)
          .trim()
          .toLowerCase() === 'chunked'
      if (!isCurrent || !isChunked) this.idleMs = 0
      this.part = isChunked ? 'chunk-size' : 'until-close'
    } else if (length === undefined) this.part = 'until-close'
    else {
      this.remaining = Number(length)
      this.part = this.remaining === 0 ? 'done' : 'length'
    }
    if (this.part === 'until-close') this.idleMs = 0
  }

  private readCounted(bytes: Buffer): number {
    const used = Math.min(this.remaining, bytes.length)
    this.keep(bytes.subarray(0, used))
    this.remaining -= used
    if (this.remaining === 0) this.part = this.part === 'chunk' ? 'chunk-end' : 'done'
    return used
  }

  private readChunkSize(bytes: Buffer): number {
    const line = lineOf(bytes, maximumChunkLine)
    if (line === undefined) return 0
    const [, digits] = /^([0-9a-f]{1,12})[ \t]*(?:;(?:\t|\P{Cc})*)?$/iu.exec(line) ?? []
    if (digits === undefined) throw new HttpError('invalid-response', 'The size of a chunk is not valid.')
    this.remaining = Number.parseInt(digits, 16)
    this.part = this.remaining === 0 ? 'trailers' : 'chunk'
    return line.length + 2
  }

  private readChunkEnd(bytes: Buffer): number {
    const line = lineOf(bytes, 2)
    if (line === undefined) return 0
    if (line !== '') throw new HttpError('invalid-response', 'A chunk is longer than its size.')
    this.part = 'chunk-size'
    return 2
  }

  /** Trailers are read only to find the end of the response. */
  private readTrailer(bytes: Buffer): number {
    const line = lineOf(bytes, maximumHeaderBytes - this.trailerBytes)
    if (line === undefined) return 0
    if (line === '') this.part = 'done'
    this.trailerBytes += line.length + 2
    if (this.trailerBytes > maximumHeaderBytes) throw new HttpError('large-headers')
    return line.length + 2
  }

  /** Copies what is wanted of the body. */
  private keep(bytes: Buffer) {
    const wanted = this.maximum - this.size
    if (wanted > 0) this.chunks.push(Buffer.from(bytes.subarray(0, wanted)))
    this.size += bytes.length
  }
}

const nothing = Buffer.alloc(0)

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Control characters, and line breaks other than CR LF. */
const forbidden = /[^\P{Cc}\t\r\n]|\r(?!\n)|(?<!\r)\n/u

const start = Buffer.from('HTTP/1.')

function startsLikeHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, start.length)
  for (let index = 0; index < length; index++) if (bytes[index] !== start[index]) return false
  return true
}

/** Without spaces and tabs at both ends; a regular expression could take quadratic time. */
function trimmed(line: string, from: number): string {
  let first = from
  let last = line.length
  while (first < last && isBlank(line.charCodeAt(first))) first++
  while (last > first && isBlank(line.charCodeAt(last - 1))) last--
  return line.slice(first, last)
}

const isBlank = (code: number) => code === 32 || code === 9

/** The next line as bytes in text; undefined if it is incomplete. */
function lineOf(bytes: Buffer, maximum: number): string | undefined {
  const end = bytes.indexOf('\r\n', 0, 'latin1')
  if (end > maximum || (end < 0 && bytes.length > maximum + 1))
    throw new HttpError('invalid-response', 'A line is too long.')
  return end < 0 ? undefined : bytes.toString('latin1', 0, end)
}

/** Milliseconds a server keeps the connection open, with a second of safety. */
function idleTime(headers: Record<string, string>, isCurrent: boolean): number {
  const { connection = isCurrent ? 'keep-alive' : 'close', 'keep-alive': hint } = headers
  if (connection !== 'keep-alive' && !isKept(connection, isCurrent)) return 0
  const [, seconds] = (hint && /timeout=(\d{1,9})/i.exec(hint)) || []
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (Number(seconds) - 1) * 1_000)
}

function isKept(connection: string, isCurrent: boolean): boolean {
  const tokens = connection
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  return !tokens.includes('close') && (isCurrent || tokens.includes('keep-alive'))
}
