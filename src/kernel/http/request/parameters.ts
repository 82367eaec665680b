import qs from 'qs'
import type { z } from 'zod'
import { invalid } from '../../errors.ts'

interface RawRequest {
  path: { [name: string]: string }
  query: string
  contentType: string | undefined
  body: Buffer | undefined
}

/** All parameters of a request by name. The body overrides the query, and the path overrides both. */
export function gather({ path, query, contentType, body }: RawRequest): Values {
  const values: Values = { ...readForm(query), ...readBody(contentType, body) }
  checkTexts(values, 0)
  for (const [name, value] of Object.entries(path)) {
    // A value that can't be an id is treated like an unknown id.
    values[name] = /^[\x21-\x7e]{1,200}$/.test(value) ? value : ''
  }
  return values
}

/** Returns the parser of an endpoint's parameters, built from their schema. */
export function parameterReader<Input>(
  params: z.ZodType<Input>,
  byLowerCase: ReadonlyMap<string, string>,
): (values: Values) => Input {
  const declared = new Set(byLowerCase.values())
  return (values) => {
    const own: Values = {}
    const others: string[] = []
    for (const name in values) {
      if (declared.has(name)) own[name] = values[name]
      else others.push(name)
    }
    for (const name of others) {
      const meant = byLowerCase.get(name.toLowerCase())
      if (meant && !Object.hasOwn(own, meant)) own[meant] = values[name]
    }
    const { success, data, error } = params.safeParse(own)
    if (success) return data
    throw invalid(sentence(error.issues[0] as Issue))
  }
}

type Issue = z.core.$ZodIssue & { params?: { whole?: boolean; missing?: boolean } }

function sentence({ path, message, params }: Issue): string {
  if (params?.missing) return `Missing value for parameter ${path.join('.')}.`
  return params?.whole ? message : `${path.join('.')} ${message}.`
}

function readBody(contentType: string | undefined, body: Buffer | undefined): Values {
  if (!body || body.length === 0) return {}
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'multipart/form-data') return readMultipart(contentType ?? '', body)
  const text = decodeUtf8(body)
  if (type.endsWith('json')) return readJson(text)
  if (type === 'application/x-www-form-urlencoded') return readForm(text)
  // Scripts that omit the Content-Type header still send recognizable JSON or form data.
  if (type === '' || type === 'text/plain') return /^\s*\{/.test(text) ? readJson(text) : readForm(text)
  throw invalid(
    `The content type ${type.slice(0, 80)} is not supported. Send application/x-www-form-urlencoded, multipart/form-data or application/json.`,
  )
}

/** Refuses values that PostgreSQL can't store, and turns null into the empty value. */
function checkTexts(values: Values | unknown[], depth: number) {
  if (depth > maximumDepth) throw nestedTooDeeply()
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') checkText(name, value)
    else if (value === null) (values as Values)[name] = ''
    else if (typeof value === 'object') checkTexts(value as Values, depth + 1)
  }
}

function checkText(name: string, value: string) {
  if (value.includes('\0')) throw invalid(`${name.slice(0, 80)} must not contain the NUL character.`)
  if (!value.isWellFormed()) throw invalid(`${name.slice(0, 80)} must be valid Unicode text.`)
}

type Values = { [name: string]: unknown }

const maximumParameters = 2000

/** Parses a query string or a form body: `a=1`, `a[]=1`, `a[0][b]=1`, `a[b]=1`. */
function readForm(text: string): Values {
  if (text === '') return {}
  return isNested(text) ? readNested(text) : readFlat(text)
}

/** Maximum total size of names with brackets and their values. */
const nestedBytes = 128 * 1024
/** Longer pairs are user-written text. */
const longPair = 1024

