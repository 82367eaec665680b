import { createHmac } from 'node:crypto'
import { type Newcomers, openNewcomers, visitorIdLength } from './newcomers.ts'

const visitorCookie = 'chorus_visitor'
const marker = `${visitorCookie}=`

/** The visitor's id in a Cookie header, if there is one that may have come from us. */
export function visitorOf(header: string): string | undefined {
  for (let at = header.indexOf(marker); at >= 0; at = header.indexOf(marker, at + 1)) {
    // Another cookie's name may end like ours.
    if (at > 0 && header[at - 1] !== ' ' && header[at - 1] !== ';') continue
    const value = header.slice(at + marker.length, at + marker.length + visitorIdLength)
    const next = header.charCodeAt(at + marker.length + visitorIdLength)
    if (/^[\w-]{22}$/.test(value) && (Number.isNaN(next) || next === semicolon)) return value
  }
  return undefined
}

const semicolon = 59

/** The cookie of a new visitor, except for its id, which stands between the two parts. */
export interface CookieForm {
  readonly before: string
  readonly after: string
}

/**
 * Pixels on other sites send the cookie only if it is `SameSite=None`, which browsers take over https alone; without it, Lax is
 * the widest there is. It belongs to the short links' part of the host, not to the rest of the service.
 */
export const cookieForm = (prefix: string, secure: boolean): CookieForm => ({
  before: marker,
  after:
    `; Max-Age=${365 * 86_400}; Path=${prefix === '/' ? '/' : prefix.slice(0, -1)}; HttpOnly; ` +
    (secure ? 'SameSite=None; Secure' : 'SameSite=Lax'),
})

export interface Visitors {
  /** The id of who has no cookie yet and is to get one. */
  readonly newcomer: Newcomers
  /** The id of who gets no cookie: good for one day, and nothing can be read from it. */
  stranger(day: string, address: string, userAgent: string): string
}

export const openVisitors = (secret: () => Buffer): Visitors => ({
  newcomer: openNewcomers(),
  stranger: (day, address, userAgent) =>
    createHmac('sha256', secret())
      .update(`${day}\n${address}\n${userAgent}`)
      .digest('base64url')
      .slice(0, visitorIdLength),
})
