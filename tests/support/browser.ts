/** A minimal browser: stores cookies by path and reports redirects. */
export function browser() {
  const cookies = new Map<string, { value: string; path: string }>()
  const visit = async (url: string, init: RequestInit = {}) => {
    const { origin, pathname } = new URL(url)
    const sent = [...cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
    const headers = { accept: 'text/html', ...(sent.length > 0 && { cookie: sent.join('; ') }), ...init.headers }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) keep(cookie)
    const location = response.headers.get('location')
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location && new URL(location, origin).href,
    }
  }
  const keep = (cookie: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    cookies.set(name, { value, path: /Path=([^;]+)/.exec(cookie)?.[1] ?? '/' })
  }
  return { visit, cookies }
}
