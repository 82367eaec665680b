import qs from 'qs'
import { invalid } from '../../errors.ts'

export type Values = { [name: string]: unknown }

export const maximumParameters = 2000

/** Reads a query string or a form body: `a=1`, `a[]=1`, `a[0][b]=1`, `a[b]=1`. */
export function readForm(text: string): Values {
  if (text === '') return {}
  return isNested(text) ? readNested(text) : readFlat(text)
}

/** Names with brackets and what they say, all together. */
const nestedBytes = 128 * 1024
/** Longer ones are texts that somebody wrote. */
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
  // No parameter has this name, and setting it would not add a property.
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

/** What decodeURIComponent does, several times as fast for long texts. */
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
/** The value of a digit by its code. */
const hexDigits: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[\da-f]/i.test(sign) ? Number.parseInt(sign, 16) : undefined
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function decodeUtf8(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}