/** The general parser is slow, so it gets everything but long texts with plain names. */
function readNested(text: string): Values {
  const pairs = text.split('&', maximumParameters + 1)
  if (pairs.length > maximumParameters) throw tooManyParameters()
  const isPlain = (pair: string) =>
    pair.length > longPair && !isNested(pair.slice(0, pair.indexOf('=') + 1 || undefined))
  const rest = pairs.filter((pair) => !isPlain(pair)).join('&')
  if (rest.length > nestedBytes)
    throw invalid(`Parameters with brackets in their names may have ${nestedBytes / 1024} KiB together.`)
  const values = readBrackets(rest)
  for (const pair of pairs.filter(isPlain)) addPair(values, pair, 0, pair.length)
  return values
}

const isNested = (text: string) => /\[|%5[Bb]/.test(text)

const tooManyParameters = () => invalid(`The request has more than ${maximumParameters} parameters.`)

function readBrackets(text: string): Values {
  try {
    return qs.parse(text, {
      plainObjects: true,
      depth: 5,
      strictDepth: true,
      arrayLimit: 1000,
      parameterLimit: maximumParameters,
      throwOnLimitExceeded: true,
      decoder: decode,
    })
  } catch (error) {
    if (error instanceof RangeError)
      throw invalid('The request has too many parameters, or they are nested too deeply.')
    throw error
  }
}

/** The common case without brackets, for which the general parser is several times slower. */
function readFlat(text: string): Values {
  const values: Values = {}
  let count = 0
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('&', start)
    const end = next < 0 ? text.length : next
    if (end > start) addPair(values, text, start, end)
    start = end + 1
    if (++count > maximumParameters) throw tooManyParameters()
  }
  return values
}

function addPair(values: Values, text: string, start: number, end: number) {
  const equals = text.indexOf('=', start)
  const split = equals < 0 || equals > end ? end : equals
  const name = decode(text.slice(start, split))
  // No parameter has this name, and assigning it would not add a property.
  if (name === '__proto__') return
  const value = decode(text.slice(split + 1, end))
  const earlier = Object.hasOwn(values, name) ? values[name] : undefined
  values[name] = earlier === undefined ? value : Array.isArray(earlier) ? [...earlier, value] : [earlier, value]
}

function decode(text: string): string {
  try {
    const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
    if (!spaced.includes('%')) return spaced
    return spaced.length > shortText ? decodeLong(spaced) : decodeURIComponent(spaced)
  } catch {
    throw invalid(`The request is not valid percent-encoded UTF-8 near "${text.slice(0, 40)}".`)
  }
}

const shortText = 100
const sameBytes = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Equivalent to decodeURIComponent, several times as fast for long texts. */
function decodeLong(text: string): string {
  const bytes = Buffer.from(text)
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte !== percent) bytes[end++] = byte
    else {
      const [high, low] = [hexDigits[bytes[at + 1] ?? 0], hexDigits[bytes[at + 2] ?? 0]]
      if (high === undefined || low === undefined) throw new URIError('Two digits must follow a percent sign.')
      bytes[end++] = high * 16 + low
      at += 2
    }
  }
  return sameBytes.decode(bytes.subarray(0, end))
}

const percent = 0x25
/** Value of a hex digit by character code. */
const hexDigits: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[\da-f]/i.test(sign) ? Number.parseInt(sign, 16) : undefined
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

/** Maximum number of values in a body; the longest lists that any operation accepts have a few thousand. */
const maximumValues = 10_000
/** Maximum nesting of lists and objects. */
const maximumDepth = 32

/** Parses a JSON body. */
function readJson(text: string): Values {
  if (text.trim() === '') return {}
  // Shorter bodies can't exceed the limit and parse quickly.
  if (text.length > maximumValues) refuseMasses(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('The body must be a JSON object whose keys are parameter names.')
  }
  return value as Values
}

const nestedTooDeeply = () => invalid('The request is nested too deeply.')

/**
 * Counts before parsing: a mebibyte of brackets or names blocks the event loop for a quarter of a second when parsed, and takes a few
 * milliseconds to scan.
 */
