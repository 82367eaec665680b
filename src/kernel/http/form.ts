import qs from 'qs'
import { invalid } from '../errors.ts'

export type Values = { [name: string]: unknown }

export const maximumParameters = 2000

/** Reads a query string or a form body: `a=1`, `a[]=1`, `a[0][b]=1`, `a[b]=1`. */
export function readForm(text: string): Values {
  if (text === '') return {}
  return /\[|%5[Bb]/.test(text) ? readNested(text) : readFlat(text)
}

function readNested(text: string): Values {
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
    if (++count > maximumParameters) throw invalid(`The request has more than ${maximumParameters} parameters.`)
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
    return spaced.includes('%') ? decodeURIComponent(spaced) : spaced
  } catch {
    throw invalid(`The request is not valid percent-encoded UTF-8 near "${text.slice(0, 40)}".`)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function decodeUtf8(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}
