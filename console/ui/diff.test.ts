import { expect, test } from 'vitest'
import { wordDiff } from './diff.tsx'

const diffText = (before: string, now: string) =>
  wordDiff(before, now)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'gone' ? `[-${text}-]` : `[+${text}+]`))
    .join('')
const sides = (before: string, now: string) => {
  const all = wordDiff(before, now)
  const without = (kind: string) =>
    all
      .filter((one) => one.kind !== kind)
      .map(({ text }) => text)
      .join('')
  return [without('new'), without('gone')]
}

test('adjacent removed and added words are grouped into phrases', () => {
  expect(diffText('Made for life.', 'Made for as long as you hike.')).toBe('Made for [-life-][+as long as you hike+].')
  expect(diffText('one two three', 'one three')).toBe('one [-two -]three')
  expect(diffText('a b', 'a b')).toBe('a b')
  expect(diffText('', 'new')).toBe('[+new+]')
  expect(diffText('gone', '')).toBe('[-gone-]')
  expect(diffText('a red fox ran', 'a blue dog ran')).toBe('a [-red fox-][+blue dog+] ran')
})

test('both texts can be reconstructed exactly from the diff, in every script', () => {
  const texts = [
    'Grüße aus Köln!\n\nBis bald 🏔',
    'Grüße aus Bonn!\nBis bald 🏔🏔',
    'السلام عليكم',
    '山で会おう',
    '  ',
    'don’t',
    "don't",
  ]
  for (const before of texts) for (const now of texts) expect(sides(before, now)).toEqual([before, now])
})

test('the diff of two long unrelated texts is fast', () => {
  const long = (word: string) => Array.from({ length: 5000 }, (_, n) => `${word}${n}`).join(' ')
  expect(sides(long('a'), long('b'))).toEqual([long('a'), long('b')])
  expect(wordDiff(`${long('a')} old`, `${long('a')} new`)).toHaveLength(3)
})
