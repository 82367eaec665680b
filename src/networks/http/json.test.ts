import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Json, readJson } from './json.ts'

test.each<[string, Json]>([
  ['7247303576418566913', '7247303576418566913'],
  ['-7247303576418566913', '-7247303576418566913'],
  ['[1234567890123456,123456789012345]', ['1234567890123456', 123456789012345]],
  ['{"a" : 7247303576418566913 ,"b":1}', { a: '7247303576418566913', b: 1 }],
  ['{"7247303576418566913":[[7247303576418566913]]}', { '7247303576418566913': [['7247303576418566913']] }],
])('an integer beyond the range of a double is parsed as a string: %s', (text, value) => {
  expect(readJson(text)).toEqual(value)
})

test.each<[string, Json]>([
  ['"7247303576418566913"', '7247303576418566913'],
  ['"id: 7247303576418566913, and \\" 7247303576418566914"', 'id: 7247303576418566913, and " 7247303576418566914'],
  ['["\\\\",7247303576418566913,"\\\\\\"",1]', ['\\', '7247303576418566913', '\\"', 1]],
  ['"{\\"id\\":7247303576418566913}"', '{"id":7247303576418566913}'],
])('digits inside a string are unchanged: %s', (text, value) => {
  expect(readJson(text)).toEqual(value)
})

test.each([
  '0.1234567890123456789',
  '-0.12345678901234567',
  '12345678901234567.5',
  '12345678901234567e2',
  '1.5e1',
  '1E-7',
])('decimals and exponents are parsed as numbers: %s', (text) => {
  expect(readJson(text)).toBe(Number(text))
})

test.each(['', ' ', '<html>', '{', '{"a":1', '["a', 'undefined', "{'a':1}", '[1,]'])(
  'invalid JSON is undefined: %s',
  (text) => {
    expect(readJson(text)).toBeUndefined()
  },
)

test('all other JSON is parsed as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(readJson(text)).toEqual(withLongNumbersAsTexts(JSON.parse(text)))
    }),
    { numRuns: 500 },
  )
})

/** A slow reference implementation. */
function withLongNumbersAsTexts(value: Json): Json {
  if (typeof value === 'number') return /^-?\d{16,}$/.test(String(value)) ? String(value) : value
  if (Array.isArray(value)) return value.map(withLongNumbersAsTexts)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withLongNumbersAsTexts(part)]))
}

test('a response truncated inside a string is rejected immediately, whatever its length', () => {
  // Scanning back at every quote would take hours.
  expect(readJson(`{"text":"${'\\"'.repeat(500_000)}`)).toBeUndefined()
})
