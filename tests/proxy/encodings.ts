/** The encodings that published clients use for parameters. */

type Values = { readonly [name: string]: unknown }

/** Encoded parameters of a request. */
export interface Encoded {
  query?: string
  contentType?: string
  body?: string
}

export interface Encoding {
  name: string
  encode(values: Values): Encoded
}

const isAbsent = (value: unknown) => value === undefined || value === null
const pairs = (entries: [string, string][]) => new URLSearchParams(entries).toString()

/** Lists and objects as JSON text in one field. */
const withJson = (values: Values): [string, string][] =>
  Object.entries(values)
    .filter(([, value]) => !isAbsent(value))
    .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)])

/** Lists joined by commas, as in URLs. */
const withCommas = (values: Values): [string, string][] =>
  Object.entries(values)
    .filter(([, value]) => !isAbsent(value))
    .map(([name, value]) => [
      name,
      typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value),
    ])

/** `ids[]=`, `users[0][email]=`, `filter[network]=`. */
function withBrackets(values: Values): [string, string][] {
  const spread = (name: string, value: unknown): [string, string][] => {
    if (isAbsent(value)) return []
    // An empty list cannot be written with brackets.
    if (Array.isArray(value) && value.length === 0) return [[name, '']]
    if (Array.isArray(value))
      return value.flatMap((one, index) => spread(typeof one === 'object' ? `${name}[${index}]` : `${name}[]`, one))
    if (typeof value !== 'object') return [[name, String(value)]]
    return Object.entries(value as Values).flatMap(([key, inner]) => spread(`${name}[${key}]`, inner))
  }
  return Object.entries(values).flatMap(([name, value]) => spread(name, value))
}

/** Booleans as `true` and `false`, as some clients write them. */
const asWords = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, flagNames.test(name) ? Boolean(Number(value)) : value]),
  )
const flagNames = /^(with[A-Z]|is[A-Z]|Email|includeInvalid|nativePostsEnabled|convertsOnly|stats$|important$)/

const form = 'application/x-www-form-urlencoded'
const boundary = 'limit-of-the-parts'
const part = ([name, value]: [string, string]) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

export const inQuery: readonly Encoding[] = [
  { name: 'query', encode: (values) => ({ query: pairs(withCommas(values)) }) },
  { name: 'query with JSON text', encode: (values) => ({ query: pairs(withJson(values)) }) },
  { name: 'query with brackets', encode: (values) => ({ query: pairs(withBrackets(values)) }) },
  { name: 'query with true and false', encode: (values) => ({ query: pairs(withCommas(asWords(values))) }) },
]

export const inBody: readonly Encoding[] = [
  { name: 'form', encode: (values) => ({ contentType: form, body: pairs(withJson(values)) }) },
  { name: 'form with brackets', encode: (values) => ({ contentType: form, body: pairs(withBrackets(values)) }) },
  {
    name: 'form with true and false',
    encode: (values) => ({ contentType: form, body: pairs(withJson(asWords(values))) }),
  },
  { name: 'JSON', encode: (values) => ({ contentType: 'application/json', body: JSON.stringify(values) }) },
  {
    name: 'JSON with true and false',
    encode: (values) => ({ contentType: 'application/json', body: JSON.stringify(asWords(values)) }),
  },
  {
    name: 'multipart',
    encode: (values) => ({
      contentType: `multipart/form-data; boundary=${boundary}`,
      body: `${withBrackets(values).map(part).join('')}--${boundary}--\r\n`,
    }),
  },
]
