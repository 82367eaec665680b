import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors.ts'
import { type Identities, type Identity, unknownCaller } from '../../identities.ts'

/** The only module that reads credentials. */
export interface Authentication {
  byKey(request: IncomingMessage): Identity | Promise<Identity>
  /** Authenticates by browser session, else by API key. */
  bySessionOrKey(request: IncomingMessage, secure: boolean): Identity | Promise<Identity>
}

export function openAuthentication(keys: Identities, sessions: Identities): Authentication {
  const byKey: Authentication['byKey'] = ({ headers: { authorization } }) => {
    if (!authorization) throw unknownCaller()
    return keys.identify(authorization)
  }
  const bySession = async (token: string, request: IncomingMessage) => {
    try {
      return await sessions.identify(token)
    } catch (error) {
      const isOver = error instanceof Refusal && error.kind === 'unauthenticated'
      if (!isOver || !request.headers.authorization) throw error
      return byKey(request)
    }
  }
  return {
    byKey,
    bySessionOrKey(request, secure) {
      const token = sessionToken(request.headers.cookie, secure)
      return token === undefined ? byKey(request) : bySession(token, request)
    },
  }
}

/** The session cookie: sent to this host only, HttpOnly, and SameSite=Lax against requests from other sites. */
const names = { secure: '__Host-chorus', plain: 'chorus' } as const

export interface SessionCookie {
  token: string
  /** Lifetime of the cookie; a session cookie if omitted. */
  seconds?: number | undefined
}

/** Reads the session token of a request. Over TLS only the `__Host-` cookie counts, which no other host and no plain HTTP page can set. */
export function sessionToken(header: string | undefined, secure: boolean): string | undefined {
  if (!header?.includes(names.plain)) return undefined
  return readCookies(header)[nameFor(secure)] || undefined
}

/** Sets the cookie, or clears it if there is no token. */
export function sessionCookie(cookie: SessionCookie | 'none', secure: boolean): string {
  const { token, seconds } = cookie === 'none' ? { token: '', seconds: 0 } : cookie
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`
  return `${nameFor(secure)}=${token}; Path=/; HttpOnly; SameSite=Lax${age}${secure ? '; Secure' : ''}`
}

const nameFor = (secure: boolean) => (secure ? names.secure : names.plain)

/** The first of two cookies with the same name wins: browsers send the more specific one first. */
export function readCookies(header = ''): { readonly [name: string]: string } {
  const cookies: { [name: string]: string } = Object.create(null)
  for (const pair of header.split(';')) {
    const split = pair.indexOf('=')
    const name = pair.slice(0, Math.max(split, 0)).trim()
    if (name !== '' && !(name in cookies)) cookies[name] = pair.slice(split + 1).trim()
  }
  return cookies
}

/** Rate limit per session, independent of the limits of API keys and their block. */
export interface SessionLimits {
  readonly policy: string
  /** Counts a call; if it is over the limit, returns the seconds until the next one is allowed. */
  admit(sessionId: string): number | undefined
}

const calls = 120
const windowMs = 10_000
const remembered = 10_000

/** Ring buffer of the most recent call times. */
interface Track {
  readonly times: Float64Array
  next: number
}

/** Counted per process: a browser keeps its few connections, and the limit only has to stop runaway pages. */
export function openSessionLimits(clock: Clock): SessionLimits {
  const tracks = new Map<string, Track>()
  const trackOf = (sessionId: string): Track => {
    const track = tracks.get(sessionId) ?? { times: new Float64Array(calls), next: 0 }
    // Reinserting keeps the map in least recently used order.
    tracks.delete(sessionId)
    if (tracks.size >= remembered) tracks.delete(tracks.keys().next().value ?? '')
    tracks.set(sessionId, track)
    return track
  }
  return {
    policy: `"session";q=${calls};w=${windowMs / 1000}`,
    admit(sessionId) {
      const now = clock.now().getTime()
      const track = trackOf(sessionId)
      const oldest = track.times[track.next] ?? 0
      const left = oldest + windowMs - now
      // A clock that was set back must not lock out callers.
      if (left > 0 && left <= windowMs) return Math.ceil(left / 1000)
      track.times[track.next] = now
      track.next = (track.next + 1) % calls
      return undefined
    },
  }
}

/** Slows down clients that try many keys; authenticated callers never wait. */
interface KeyThrottle {
  /** Delays the response to an invalid key from this IP address. */
  hold(address: string): Promise<void>
}

/** Invalid keys per IP address and window that are tolerated as mistakes; more count as guessing. */
const mistakes = 50
const mistakeWindowMs = 10_000
const holdMs = 1_000
const rememberedAddresses = 10_000

export function openKeyThrottle(): KeyThrottle {
  let counts = new Map<string, number>()
  let since = 0
  return {
    async hold(address) {
      if (performance.now() - since > mistakeWindowMs || counts.size >= rememberedAddresses) {
        counts = new Map()
        since = performance.now()
      }
      const count = (counts.get(address) ?? 0) + 1
      counts.set(address, count)
      if (count > mistakes) await sleep(holdMs)
    },
  }
}
