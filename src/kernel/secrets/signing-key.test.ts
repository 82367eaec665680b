import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { SigningKey } from './signing-key.ts'

test('signatures are those of HMAC, for every length of key and text', () => {
  const keys = [0, 1, 20, 63, 64, 65, 200].map((length) => Buffer.alloc(length, 'ké'))
  const texts = ['', 'a', 'Größe 🎉', 'x'.repeat(60_000), '€'.repeat(21_845), '€'.repeat(21_846)]
  for (const algorithm of ['sha1', 'sha256'] as const) {
    for (const key of keys) {
      const signing = new SigningKey(algorithm, key)
      for (const text of [...texts, ...texts]) {
        const expected = createHmac(algorithm, key).update(text)
        expect(signing.sign('hex', text.slice(0, 2), text.slice(2))).toBe(expected.digest('hex'))
      }
    }
  }
  const expected = createHmac('sha256', 'key').update('text').digest('base64')
  expect(new SigningKey('sha256', Buffer.from('key')).sign('base64', 'text')).toBe(expected)
})
