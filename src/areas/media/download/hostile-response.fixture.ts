import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Contents, Fault, HostileFile } from './hostile-files.fixture.ts'

export interface Range {
  first: number
  last: number
}

export interface HostileAnswer {
  file: HostileFile
  n: number
  version: number
  contents: Contents
  chance: () => number
  /** Undefined for the whole file. */
  range?: Range | undefined
  fault?: Fault | undefined
}

/** Validators that distinguish versions of a file. */
export function versionHeaders(
  { validators = 'etag' }: HostileFile,
  n: number,
  version: number,
): Record<string, string> {
  const etag = `"${n}-${version}"`
  const date = new Date(Date.UTC(2026, 0, 1, 0, n, version)).toUTCString()
  const kinds = { etag: { etag, 'last-modified': date }, weak: { etag: `W/${etag}` }, date: { 'last-modified': date } }
  return validators === 'none' ? {} : kinds[validators]
}

export function answerHead(response: ServerResponse, { file, n, version }: HostileAnswer): ServerResponse {
  const lies: Partial<Record<HostileFile['manner'], number>> = {
    'head-small': Math.ceil(file.size / 3),
    'head-large': file.size * 2 + 100,
    endless: 1_000,
  }
  if (file.manner === 'no-head') return response.writeHead(405).end()
  const length = file.manner === 'head-empty' ? {} : { 'content-length': lies[file.manner] ?? file.size }
  return response.writeHead(200, { ...usualHeaders(file, n, version), ...length }).end()
}

export function answerGet(response: ServerResponse, reply: HostileAnswer): ServerResponse {
  const { file, range, fault, chance } = reply
  if (file.manner === 'endless') return send(response, 200, reply, { first: 0, last: Number.MAX_SAFE_INTEGER }, {})
  if (file.manner === 'gzip') return send(response, 200, reply, all(file), { 'content-encoding': 'gzip' })
  if (fault === 'error')
    return response.writeHead(errors[Math.floor(chance() * 4)] ?? 500, { 'retry-after': '0' }).end()
  if (range && range.first >= file.size) {
    return response.writeHead(416, { 'content-range': `bytes */${file.size}` }).end()
  }
  if (range && fault !== 'whole') return answerPart(response, reply, range)
  const length: Record<string, number> = file.manner === 'unmeasured' ? {} : { 'content-length': file.size }
  const broken = fault !== undefined && fault !== 'whole' && fault !== 'drip'
  return send(response, 200, reply, all(file), length, broken ? 'reset' : fault)
}

function answerPart(response: ServerResponse, reply: HostileAnswer, { first, last }: Range): ServerResponse {
  const { file, fault, chance } = reply
  const contentRange = (from: number, to: number) => ({ 'content-range': `bytes ${from}-${to}/${file.size}` })
  const measured = { ...contentRange(first, last), 'content-length': last - first + 1 }
  if (fault === 'short') {
    const cut = first + Math.floor(chance() * (last - first)) - 1
    return send(response, 206, reply, { first, last: cut }, contentRange(first, last))
  }
  if (fault === 'long') return send(response, 206, reply, { first, last: last + 1 }, contentRange(first, last))
  if (fault === 'wrong-range') {
    // Either the start or the end is wrong.
    const wrong = chance() < 0.5 ? { first: first + 1, last } : { first, last: last - 1 }
    return send(response, 206, reply, wrong, contentRange(wrong.first, wrong.last))
  }
  return send(response, 206, reply, { first, last }, measured, fault)
}

function send(
  response: ServerResponse,
  status: number,
  { file, n, version, contents, chance }: HostileAnswer,
  { first, last }: Range,
  headers: Record<string, string | number>,
  fault?: Fault,
): ServerResponse {
  response.writeHead(status, { ...usualHeaders(file, n, version), ...headers })
  if (fault === 'drip') return drip(response)
  const end = fault === 'reset' ? first + Math.floor(chance() * (last + 1 - first)) : last + 1
  const body = Readable.from(contents.bytes(n, version, first, end))
  response.once('close', () => body.destroy())
  if (fault !== 'reset') return body.pipe(response)
  body.pipe(response, { end: false })
  // With a delay, so that some of it arrives; as a reset or as a regular end.
  const [closesEarly, wait] = [chance() < 0.5, 5]
  body.once('end', () =>
    setTimeout(() => (closesEarly ? response.socket?.resetAndDestroy() : response.socket?.end()), wait),
  )
  return response
}

function drip(response: ServerResponse): ServerResponse {
  const timer = setInterval(() => response.write('.'), 20)
  response.once('close', () => clearInterval(timer))
  return response
}

const usualHeaders = (file: HostileFile, n: number, version: number) => ({
  'content-type': 'image/png',
  ...(file.manner !== 'no-ranges' && { 'accept-ranges': 'bytes' }),
  ...versionHeaders(file, n, version),
})

const all = ({ size }: HostileFile): Range => ({ first: 0, last: size - 1 })

const errors = [500, 502, 503, 429]
