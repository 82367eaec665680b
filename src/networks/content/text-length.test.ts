import { expect, test } from 'vitest'
import { textLength } from './text-check.ts'

test('text length is counted in the unit of the network', () => {
  expect(textLength('aé😀', 'utf16')).toBe(4)
  expect(textLength('aé😀', 'codepoint')).toBe(3)
  expect(textLength('aé😀', 'utf8')).toBe(7)
})

test.each([
  ['', 0],
  ['abc', 3],
  ['e\u0301', 1],
  ['日本', 4],
  ['“quoted” – that’s it…', 22],
  ['© 2026 ™', 9],
  ['한국', 4],
  ['\u1100', 2],
  ['👍', 2],
  ['👍🏽👍', 4],
  ['👨‍👩‍👧‍👦!', 3],
  ['🇩🇪🇫🇷', 4],
  ['1️⃣ ❤️', 5],
  ['12', 2],
])('X counts %j as %i characters', (text, weight) => {
  expect(textLength(text, 'x-weighted')).toBe(weight)
})

test.each([
  ['https://acme.example/a/very/long/path?with=many&other=things#end', 23],
  [`see http://x.io, or ${'www.acme.de'}.`, 4 + 23 + 5 + 23 + 1],
  ['acme.com', 23],
  ['Acme.COM/shop!', 24],
  ['acme.de/shop', 23],
  ['t.co', 23],
  ['日本acme.com日本', 4 + 23 + 4],
  ['(https://en.wikipedia.org/wiki/X_(app))', 1 + 23 + 1],
  ['https://acme.com:8443/x', 23],
  ['https://a.com https://b.com', 23 + 1 + 23],
])('X counts every URL in %j as 23 characters', (text, weight) => {
  expect(textLength(text, 'x-weighted')).toBe(weight)
})

test.each([
  'acme.de',
  'mail@acme.com',
  'end.Then on',
  'e.g. this',
  'v1.2.3',
  'https://localhost',
  '@acme.com',
  'a.b.c',
])('X finds no URL in %j', (text) => {
  expect(textLength(text, 'x-weighted')).toBe(text.length)
})
