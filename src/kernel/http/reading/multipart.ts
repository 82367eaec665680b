import { invalid } from '../../errors.ts'
import { decodeUtf8, maximumParameters, readForm, type Values } from './form.ts'

/**
 * Reads a multipart form without files, as PHP's clients send arrays in it. Names and values are then read as any other form is,
 * so that brackets mean the same. Each byte is looked at once.
 */
export function readMultipart(contentType: string, body: Buffer): Values {
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
  // The longest the standard allows.
  if (!boundary || boundary.length > 70) throw invalid('The multipart body has no valid boundary in its Content-Type.')
  return boundary
}

function* partsOf(body: Buffer, boundary: string): Generator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const first = delimiter.subarray(2)
  // What stands before the first boundary is for people without a mail program.
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

/** The value of one parameter of a header, quoted or not: `form-data; name="a[0]"`. */
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
    // Browsers write a quote in a name so; nothing else is escaped.
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
