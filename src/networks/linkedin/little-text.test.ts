import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commentaryOf, displayedText, readable } from './little-text.ts'

test.each([
  ['Ten (10) [great] {robots} <3', 'Ten \\(10\\) \\[great\\] \\{robots\\} \\<3'],
  ['a|b *bold* _it_ ~no~ back\\slash', 'a\\|b \\*bold\\* \\_it\\_ \\~no\\~ back\\\\slash'],
  ['mail me@acme.example', 'mail me\\@acme.example'],
  ['#robots and #Größe2 are #fun!', '#robots and #Größe2 are #fun!'],
  ['C# is #1, see https://acme.example/#top', 'C\\# is \\#1, see https://acme.example/\\#top'],
  ['#snake_case', '#snake\\_case'],
  ['By @[Acme (UK)](urn:li:organization:2414183)!', 'By @[Acme \\(UK\\)](urn:li:organization:2414183)!'],
  ['Not @[Acme](https://acme.example)', 'Not \\@\\[Acme\\]\\(https://acme.example\\)'],
  ['{hashtag|\\#|work}', '\\{hashtag\\|\\\\\\#\\|work\\}'],
])('%s is escaped, hashtags and mentions are not', (text, commentary) => {
  expect(commentaryOf(text)).toBe(commentary)
})

test('hashtags and names are displayed without markup', () => {
  expect(readable('See {hashtag|\\#|work} by @[Acme \\(UK\\)](urn:li:organization:1) \\(new\\)')).toBe(
    'See #work by Acme (UK) (new)',
  )
  expect(displayedText('Hi @[Ada](urn:li:person:aDaM4demo1)')).toBe('Hi Ada')
})

test('any text without a mention survives the round trip', () => {
  const characters = fc.constantFrom(...'\\|{}@[]()<>#*_~ab1 é😀\n/&=')
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 60 }), (text) => {
      expect(readable(commentaryOf(text))).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})
