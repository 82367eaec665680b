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
/** Values that no client sends intentionally. */
export const malformedValues = [
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

export const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed().slice(0, 3000))
/** In a query string, where all values are text, several of them are equal. */
const valuesIn = {
  query: [...new Map(malformedValues.map((value) => [encoded(value), value])).values()],
  body: malformedValues,
}
/**
 * Parameters of one kind are parsed by the same code: the values are distributed over them, so that every kind gets all of them, in query
 * strings and in bodies.
 */
const sharesPerKind = deep(malformedValues.length, 10)
const locationOf = ({ method }: Endpoint) => (method === 'GET' ? 'query' : 'body')
/** By default the kind is the structure. Limits, enum values and references never matter; for objects the property names are enough. */
const kindOf = (endpoint: Endpoint, { schema }: ParameterField) =>
  JSON.stringify([locationOf(endpoint), deep(structureOf(schema).type ?? 'several', schema)], (name, value) => {
    if (['minLength', 'maxLength', 'minimum', 'maximum', 'maxItems', 'default', 'description'].includes(name)) return
    if (name === 'properties') return Object.keys(value)
    return name === 'enum' || name === 'x-refers-to' ? 'some' : value
  })
const kinds = operations.flatMap((endpoint) => requestFields(endpoint).map((field) => kindOf(endpoint, field)))
const fieldsSoFar = new Map<string, number>()

/** The values for this parameter; must be called once for each parameter. */
export function malformedValuesFor(endpoint: Endpoint, field: ParameterField): unknown[] {
  const kind = kindOf(endpoint, field)
  const turn = fieldsSoFar.get(kind) ?? 0
  fieldsSoFar.set(kind, turn + 1)
  const shares = Math.min(sharesPerKind, kinds.filter((other) => other === kind).length)
  return valuesIn[locationOf(endpoint)].filter((_, index) => index % shares === turn % shares)
}

export function requestFields(endpoint: Endpoint): ParameterField[] {
  return parameterFields(endpoint).filter(({ where }) => where === 'request')
}
