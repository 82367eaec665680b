/** What keeps a session in a browser: sent back to this host alone, kept from scripts and from requests that other sites make. */
const names = { secure: '__Host-chorus', plain: 'chorus' } as const

export interface CookieWish {
  token: string
  /** How long the browser keeps it; until it is closed when left out. */
  seconds?: number | undefined
}

/** The session that a request carries. By TLS only the name counts that no other host and no plain page can set. */
export function sessionToken(header: string | undefined, secure: boolean): string | undefined {
  if (!header?.includes(names.plain)) return undefined
  return readCookies(header)[nameFor(secure)] || undefined
}

/** Sets the cookie, or takes it away where there is no token. */
export function sessionCookie(wish: CookieWish | 'none', secure: boolean): string {
  const { token, seconds } = wish === 'none' ? { token: '', seconds: 0 } : wish
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`
  return `${nameFor(secure)}=${token}; Path=/; HttpOnly; SameSite=Lax${age}${secure ? '; Secure' : ''}`
}

const nameFor = (secure: boolean) => (secure ? names.secure : names.plain)

/** Of two cookies with one name the first counts: browsers send the more specific one first. */
export function readCookies(header = ''): { readonly [name: string]: string } {
  const cookies: { [name: string]: string } = Object.create(null)
  for (const pair of header.split(';')) {
    const split = pair.indexOf('=')
    const name = pair.slice(0, Math.max(split, 0)).trim()
    if (name !== '' && !(name in cookies)) cookies[name] = pair.slice(split + 1).trim()
  }
  return cookies
}
