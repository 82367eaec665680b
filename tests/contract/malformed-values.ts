import { type ParameterField, parameterFields } from '#kernel/http/request/parameter-fields.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { structureOf } from '#kernel/wire/parameter.ts'
import { deep } from '../support/randomness.ts'
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
/** Values that no client sends on purpose. */
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
/** In a query string, where all values are text, several of them are equal. */
const valuesFor = {
  address: [...new Map(wildValues.map((value) => [inAddress(value), value])).values()],
  body: wildValues,
}
/**
 * Parameters of one kind are parsed by the same code: the values are distributed over them, so that every kind gets all of them, in query
 * strings and in bodies.
 */
const hands = deep(wildValues.length, 10)
const placeOf = ({ method }: Endpoint) => (method === 'GET' ? 'address' : 'body')
/** By default the kind is the structure. Limits, enum values and references never matter; for objects the property names are enough. */
const kindOf = (endpoint: Endpoint, { schema }: ParameterField) =>
  JSON.stringify([placeOf(endpoint), deep(structureOf(schema).type ?? 'several', schema)], (name, value) => {
    if (['minLength', 'maxLength', 'minimum', 'maximum', 'maxItems', 'default', 'description'].includes(name)) return
    if (name === 'properties') return Object.keys(value)
    return name === 'enum' || name === 'x-refers-to' ? 'some' : value
  })
const kinds = operations.flatMap((endpoint) => requestFields(endpoint).map((field) => kindOf(endpoint, field)))
const dealtSoFar = new Map<string, number>()

/** The values for this parameter; must be called once for each parameter. */
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