function refuseMasses(text: string) {
  let values = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) at = endOfString(text, at)
    else if (sign === comma) values++
    else if (sign === closingBracket || sign === closingBrace) depth--
    else if (sign === openingBracket || sign === openingBrace) {
      values++
      if (++depth > maximumDepth + 1) throw nestedTooDeeply()
    }
    if (values > maximumValues) throw invalid(`The body has more than ${maximumValues.toLocaleString('en')} values.`)
  }
}

/** End of the string that starts here; the end of the text if it is unterminated. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Parses a multipart form without files, which PHP clients use to send arrays. Names and values are then parsed like any other form, so
 * brackets mean the same. Each byte is scanned once.
 */
function readMultipart(contentType: string, body: Buffer): Values {
  const boundary = boundaryIn(contentType)
  const pairs: string[] = []
  for (const part of partsOf(body, boundary)) {
    const name = nameIn(part)
    if (pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(decodeUtf8(part.content))}`) > maximumParameters) {
      throw invalid(`The request has more than ${maximumParameters} parameters.`)
    }
  }
  return readForm(pairs.join('&'))
}

interface Part {
  head: string
  content: Buffer
}

function boundaryIn(contentType: string): string {
  const boundary = parameterIn(contentType, 'boundary')
  // The maximum length in RFC 2046.
  if (!boundary || boundary.length > 70) throw invalid('The multipart body has no valid boundary in its Content-Type.')
  return boundary
}

function* partsOf(body: Buffer, boundary: string): Generator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const first = delimiter.subarray(2)
  // Text before the first boundary is a preamble, which is ignored.
  let at = body.subarray(0, first.length).equals(first) ? first.length : after(body, delimiter, 0)
  while (!isEnd(body, at)) {
    const start = body.indexOf('\r\n', at)
    const next = body.indexOf(delimiter, start)
    if (start < 0 || next < 0) throw incomplete()
    const headEnd = body.indexOf('\r\n\r\n', start)
    if (headEnd < 0 || headEnd >= next || headEnd - start > longestHead) throw incomplete()
    yield { head: decodeUtf8(body.subarray(start, headEnd)), content: body.subarray(headEnd + 4, next) }
    at = next + delimiter.length
  }
}

function after(body: Buffer, delimiter: Buffer, from: number): number {
  const found = body.indexOf(delimiter, from)
  if (found < 0) throw incomplete()
  return found + delimiter.length
}

const isEnd = (body: Buffer, at: number) => body[at] === dash && body[at + 1] === dash

function nameIn({ head }: Part): string {
  const disposition = head.split('\r\n').find((line) => line.toLowerCase().startsWith('content-disposition:')) ?? ''
  if (parameterIn(disposition, 'filename') !== undefined || parameterIn(disposition, 'filename*') !== undefined) {
    throw invalid(noFiles)
  }
  const name = parameterIn(disposition, 'name')
  if (!name) throw invalid('A part of the multipart body has no name.')
  return name
}

/** The value of one header parameter, quoted or not: `form-data; name="a[0]"`. */
function parameterIn(header: string, wanted: string): string | undefined {
  let at = header.indexOf(';')
  while (at >= 0) {
    const equals = header.indexOf('=', at)
    if (equals < 0) return undefined
    const name = header
      .slice(at + 1, equals)
      .trim()
      .toLowerCase()
    const quoted = header[equals + 1] === '"'
    const start = quoted ? equals + 2 : equals + 1
    const end = header.indexOf(quoted ? '"' : ';', start)
    if (quoted && end < 0) return undefined
    const value = end < 0 ? header.slice(start) : header.slice(start, end)
    // Browsers escape a quote in a name this way; nothing else is escaped.
    if (name === wanted) return quoted ? value.replaceAll('%22', '"') : value.trim()
    at = end < 0 ? -1 : header.indexOf(';', end)
  }
  return undefined
}

const dash = 0x2d
const longestHead = 4_096

const incomplete = () => invalid('The multipart body is not complete: a part of it has no end.')

const noFiles =
  'Files are not taken here. Send one from a browser with POST /app/api/media and PUT /app/api/media/{id}, or give its address to POST /upload.'
