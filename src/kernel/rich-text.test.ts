import { expect, test } from 'vitest'
import { cleanHtml, readableLength } from './rich-text.ts'

test.each([
  [
    '<b>Bold</b> and <a href="https://example.com" onclick="x()">a link</a>',
    '<b>Bold</b> and <a href="https://example.com">a link</a>',
  ],
  ['<script>alert(1)</script>after', 'after'],
  ['<img src=x onerror=alert(1)>', ''],
  ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="  java\nscript:alert(1)">x</a>', '<a>x</a>'],
  ['<svg><script>1</script></svg>', ''],
  ['<p style="background:url(javascript:1)">x</p>', '<p>x</p>'],
  ['<iframe src="https://evil.example"></iframe>', ''],
  ['1 < 2 & 3', '1 &lt; 2 &amp; 3'],
  ['<b>unclosed', '<b>unclosed</b>'],
])('%s becomes %s', (given, clean) => {
  expect(cleanHtml(given)).toBe(clean)
  expect(cleanHtml(clean)).toBe(clean)
})

test('tags are not counted in the length of a text', () => {
  expect(readableLength('<b>abc</b><br>')).toBe(3)
  expect(readableLength('a &amp; b')).toBe(5)
})
