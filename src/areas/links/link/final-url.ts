/**
 * Where a visitor is sent: the address with the parameters it does not have already. Its own query and fragment stay as they are;
 * what no header may carry is percent-encoded.
 */
export function finalUrl(longUrl: string, params: Record<string, string>): string {
  const url = new URL(longUrl)
  const own = url.searchParams
  const added = Object.entries(params)
    .filter(([name, value]) => value !== '' && !own.has(name))
    .sort(([one], [other]) => place(one) - place(other))
  if (added.length === 0) return url.href
  const query = added.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  url.search = url.search === '' ? query : `${url.search}&${query}`
  return url.href
}

/** As people are used to see them, whatever order they were kept in. */
const usual = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']
const place = (name: string) => usual.indexOf(name) >>> 0

/** Everything the address tells its destination. Of a parameter that is there twice, the last. */
export const paramsOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams)
