import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finalUrl } from '../../link/link-url.ts'
import { keptLink } from '../store/link-map.ts'

const locationOf = (longUrl: string, params: Record<string, string>) =>
  keptLink({ account: '001', link: '008', hash: 'x', longUrl, params: JSON.stringify(params), disabled: false })
    .location

test('the fast path to a destination equals the slow one', () => {
  const part = fc.stringMatching(/^[\w.~%-]{0,6}$/)
  const url = fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.constantFrom('a.example', 'x-1.co', '127.0.0.1', 'B.example', '1.2', 'a.b.', 'xn--a.example'),
      fc.array(part, { maxLength: 4 }),
      fc.constantFrom('', '/', '?a=1', '#b'),
    )
    .map(([scheme, host, path, tail]) => `${scheme}://${host}${path.map((one) => `/${one}`).join('')}${tail}`)
    .filter(isUrl)
  const params = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string({ maxLength: 8 }))
  fc.assert(
    fc.property(url, params, (longUrl, added) => {
      expect(locationOf(longUrl, added)).toBe(finalUrl(longUrl, added))
    }),
    { numRuns: 2_000 },
  )
})

function isUrl(text: string): boolean {
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}
