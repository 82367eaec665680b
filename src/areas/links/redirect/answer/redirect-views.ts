import { escaped, htmlPage } from '#kernel/http/route/page.ts'
import type { ShortAnswer } from './short-page.ts'

/** Nothing is loaded from anywhere, nothing is kept, nobody may frame it or list it. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

const page = (status: number, title: string, content: string, headers: Record<string, string> = {}): ShortAnswer => ({
  status,
  headers: { ...pageHeaders, ...headers },
  body: htmlPage(title, content),
})

export const unknownLink = page(
  404,
  'There is no such link',
  '<p>Check that the address is complete. Capital and small letters are not the same here.</p>',
)

export const disabledLink = page(
  410,
  'This link was switched off',
  '<p>Whoever made it, or the operator of this service, has switched it off; it leads nowhere any more.</p>',
)

export const start = page(
  200,
  'Short links',
  '<p>Addresses here lead on to other pages. Add a <b>+</b> to one to see where it leads before you go.</p>',
)

export const unavailable = page(
  503,
  'Please try again in a moment',
  '<p>This link cannot be looked up right now. It will work again shortly.</p>',
  { 'retry-after': '5' },
)

export const fault = page(
  500,
  'Something went wrong',
  '<p>Please try again; the operator can find the cause in the log.</p>',
)

export const otherHost = page(421, 'Not here', '<p>This service has no short links under this domain.</p>')

export const plainHttp = page(
  403,
  'Use the https address',
  '<p>This service is reached over HTTPS only. Open the same address with https:// in front.</p>',
)

export const wrongMethod = page(405, 'Only for reading', '<p>Use GET or HEAD.</p>', { allow: 'GET, HEAD' })

export const preview = (destination: string): ShortAnswer =>
  page(
    200,
    'Where this link leads',
    `<p>It leads to <b>${escaped(hostOf(destination))}</b>:</p>
<p><a rel="noopener noreferrer nofollow" href="${escaped(destination)}" style="overflow-wrap: anywhere">${escaped(destination)}</a></p>`,
  )

const hostOf = (url: string) => new URL(url).host

// Fetchers of link previews obey it: they are let in, and search engines are told by a header to list nothing.
export const robots: ShortAnswer = {
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  body: 'User-agent: *\nDisallow:\n',
}

export const noIcon: ShortAnswer = { status: 204, headers: { 'cache-control': 'public, max-age=86400' }, body: '' }
