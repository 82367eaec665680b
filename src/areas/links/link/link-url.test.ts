import { expect, test } from 'vitest'
import { checkDestination, finalUrl, hostsOf, paramsOf, shortUrl } from './link-url.ts'

const own = hostsOf(['https://chorus.example', 'https://go.example/l', 'http://127.0.0.1:4000/l', 'https://[::1]:8443'])
own.add('brand.example')

test.each([
  'https://example.com',
  'http://example.com/a?b=c#d',
  'HTTPS://EXAMPLE.COM/A',
  'https://münchen.example/straße',
  'https://example.com:8443/',
  'https://example.com/?to=https://go.example/l/abc',
  'https://example.com/@ada',
  'http://127.0.0.1:3000/',
  'https://other.brand.example/',
  `https://example.com/${'x'.repeat(2028)}`,
])('%s is a valid destination', (url) => {
  expect(checkDestination(url, own)).toBeUndefined()
})

test.each([
  ['', 'complete address'],
  ['example.com', 'complete address'],
  ['//example.com', 'complete address'],
  ['https://', 'complete address'],
  ['https:example.com', 'complete address'],
  ['https://exa mple.com', 'complete address'],
  ['https://example.com/a\tb', 'complete address'],
  ['https://example.com/a\u200b', 'complete address'],
  ['https://example.com:99999/', 'complete address'],
  ['javascript:alert(1)', 'http:// or https://'],
  ['data:text/html,x', 'http:// or https://'],
  ['ftp://example.com/', 'http:// or https://'],
  ['mailto:ada@example.com', 'http:// or https://'],
  ['https://ada@example.com/', 'user name or password'],
  ['https://ada:secret@example.com/', 'user name or password'],
  ['https://@example.com/', 'user name or password'],
  ['https://chorus.example/app', 'in circles'],
  ['http://CHORUS.example:8080/', 'in circles'],
  ['https://chorus.example./', 'in circles'],
  ['https://go.example/l/abcdefgh', 'in circles'],
  ['https://brand.example/abcdefgh', 'in circles'],
  ['http://127.0.0.1:4000/l/x', 'in circles'],
  ['https://[::1]:8443/', 'in circles'],
  [`https://example.com/${'x'.repeat(2029)}`, '2049'],
])('%s is rejected with a reason', (url, why) => {
  expect(checkDestination(url, own)).toContain(why)
})

test.each([
  ['https://example.com', {}, 'https://example.com/'],
  ['https://example.com/a', { utm_source: 'x' }, 'https://example.com/a?utm_source=x'],
  ['https://example.com/a?b=1', { utm_source: 'x' }, 'https://example.com/a?b=1&utm_source=x'],
  [
    'https://example.com/a?utm_source=mine',
    { utm_source: 'x', utm_medium: 'y' },
    'https://example.com/a?utm_source=mine&utm_medium=y',
  ],
  ['https://example.com/a?utm_source=', { utm_source: 'x' }, 'https://example.com/a?utm_source='],
  ['https://example.com/a#top', { utm_source: 'x' }, 'https://example.com/a?utm_source=x#top'],
  ['https://example.com/a?b=%20+%2B#a?b', { utm_source: 'x' }, 'https://example.com/a?b=%20+%2B&utm_source=x#a?b'],
  ['https://example.com/a?flag&b', { utm_source: 'x' }, 'https://example.com/a?flag&b&utm_source=x'],
  ['https://example.com/a?', { utm_source: 'x' }, 'https://example.com/a?utm_source=x'],
  [
    'https://example.com/',
    { utm_campaign: 'a & b=c', utm_source: 'ü' },
    'https://example.com/?utm_source=%C3%BC&utm_campaign=a%20%26%20b%3Dc',
  ],
  ['https://example.com/', { utm_term: '' }, 'https://example.com/'],
  ['https://example.com/straße', {}, 'https://example.com/stra%C3%9Fe'],
])('%s with %o redirects to %s', (url, params, final) => {
  expect(finalUrl(url, params as unknown as Record<string, string>)).toBe(final)
})

test('query parameters are an object', () => {
  expect(paramsOf('https://example.com/?a=1&b=x%20y&c')).toEqual({ a: '1', b: 'x y', c: '' })
})

test('a short URL uses the own domain, or the service’s', () => {
  expect(shortUrl('https://chorus.example/l', { host: '', hash: 'abcdefgh' })).toBe('https://chorus.example/l/abcdefgh')
  expect(shortUrl('https://chorus.example/l', { host: 'go.example', hash: 'abcdefgh' })).toBe(
    'https://go.example/abcdefgh',
  )
})
