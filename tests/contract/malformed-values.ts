import { type ParameterField, parameterFields } from '#kernel/http/request/parameter-fields.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { structureOf } from '#kernel/wire/parameter.ts'
import { deep } from '../support/depth.ts'
import { operations } from './operations.ts'

const malformedTexts = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '',
  ' ',
  '%',
  '_',
  '\\',
  "'; drop table users; --",
  '__proto__',
  'x'.repeat(100_000),
  'NaN',
  'Infinity',
  '-1',
  '1e308',
  '9007199254740993',
  '99999999999999999999999',
  '2147483648',
  '-0',
  '0x10',
  '2026-02-30',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '[[[',
  '{"a":',
  '["\\ud800"]',
  ',,,,',
  '😀'.repeat(300),
  '\u202e',
  '\n',
  'name,2',
  ';drop',
]
/** What nobody means to send. */
export const wildValues = [
  ...malformedTexts,
  null,
  true,
  false,
  0,
  -1,
  1e308,
  2 ** 53,
  [],
  [[]],
  {},
  [null],
  { a: { b: {} } },
  [{ __proto__: 1 }],
  Array(10_000).fill('x'),
]

export const inAddress = (value: unknown) => encodeURIComponent(String(value).toWellFormed().slice(0, 3000))
/** In an address, where all are texts, several of them are the same. */
const valuesFor = {
  address: [...new Map(wildValues.map((value) => [inAddress(value), value])).values()],
  body: wildValues,
}
/** Parameters of one kind are read by the same code: the values are dealt out among them, and every kind gets all of them, in addresses and in bodies. */
const hands = deep(wildValues.length, 10)
const placeOf = ({ method }: Endpoint) => (method === 'GET' ? 'address' : 'body')
/** Usually what it is made of makes a kind. How long or large it may be, which words are meant and what is referred to never do; of what holds others the names are enough. */
const kindOf = (endpoint: Endpoint, { schema }: ParameterField) =>
  JSON.stringify([placeOf(endpoint), deep(structureOf(schema).type ?? 'several', schema)], (name, value) => {
    if (['minLength', 'maxLength', 'minimum', 'maximum', 'maxItems', 'default', 'description'].includes(name)) return
    if (name === 'properties') return Object.keys(value)
    return name === 'enum' || name === 'x-refers-to' ? 'some' : value
  })
const kinds = operations.flatMap((endpoint) => requestFields(endpoint).map((field) => kindOf(endpoint, field)))
const dealtSoFar = new Map<string, number>()

/** The values that are this parameter's turn; to be asked once for each. */
export function dealt(endpoint: Endpoint, field: ParameterField): unknown[] {
  const kind = kindOf(endpoint, field)
  const turn = dealtSoFar.get(kind) ?? 0
  dealtSoFar.set(kind, turn + 1)
  const players = Math.min(hands, kinds.filter((other) => other === kind).length)
  return valuesFor[placeOf(endpoint)].filter((_, index) => index % players === turn % players)
}

export function requestFields(endpoint: Endpoint): ParameterField[] {
  return parameterFields(endpoint).filter(({ where }) => where === 'request')
}
