import { invalid } from '../../errors.ts'
import type { Values } from './form.ts'

/** Of everything in a body together; the longest lists that any operation takes have some thousands. */
export const maximumValues = 10_000
/** Of lists and objects in each other. */
export const maximumDepth = 32

/** Reads a JSON body. */
export function readJson(text: string): Values {
  if (text.trim() === '') return {}
  // Shorter ones cannot hold too much, and are read before anybody would notice.
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

export const nestedTooDeeply = () => invalid('The request is nested too deeply.')

/**
 * Counts before anything is made of it: a mebibyte of brackets or of names takes a quarter of a second to parse, in which nobody else
 * is answered, and a few milliseconds to look through.
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

/** Where the string that begins here ends; at the end of the text if it does not. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
