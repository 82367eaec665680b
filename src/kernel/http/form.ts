import qs from 'qs'
import { invalid } from '../errors.ts'

export type Values = { [name: string]: unknown }

const maximumParameters = 2000

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
  const values: Values = Object.create(null)
  const pairs = text.split('&', maximumParameters + 1)
  if (pairs.length > maximumParameters) throw invalid(`The request has more than ${maximumParameters} parameters.`)
  for (const pair of pairs) {
    if (pair === '') continue
    const split = pair.indexOf('=')
    const name = decode(split < 0 ? pair : pair.slice(0, split))
    const value = split < 0 ? '' : decode(pair.slice(split + 1))
    const earlier = values[name]
    values[name] = earlier === undefined ? value : Array.isArray(earlier) ? [...earlier, value] : [earlier, value]
  }
  return values
}

function decode(text: string): string {
  try {
    const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
    return spaced.includes('%') ? decodeURIComponent(spaced) : spaced
  } catch {
    throw invalid(`The request is not valid percent-encoded UTF-8 near "${text.slice(0, 40)}".`)
  }
}
