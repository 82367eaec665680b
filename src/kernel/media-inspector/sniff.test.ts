import { expect, test } from 'vitest'
import { good } from './fixtures/corpus.fixture.ts'
import { disguised } from './fixtures/disguised.fixture.ts'
import { agreeing, sniff, sniffedBytes } from './inspection.ts'

test('the first bytes determine the type', async () => {
  for (const [name, bytes, expected] of [...(await good()), ...(await disguised())]) {
    const sniffed = sniff(bytes.subarray(0, sniffedBytes))
    if ('mime' in expected) expect(sniffed, name).toBe(expected.mime)
    if (expected instanceof RegExp && /web page|only MP4/.test(expected.source)) expect(sniffed, name).toBeUndefined()
  }
})

test('equivalent spellings of a type match, other types do not', () => {
  expect(agreeing('image/jpg', 'image/jpeg')).toBe(true)
  expect(agreeing('IMAGE/JPEG; charset=binary', 'image/jpeg')).toBe(true)
  expect(agreeing(' application/pdf ', 'application/pdf')).toBe(true)
  expect(agreeing('image/png', 'image/jpeg')).toBe(false)
  expect(agreeing('text/html', 'image/gif')).toBe(false)
  expect(agreeing('', 'image/gif')).toBe(false)
  expect(agreeing('constructor', 'image/gif')).toBe(false)
})
