import { expect, test } from 'vitest'
import { processorTime } from '../../../../tests/support/measurement.ts'
import { linksIn, withLinks } from './text-links.ts'

const found = (text: string) => linksIn(text).map(({ url }) => url)

test.each<[text: string, ...urls: string[]]>([
  ['nothing here'],
  [''],
  ['https://'],
  ['http:// and more'],
  ['https://...'],
  ['https://-'],
  ['example.com and www.example.com are no addresses here'],
  ['mailto:ada@example.com ftp://example.com/x'],
  ['https://example.com', 'https://example.com'],
  ['https://example.com/', 'https://example.com/'],
  ['See https://example.com', 'https://example.com'],
  ['https://example.com is the place', 'https://example.com'],
  ['HTTPS://Example.COM/Path stays as written', 'HTTPS://Example.COM/Path'],
  ['a\nhttps://a.example/1\nhttps://b.example/2\n', 'https://a.example/1', 'https://b.example/2'],
  ['twice https://a.example/1 https://a.example/1', 'https://a.example/1', 'https://a.example/1'],
  // The end of a sentence.
  ['Go to https://example.com.', 'https://example.com'],
  ['Go to https://example.com/a.', 'https://example.com/a'],
  ['Really? https://example.com/a?!', 'https://example.com/a'],
  [
    'https://example.com/a, https://example.com/b; https://example.com/c:',
    'https://example.com/a',
    'https://example.com/b',
    'https://example.com/c',
  ],
  ['https://example.com/a...', 'https://example.com/a'],
  ['https://example.com/a…', 'https://example.com/a'],
  ['https://example.com/?', 'https://example.com/'],
  ['https://example.com/file.tar.gz.', 'https://example.com/file.tar.gz'],
  ["'https://example.com/a'", 'https://example.com/a'],
  ['"https://example.com/a"', 'https://example.com/a'],
  ['“https://example.com/a”', 'https://example.com/a'],
  ['«https://example.com/a»', 'https://example.com/a'],
  ['*https://example.com/a*', 'https://example.com/a'],
  ['<https://example.com/a>', 'https://example.com/a'],
  ['`https://example.com/a`', 'https://example.com/a'],
  ["https://example.com/it's", "https://example.com/it's"],
  ['https://example.com/_under_', 'https://example.com/_under_'],
  ['https://example.com/a-', 'https://example.com/a-'],
  // Brackets.
  ['(https://example.com/a)', 'https://example.com/a'],
  ['(https://example.com)', 'https://example.com'],
  ['(see https://example.com/a).', 'https://example.com/a'],
  ['(https://example.com/a).And on', 'https://example.com/a'],
  ['https://en.wikipedia.org/wiki/Pack_(animal)', 'https://en.wikipedia.org/wiki/Pack_(animal)'],
  ['(https://en.wikipedia.org/wiki/Pack_(animal))', 'https://en.wikipedia.org/wiki/Pack_(animal)'],
  ['https://en.wikipedia.org/wiki/Pack_(animal).', 'https://en.wikipedia.org/wiki/Pack_(animal)'],
  ['https://example.com/a(', 'https://example.com/a'],
  ['[read](https://example.com/a), then', 'https://example.com/a'],
  ['[https://example.com/a]', 'https://example.com/a'],
  ['https://example.com/a[0]=1', 'https://example.com/a[0]=1'],
  // Parts of a URL.
  ['https://example.com/a?b=c&d=e#f', 'https://example.com/a?b=c&d=e#f'],
  ['https://example.com?b=c.', 'https://example.com?b=c'],
  ['https://example.com#top', 'https://example.com#top'],
  ['https://example.com/a%20b+c~d', 'https://example.com/a%20b+c~d'],
  ['https://example.com/@ada/1', 'https://example.com/@ada/1'],
  ['https://example.com/a,b;c:d', 'https://example.com/a,b;c:d'],
  ['https://example.com:8080/a', 'https://example.com:8080/a'],
  ['https://example.com: a sentence goes on', 'https://example.com'],
  ['https://ada:secret@example.com/a', 'https://ada:secret@example.com/a'],
  ['http://localhost:3000/x', 'http://localhost:3000/x'],
  ['http://127.0.0.1:4000/l/abc', 'http://127.0.0.1:4000/l/abc'],
  ['http://[2001:db8::1]:8080/a', 'http://[2001:db8::1]:8080/a'],
  ['https://web.archive.org/web/https://example.com/', 'https://web.archive.org/web/https://example.com/'],
  ['https://a.example/x?to=https://b.example/y', 'https://a.example/x?to=https://b.example/y'],
  // Other scripts.
  ['https://münchen.example/straße', 'https://münchen.example/straße'],
  ['https://ja.wikipedia.org/wiki/日本', 'https://ja.wikipedia.org/wiki/日本'],
  ['https://kanzlei.vermögensberatung/', 'https://kanzlei.vermögensberatung/'],
  ['https://例え.テスト/', 'https://例え.テスト/'],
  ['詳しくはhttps://example.comを見て', 'https://example.com'],
  ['詳しくはhttps://example.com/aを見て', 'https://example.com/aを見て'],
  ['見て：https://example.com/a。次', 'https://example.com/a'],
  ['（https://example.com/a）', 'https://example.com/a'],
  ['「https://example.com」', 'https://example.com'],
  ['https://example.com/a\u3000b', 'https://example.com/a'],
  ['https://example.com/a\u200bb', 'https://example.com/a'],
  ['https://example.com/a\u00a0b', 'https://example.com/a'],
  ['🎉https://example.com/🎉', 'https://example.com/🎉'],
  ['https://example.com🎉', 'https://example.com'],
  // Not in the middle of a word.
  ['xhttps://example.com'],
  ['view-source:https://example.com', 'https://example.com'],
  ['https://a.example|https://b.example', 'https://a.example', 'https://b.example'],
  ['https://a.example,https://b.example', 'https://a.example', 'https://b.example'],
])('%s', (text, ...urls) => {
  expect(found(text)).toEqual(urls)
  for (const { from, to, url } of linksIn(text)) expect(text.slice(from, to)).toBe(url)
})

test('every occurrence of a URL is replaced, and nothing else changes', () => {
  const shorts = new Map([
    ['https://a.example/1', 'https://s.example/AAAAAAAA'],
    ['https://a.example/12', 'https://s.example/BBBBBBBB'],
  ])
  expect(
    withLinks('(https://a.example/1), https://a.example/12 + https://a.example/1! https://c.example', shorts),
  ).toBe('(https://s.example/AAAAAAAA), https://s.example/BBBBBBBB + https://s.example/AAAAAAAA! https://c.example')
  expect(withLinks('no address', shorts)).toBe('no address')
})

test('a hostile text takes linear time', () => {
  const pieces = [
    'https://',
    'https://a',
    'https://a.',
    '(',
    'https://a.b/(',
    'a.',
    'https://x@',
    '@',
    'https://a.b/).',
  ]
  const timeOf = (length: number) => {
    const began = processorTime()
    for (const piece of pieces) linksIn(piece.repeat(Math.ceil(length / piece.length)))
    return processorTime() - began
  }
  for (let warm = 0; warm < 3; warm++) timeOf(70_000)
  // Quadratic time would take sixteen times as long.
  expect(timeOf(280_000) / timeOf(70_000)).toBeLessThan(10)
})
